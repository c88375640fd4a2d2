"""A trial as a growing program sees it, in this process and without a group."""

import argparse
import contextlib
import doctest
import gc
import itertools
import math
import os
import random
import sys
import unittest
import warnings
import weakref
from pathlib import Path
from unittest import mock

import numpy
import torch
from torch.utils.data import DataLoader, Dataset

import crescendo.torch
from crescendo.torch import alone, error_words, learning_rate, samples, settings, step_clock
from crescendo.torch.noise_scale import FEWEST, NoiseScale, Norms
from crescendo.torch.trial import Trial
from loaders import loader_of
from trial_alone import CPU, Alone, captured


class TrialTest(Alone):
    def test_outside_a_sweep_the_program_just_trains(self):
        self.attach()
        with captured() as printed:
            for _ in self.trial.epochs(limit=2):
                self.train_on(loader_of())
                self.trial.report(loss=1, accuracy=torch.tensor(0.5))

        self.assertEqual(printed.getvalue(), "epoch 1: loss 1.0, accuracy 0.5\nepoch 2: loss 1.0, accuracy 0.5\n")

    def test_torch_kept_the_models_of_ended_trials_in_memory(self):
        self.attach()
        next(self.trial.epochs())
        self.train_on(loader_of())
        model = weakref.ref(self.model)
        del self.trial, self.model, self.optimizer

        gc.collect()

        self.assertIsNone(model())

    def test_a_loss_with_its_gradient_is_a_number_without_a_warning(self):
        self.attach()
        loss = self.model(torch.ones(1)).sum()
        with captured() as printed, warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in self.trial.epochs(limit=1):
                self.train_on(loader_of())
                self.trial.report(loss=loss, sum=self.trial.sum(loss))

        self.assertEqual(printed.getvalue(), f"epoch 1: loss {loss.item()}, sum {loss.item()}\n")

    def test_data_wait_is_the_share_of_the_time_that_samples_took(self):
        now, shares, times = [0], [], {}

        class Slow(Dataset):
            def __len__(self):
                return 2

            def __getitem__(self, index):
                now[0] += times["reading"]
                return torch.zeros(1)

        with mock.patch("time.monotonic", lambda: now[0]):
            self.begin()
            self.attach()
            self.trial._control.report = lambda replica, data_wait: shares.append(data_wait)
            epochs = self.trial.epochs()
            for times in ({"reading": 3, "training": 1}, {"reading": 1, "training": 3}):
                next(epochs)
                for x in self.trial.batches(DataLoader(Slow())):
                    now[0] += times["training"]
                    self.step(x)
                self.trial.report(loss=1)

        self.assertEqual(shares, [0.75, 0.25])

    def test_a_batch_that_has_grown_leaves_out_no_more_of_an_epoch_than_the_loader_says(self):
        for multiple, ends in ((1, [4, 8, 12]), (2, [8, 12]), (8, [12])):
            self.setUp()
            self.trial._control.terms.batch_multiple = multiple
            self.attach()
            seen = []
            for (x,) in self.trial.batches(loader_of(15, drop_last=True)):
                self.step(x)
                if self.trial.stepped:  # the last pass of a step
                    seen.append(self.trial._progress.position)

            self.assertEqual((seen, self.trial.epochs_done), (ends, 1.0))

    def test_outside_a_sweep_a_seed_that_train_sets_counts(self):
        def order_of(seed):
            self.setUp()
            torch.manual_seed(seed)
            self.attach()
            next(self.trial.epochs())
            return [x.flatten().tolist() for (x,) in self.read(loader_of(16, shuffle=True))]

        self.assertEqual(order_of(5), order_of(5))
        self.assertNotEqual(order_of(5), order_of(6))
        self.assertEqual(self.trial.seed, 6)

    def read(self, loader):
        for (x,) in self.trial.batches(loader):
            yield (x,)
            self.step(x)

    def test_in_a_sweep_the_seed_is_the_trials(self):
        self.trial = Trial(
            alone.Alone(CPU), argparse.Namespace(), device=CPU, number=0, seed=1, directory=Path("trials/000000")
        )
        torch.manual_seed(5)
        self.attach()

        self.assertEqual(self.trial.seed, 1)

    def test_in_a_sweep_the_epochs_are_those_of_scheduler_max(self):
        self.assertIsNone(self.trial.max_resource)
        self.trial._control.terms.max_resource = 2
        self.attach()
        for limit, words in ((3, "yields 2 epochs here.*trial.max_resource"), (2, "^$"), (None, "^$")):
            with captured() as printed:
                next(self.trial.epochs(limit) if limit else self.trial.epochs())

            self.assertEqual(self.trial.max_resource, 2)
            self.assertRegex(printed.getvalue(), words)

    def test_a_group_of_one_learns_what_plain_pytorch_learns(self):
        twin = torch.nn.Linear(1, 1)
        twin.load_state_dict(self.model.state_dict())
        optimizer = torch.optim.SGD(twin.parameters(), lr=0.1)
        self.attach()
        next(self.trial.epochs())
        loader = loader_of(6)  # the last batch is short
        batches = ((self.trial.batches(loader), self.optimizer, self.model), (loader, optimizer, twin))
        for items, each, model in batches:
            for (x,) in items:
                each.zero_grad()
                model(x).square().mean().backward()
                each.step()

        self.assertTrue(torch.equal(self.model.weight, twin.weight))

    def test_the_momentum_of_sparse_gradients_was_sparse_and_ended_the_trial_when_it_grew(self):
        self.model = torch.nn.EmbeddingBag(5, 2, sparse=True)
        twin = torch.nn.EmbeddingBag(5, 2, _weight=self.model.weight.detach().clone())
        self.optimizer, optimizer = (torch.optim.SGD(each.parameters(), 0.1, 0.9) for each in (self.model, twin))
        self.attach()
        next(self.trial.epochs())
        for (x,) in self.trial.batches(loader_of(4)):
            for model, each in ((self.model, self.optimizer), (twin, optimizer)):
                each.zero_grad()
                model(x.long().view(-1, 1)).square().mean().backward()
                each.step()
        momentum = self.optimizer.state[self.model.weight]["momentum_buffer"]

        self.assertEqual((momentum.layout, self.optimizer.param_groups[0]["momentum"]), (torch.strided, 0.9))
        self.assertTrue(torch.allclose(self.model.weight, twin.weight))

    def test_habits_of_other_tools_are_told_what_to_write_instead(self):
        self.attach()
        next(self.trial.epochs())

        for unnamed in ((0.1,), (0.1, 1)):
            with self.assertRaisesRegex(TypeError, r"a float without a name: .*; the epoch .* trial.epochs\(\)$"):
                self.trial.report(*unnamed)
        with self.assertRaisesRegex(AttributeError, "the sweep file has the ranges.*trial.args"):
            self.trial.suggest_float("lr", 1e-5, 1e-1)
        with self.assertRaisesRegex(AttributeError, "leaves the train function"):
            self.trial.should_prune()
        with self.assertRaisesRegex(TypeError, r"attach\(…\) makes the checkpoints.*; leave out resource, save$"):
            self.trial.report(loss=1, resource=1, save=lambda path: None)
        for name, remedy in (("checkpoint", r"attach\(…\) loads it"), ("stopped", r"report\(\) leaves the train")):
            with self.assertRaisesRegex(AttributeError, f"^a growing trial has no {name}: trial.{remedy}"):
                getattr(self.trial, name)
        self.assertFalse(hasattr(self.trial, "nothing"))

    def test_a_loop_that_breaks_where_a_report_says_so_trains_all_epochs(self):
        self.attach()
        with captured() as printed:
            for _ in self.trial.epochs(limit=2):
                self.train_on(loader_of())
                if not self.trial.report(loss=1):
                    break

        self.assertEqual(printed.getvalue(), "epoch 1: loss 1.0\nepoch 2: loss 1.0\n")

    def test_batches_have_the_length_and_the_data_of_a_loader(self):
        self.attach()
        loader = loader_of(10)
        batches = self.trial.batches(loader)

        self.assertEqual((len(batches), batches.dataset, batches.batch_size), (3, loader.dataset, 4))
        self.assertEqual(len(self.trial.share(loader)), 3)

    def test_batches_have_a_length_to_divide_by_though_none_is_left(self):
        self.attach()
        next(self.trial.epochs())
        self.train_on(loader_of())
        self.trial._read_epoch = None  # as in a call of train on a worker that enters here
        batches = self.trial.batches(loader_of())

        self.assertEqual((len(batches), list(batches)), (1, []))

    def test_a_share_that_is_read_again_is_not_taken_for_an_empty_one(self):
        self.attach()
        share = self.trial.share(loader_of(10))

        self.assertEqual(sum(len(x) for (x,) in share), 10)
        with self.assertRaisesRegex(RuntimeError, "were already read.* again in each epoch"):
            list(share)

    def test_a_report_of_one_workers_share_is_refused(self):
        self.attach()
        with captured():
            for _ in self.trial.epochs(limit=2):
                self.train_on(loader_of())
                count = sum(len(x) for (x,) in self.trial.share(loader_of(10)))
                with self.assertRaisesRegex(RuntimeError, r"only rank 0's part; add up .*such as an AUC, loop over"):
                    self.trial.report(count=count)
                self.trial.report(count=self.trial.sum(count))

        self.assertEqual(self.trial._progress.report["metrics"], {"count": 10})

    def test_a_report_that_is_none_of_an_epochs_end_is_refused(self):
        message = r"without trial.batches\(…\) since the last report, but each report counts as an epoch"
        self.attach()
        with self.assertRaisesRegex(RuntimeError, message), captured() as printed:
            self.trial.report(loss=1)  # of the untrained model
        for _ in self.trial.epochs(limit=2):
            self.train_on(loader_of())
            with contextlib.redirect_stdout(printed):
                self.trial.report(loss=1)
            with self.assertRaisesRegex(RuntimeError, message):
                self.trial.report(accuracy=1)

        self.assertEqual(printed.getvalue(), "epoch 1: loss 1.0\nepoch 2: loss 1.0\n")

    def test_members_meet_before_the_first_sum_outside_the_steps_and_before_the_report(self):
        counts = []

        def count():
            counts.append(meet.call_count)

        self.attach()
        with mock.patch.object(alone.Alone, "meet") as meet, captured():
            for _ in self.trial.epochs(limit=2):  # workers that entered at the report begin with the second epoch
                self.trial.sum(1)
                count()
                for (x,) in self.trial.batches(loader_of()):
                    self.step(x)
                    self.trial.sum(1)
                    count()
                self.trial.sum(1)
                self.trial.sum(1)
                count()
                self.trial.report(loss=1)
                count()

        self.assertEqual(counts, [1, 1, 2, 3, 4, 5, 5, 6, 7, 8])  # two batches per epoch, the last of which may be long

    def test_mistakes_in_the_loop_are_explained(self):
        with self.assertRaisesRegex(RuntimeError, "call trial.attach.* first: it brings"):
            self.trial.report(loss=1)
        self.attach()
        with self.assertRaisesRegex(RuntimeError, "attach.* was called twice"):
            self.attach()
        with self.assertRaisesRegex(RuntimeError, r"outside a batch of trial.batches\(\)"):
            self.optimizer.step()
        with self.assertRaisesRegex(TypeError, "needs no closure"):
            self.optimizer.step(lambda: 0)
        with self.assertRaisesRegex(ValueError, "no metric"):
            self.trial.report()
        batches = iter(self.trial.batches(loader_of()))
        (x,) = next(batches)
        with self.assertRaisesRegex(RuntimeError, r"without backward\(\)"):
            self.optimizer.step()
        self.backward(x)
        with self.assertRaisesRegex(RuntimeError, r"backward\(\) ran twice"):
            self.backward(x)
        with self.assertRaisesRegex(RuntimeError, r"without optimizer.step\(\).*GradScaler.*bfloat16"):
            next(batches)
        with self.assertRaisesRegex(RuntimeError, "called twice in one epoch"):
            self.trial.batches(loader_of())
        with self.assertRaisesRegex(RuntimeError, "without trial.report"):
            list(self.trial.epochs())

    def test_an_epoch_that_is_broken_off_is_no_epoch(self):
        self.attach()
        for _ in self.trial.epochs():
            for (x,) in self.trial.batches(loader_of(12)):
                self.step(x)
                break
            with self.assertRaisesRegex(RuntimeError, "with 2 batches of the epoch unread.*Subset"):
                self.trial.report(loss=1)
            break

    def test_a_loop_that_counts_its_batches_ends_the_epoch_as_another_does(self):
        self.attach()
        with mock.patch.object(alone.Alone, "end_steps") as end_steps, captured():
            for _ in self.trial.epochs(limit=2):
                batches = self.trial.batches(loader_of(12))
                for (x,) in itertools.islice(batches, len(batches)):
                    self.step(x)
                self.trial.report(loss=1)

        self.assertEqual(end_steps.call_count, 2)

    def test_a_loop_that_counts_its_batches_steps_its_schedule_once_though_it_runs_again(self):
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        self.attach(scheduler=scheduler)
        next(self.trial.epochs())
        batches = self.trial.batches(loader_of())
        for (x,) in itertools.islice(batches, len(batches)):
            self.step(x)
        scheduler.step()
        self.trial._replica.return_to_noted()  # as if the trial were saved here

        self.assertEqual((scheduler.last_epoch, self.optimizer.param_groups[0]["lr"]), (0, 0.1))

    def test_the_last_step_of_an_epoch_is_full_only_if_it_has_the_whole_batch(self):
        self.attach()
        next(self.trial.epochs())
        with mock.patch.object(self.trial._control, "note_step") as note_step:
            self.train_on(loader_of(6))

        self.assertEqual([call.args[1].is_full for call in note_step.call_args_list], [True, False])

    def test_a_schedule_that_counts_steps_keeps_the_last_one_if_train_is_left_before_the_report(self):
        schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        self.attach(schedule=schedule)
        next(self.trial.epochs())
        for (x,) in self.trial.batches(loader_of()):
            self.step(x)
            schedule.step()
        self.trial._held.return_to_noted()

        self.assertEqual(schedule.last_epoch, 2)

    def test_a_schedule_that_steps_at_an_epochs_start_does_so_once_though_train_is_called_again(self):
        for num_steps in (0, 1):  # steps of the call of train that ends early
            self.setUp()
            state = None
            for is_again in (False, True):
                optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda count: 0.5**count)
                self.begin()
                self.trial.attach(model=self.model, optimizer=optimizer, scheduler=scheduler)
                if is_again:
                    self.trial._held.restore(state)
                next(self.trial.epochs())
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # torch expects it after the optimizer's step
                    scheduler.step()
                for (x,) in itertools.islice(self.trial.batches(loader_of()), num_steps):
                    self.backward(x)
                    optimizer.step()
                self.trial._held.return_to_noted()  # as if a peer were lost
                state = self.trial._held.capture()

            self.assertEqual(scheduler.last_epoch, num_steps)

    def test_a_checkpoint_between_steps_has_the_schedule_of_its_step(self):
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        self.attach(scheduler=scheduler)
        seen = []

        def save_if_due(control, replica):
            seen.append((replica.progress.step, scheduler.last_epoch))

        with mock.patch.object(alone.Alone, "save_if_due", save_if_due):
            next(self.trial.epochs())
            for (x,) in self.trial.batches(loader_of(12)):
                self.step(x)
                scheduler.step()

        self.assertEqual(seen, [(0, 0), (1, 1), (2, 2)])

    def test_the_part_of_an_epoch_that_is_done_continues_where_a_call_of_train_enters_within_it(self):
        self.attach()
        next(self.trial.epochs())
        seen = [self.trial.epochs_done]
        for (x,) in itertools.islice(self.trial.batches(loader_of(16)), 3):
            self.step(x)
            seen.append(self.trial.epochs_done)
        progress = self.trial._progress
        self.begin()
        self.attach()
        self.trial._held.progress = progress
        for (x,) in self.trial.batches(loader_of(16)):
            seen.append(self.trial.epochs_done)
            self.step(x)
        with captured():
            self.trial.report(loss=1)

        self.assertEqual([*seen, self.trial.epochs_done], [0, 0.25, 0.5, 0.75, 0.75, 1.0])

    def rates_of(self, epochs, samples=8):
        """The learning rates of the steps. `epochs` has a multiple and a batch size of the loader for each epoch."""
        self.attach(rescale_warm_up=0.0)
        seen = []
        self.optimizer.register_step_pre_hook(lambda optimizer, *_: seen.append(optimizer.param_groups[0]["lr"]))
        for multiple, batch_size in epochs:
            self.trial._control.terms.batch_multiple = multiple
            next(self.trial.epochs())
            for (x,) in self.trial.batches(loader_of(samples, batch_size=batch_size)):
                self.backward(x)
                self.optimizer.step()
            with captured():
                self.trial.report(loss=1)
        return seen

    def test_the_learning_rate_follows_a_batch_that_grows(self):
        self.assertEqual(self.rates_of([(1, 4), (2, 4)]), [0.1, 0.1, 0.2])
        self.assertEqual(self.optimizer.param_groups[0]["lr"], 0.1)  # the program's own schedule is based on this

    def test_a_batch_size_that_the_program_changes_leaves_its_learning_rate_alone(self):
        # There are only 8 samples, so a larger step has 8, also with the program's own batch size of 16.
        self.assertEqual(self.rates_of([(1, 4), (1, 8), (2, 4), (1, 16), (4, 4)]), [0.1] * 3 + [0.2, 0.1, 0.2])

    def test_a_checkpoint_that_has_batches_in_samples_continues_at_its_rate(self):
        rate = learning_rate.RateState(first_batch=4, batch=8, changed_at=1.0)  # from a version with fewer fields
        scaled = learning_rate.LearningRate("linear", 1.0, rate)
        scaled.set_batch(8, own=4, epoch=1.5)
        self.assertEqual([scaled.factor(epoch) for epoch in (1.5, 2)], [1.5, 2.0])
        scaled.set_batch(16, own=4, epoch=2)

        scaled.set_batch(16, own=4, epoch=3)

        self.assertEqual([scaled.factor(epoch) for epoch in (2, 3)], [2.0, 4.0])

    def test_workers_draw_different_numbers_in_their_batches(self):
        def drawn(rank):
            torch.manual_seed(1)
            self.begin()
            self.trial._control.terms.rank = rank
            self.attach()
            next(self.trial.epochs())
            next(iter(self.trial.batches(loader_of())))
            return torch.rand(1).item()

        self.assertEqual(drawn(0), drawn(0))
        self.assertNotEqual(drawn(0), drawn(1))


class ByHandTest(unittest.TestCase):
    """crescendo.torch.run() outside a sweep."""

    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float)

    def run_by_hand(self, train, **options):
        with mock.patch.object(sys, "argv", ["train.py", "--lr=0.5"]):
            with captured() as printed:
                crescendo.torch.run(train, **{"parser": self.parser, **options})
        return printed.getvalue()

    def train(self, trial):
        self.drawn = [random.random(), numpy.random.rand(), torch.rand(1).item()]
        torch.set_grad_enabled(True)
        self.model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=trial.args.lr)
        trial.attach(model=self.model, optimizer=optimizer)
        for _ in trial.epochs(1):
            for (x,) in trial.batches(loader_of()):
                optimizer.zero_grad()
                self.model(x).sum().backward()
                optimizer.step()
            trial.report(loss=1)
        trial.args.lr = None
        torch.set_grad_enabled(False)

    def test_the_test_is_called_behind_train_as_in_a_sweep(self):
        def test(trial):
            self.assertEqual([random.random(), numpy.random.rand(), torch.rand(1).item()], self.drawn)
            self.assertEqual((trial.args.lr, torch.is_grad_enabled()), (0.5, True))
            model = torch.nn.Linear(1, 1)
            trial.attach(model=model)
            return {"test_loss": 0.25, "is_trained": torch.equal(model.weight, self.model.weight)}

        self.addCleanup(torch.set_grad_enabled, True)
        printed = self.run_by_hand(self.train, test=test)

        self.assertEqual(printed, "epoch 1: loss 1.0\ntest: test_loss 0.25, is_trained 1.0\n")

    def test_a_test_that_returns_nothing_is_told_what_to_return(self):
        self.addCleanup(torch.set_grad_enabled, True)
        with self.assertRaisesRegex(TypeError, "test returned None; it must return numbers by name"):
            self.run_by_hand(self.train, test=lambda trial: None)

    def test_a_script_for_torchrun_is_told_what_to_leave_out(self):
        without = {name: value for name, value in os.environ.items() if name != "RANK"}
        for needs_group in (lambda _: torch.distributed.init_process_group("gloo"), lambda _: torch.distributed.barrier()):
            with mock.patch.dict(os.environ, without, clear=True):
                with self.assertRaisesRegex(RuntimeError, r"; .*leave out init_process_group\(\) and Distributed"):
                    self.run_by_hand(needs_group)

    def test_a_program_that_reads_its_arguments_itself_has_them_by_hand_too(self):
        found = []
        self.run_by_hand(lambda trial: found.extend(sys.argv), parser=None)

        self.assertEqual(found, ["train.py", "--lr=0.5"])

    def test_what_attaches_nothing_is_not_tested(self):
        self.assertEqual(self.run_by_hand(lambda trial: None, test=lambda trial: {"test_loss": 0.25}), "")


class StepClockTest(unittest.TestCase):
    def test_the_first_and_short_steps_do_not_count_nor_does_a_wait_for_them(self):
        clock = step_clock.StepClock()
        for seconds, is_full in ((9.0, True), (5.0, False)):
            clock.add(step_clock.Step(seconds, waited=0.0, batch=4, is_full=is_full, epoch_samples=10))
            clock.wait(7.0)
        self.assertIsNone(clock.mean)

        clock.add(step_clock.Step(2.0, waited=0.0, batch=4, is_full=True, epoch_samples=10))
        clock.wait(1.0)
        self.assertEqual(clock.take(), 3.0)


class NoiseScaleTest(unittest.TestCase):
    def scale_of(self, *norms):
        """The noise scale after these norms of steps with 32 samples in two parts."""
        scale = NoiseScale()
        for each in norms:
            scale.add(each, samples=32, parts=2)
        return scale.value

    def test_the_noise_scale_is_known_after_eight_measurements_that_are_finite(self):
        norms = Norms(whole=6.0, parts=8.0)  # 4 + S/32 and 4 + S/16, so S = 64
        infinite = Norms(whole=math.inf, parts=math.inf)

        self.assertIsNone(self.scale_of(*[norms] * (FEWEST - 1), infinite))
        self.assertAlmostEqual(self.scale_of(*[norms] * FEWEST, infinite), 64 / 4)

    def test_a_negative_noise_counts_as_none_and_noise_that_hides_the_gradient_gives_no_scale(self):
        self.assertEqual(self.scale_of(*[Norms(whole=6.0, parts=5.0)] * FEWEST), 0.0)
        self.assertIsNone(self.scale_of(*[Norms(whole=2.0, parts=8.0)] * FEWEST))  # S = 192, |G|² = 2 - 192/32


class DocumentationTest(unittest.TestCase):
    def test_the_examples_in_the_documentation_of_the_code_hold(self):
        for module in (error_words, learning_rate, samples, settings, step_clock):
            self.assertEqual(doctest.testmod(module, verbose=False).failed, 0)


if __name__ == "__main__":
    unittest.main()
