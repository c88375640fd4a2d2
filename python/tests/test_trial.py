"""A trial as a growing program sees it, in this process and without a group."""

import argparse
import contextlib
import copy
import doctest
import io
import itertools
import random
import sys
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, SubsetRandomSampler, TensorDataset
from torch.utils.data import WeightedRandomSampler

import crescendo.torch
from crescendo.torch import alone, error_words, learning_rate, samples, settings, step_clock
from crescendo.torch.trial import Trial
from loaders import loader_of

CPU = torch.device("cpu")


def captured():
    """What is printed meanwhile."""
    return contextlib.redirect_stdout(io.StringIO())


class Stateless:
    """Can be attached, and has nothing to keep."""

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Alone(unittest.TestCase):
    """A trial outside a sweep."""

    def setUp(self):
        self.model = torch.nn.Linear(1, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.begin()

    def begin(self, number=0):
        self.trial = Trial(alone.Alone(CPU), argparse.Namespace(), device=CPU, number=number, seed=1, directory=None)

    def attach(self, **more):
        self.trial.attach(model=self.model, optimizer=self.optimizer, **more)

    def backward(self, x):
        self.model(x).sum().backward()

    def step(self, x):
        self.optimizer.zero_grad()
        self.backward(x)
        self.optimizer.step()

    def train_on(self, loader):
        """Steps over what is left of an epoch."""
        for (x,) in self.trial.batches(loader):
            self.step(x)


class TrialTest(Alone):
    def test_outside_a_sweep_the_program_just_trains(self):
        self.attach()
        with captured() as printed:
            for _ in self.trial.epochs(limit=2):
                self.train_on(loader_of())
                self.trial.report(loss=1, accuracy=torch.tensor(0.5))

        self.assertEqual(printed.getvalue(), "epoch 1: loss 1.0, accuracy 0.5\nepoch 2: loss 1.0, accuracy 0.5\n")

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
        for limit, words in ((3, "has 2 epochs here.*trial.max_resource"), (2, "^$"), (None, "^$")):
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
        self.trial._read_epoch = None  # as in the call of train on a worker that enters here
        batches = self.trial.batches(loader_of())

        self.assertEqual((len(batches), list(batches)), (1, []))

    def test_a_share_that_is_read_again_is_not_taken_for_an_empty_one(self):
        self.attach()
        share = self.trial.share(loader_of(10))

        self.assertEqual(sum(len(x) for (x,) in share), 10)
        with self.assertRaisesRegex(RuntimeError, "were read already.* anew in each epoch"):
            list(share)

    def test_a_report_of_one_workers_share_is_refused(self):
        self.attach()
        with captured():
            for _ in self.trial.epochs(limit=2):
                self.train_on(loader_of())
                count = sum(len(x) for (x,) in self.trial.share(loader_of(10)))
                with self.assertRaisesRegex(RuntimeError, r"rank 0's part alone; add up .*such as an AUC, loop over"):
                    self.trial.report(count=count)
                self.trial.report(count=self.trial.sum(count))

        self.assertEqual(self.trial._progress.report["metrics"], {"count": 10})

    def test_a_report_that_is_none_of_an_epochs_end_is_refused(self):
        message = r"without trial.batches\(…\) since the last one, and each report counts as an epoch"
        self.attach()
        with self.assertRaisesRegex(RuntimeError, message), captured() as printed:
            self.trial.report(loss=1)  # of the model as it begins
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
            for _ in self.trial.epochs(limit=2):  # those that entered at the report begin with the second one
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

        self.assertEqual(counts, [1, 1, 2, 3, 4, 5, 5, 6, 7, 8])  # of two batches each, the last of which may be long

    def test_mistakes_in_the_loop_are_explained(self):
        with self.assertRaisesRegex(RuntimeError, "attach.* has to come first"):
            self.trial.report(loss=1)
        self.attach()
        with self.assertRaisesRegex(RuntimeError, "attach.* was called twice"):
            self.attach()
        with self.assertRaisesRegex(RuntimeError, r"outside of a batch of trial.batches\(\)"):
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
        self.trial._replica.return_to_noted()  # as when the trial is saved here

        self.assertEqual((scheduler.last_epoch, self.optimizer.param_groups[0]["lr"]), (0, 0.1))

    def test_a_schedule_that_steps_at_an_epochs_start_does_so_once_though_train_is_called_again(self):
        for num_steps in (0, 1):  # those that the call which is left has made
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
                    warnings.simplefilter("ignore")  # torch wants it behind the optimizer's step
                    scheduler.step()
                for (x,) in itertools.islice(self.trial.batches(loader_of()), num_steps):
                    self.backward(x)
                    optimizer.step()
                self.trial._held.return_to_noted()  # as where a peer is lost
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

    def train_in_two_passes(self, count_in):
        """Two steps, each in two passes; a schedule and an average count in some of the passes."""
        self.trial._control.terms.accumulation = 2
        schedulers = torch.optim.lr_scheduler
        chained = schedulers.SequentialLR(self.optimizer, [schedulers.ConstantLR(self.optimizer)], [])
        average = torch.optim.swa_utils.AveragedModel(self.model)
        self.attach(schedule=chained, average=average)
        next(self.trial.epochs())
        stepped, before = [], self.trial.stepped
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for number, (x,) in enumerate(self.trial.batches(loader_of())):
                self.step(x)
                stepped.append(self.trial.stepped)
                if number % 2 in count_in:
                    chained.step()
                    average.update_parameters(self.model)

        self.assertEqual((before, stepped), (True, [False, True] * 2))
        return chained, average

    def test_a_schedule_and_an_average_count_a_step_of_several_passes_once(self):
        for count_in in ([0, 1], [0], [1]):
            with self.subTest(count_in):
                self.setUp()
                chained, average = self.train_in_two_passes(count_in)

                self.assertEqual((chained.last_epoch, average.n_averaged.item()), (2, 2))

    def weights_after(self, passes, make, then):
        """Those of two steps. `make` gives more to attach, with which `then` is called behind each optimizer.step()."""
        self.setUp()
        torch.nn.init.ones_(self.model.weight)
        torch.nn.init.ones_(self.model.bias)
        self.trial._control.terms.accumulation = passes
        more = make()
        self.attach(**more)
        next(self.trial.epochs())
        for (x,) in self.trial.batches(loader_of()):
            self.model(x / 8).square().mean().backward()
            self.optimizer.step()
            then(*more.values())
        return torch.cat([values.flatten() for each in (self.model, *more.values()) for values in each.parameters()])

    def assert_same_in_passes(self, make, then):
        once, twice = (self.weights_after(passes, make, then) for passes in (1, 2))
        torch.testing.assert_close(once, twice)

    def test_a_loop_that_clears_its_gradients_where_it_has_stepped_learns_the_same_in_several_passes(self):
        self.assert_same_in_passes(dict, lambda: self.trial.stepped and self.optimizer.zero_grad())

    def test_an_average_of_weights_by_another_hand_counts_a_step_of_several_passes_once(self):
        class Average(torch.nn.Module):
            def __init__(self, model):
                super().__init__()
                self.module = copy.deepcopy(model)

            def update(self, model):
                for own, other in zip(self.parameters(), model.parameters()):
                    own.data.lerp_(other.data, 0.5)

        def then(average):
            average.update(self.model)
            self.optimizer.zero_grad()

        self.assert_same_in_passes(lambda: {"average": Average(self.model)}, then)

    def test_a_warm_up_counts_a_step_of_several_passes_once_and_none_is_made_without_it(self):
        test = self

        class WarmUp:
            """As those of pytorch_warmup."""

            def __init__(self):
                self.optimizer, self.steps, self.rate = test.optimizer, 0, 0.1
                self.dampen()

            @contextlib.contextmanager
            def dampening(self):
                self.optimizer.param_groups[0]["lr"] = self.rate
                yield
                self.rate = self.optimizer.param_groups[0]["lr"]
                self.dampen()

            def dampen(self):
                self.steps += 1
                self.optimizer.param_groups[0]["lr"] *= self.steps / 4

            def state_dict(self):
                return {"steps": self.steps, "rate": self.rate}

            load_state_dict = None

            def parameters(self):
                return [torch.tensor(float(self.steps))]

        def then(warm_up):
            with warm_up.dampening():
                pass
            self.optimizer.zero_grad()

        self.assert_same_in_passes(lambda: {"warm_up": WarmUp()}, then)

    def test_a_metric_that_is_attached_counts_each_pass(self):
        class Count(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("total", torch.tensor(0))

            def update(self, samples):
                self.total += len(samples)

        self.trial._control.terms.accumulation = 2
        count = Count()
        self.attach(count=count)
        for (x,) in self.trial.batches(loader_of()):
            self.step(x)
            count.update(x)

        self.assertEqual(count.total.item(), 8)

    def test_what_counts_steps_is_copied_and_written_as_before(self):
        chained, average = self.train_in_two_passes([0, 1])
        content = io.BytesIO()
        torch.save(average, content)
        content.seek(0)
        written = torch.load(content, weights_only=False)

        self.assertEqual((type(written), type(copy.deepcopy(average))), (torch.optim.swa_utils.AveragedModel,) * 2)
        self.assertIsInstance(average, torch.optim.swa_utils.AveragedModel)
        self.assertNotIn("step", chained.state_dict())

    def test_an_object_that_calls_the_optimizer_does_so_in_each_pass(self):
        class Both(Stateless):
            def __init__(self, optimizer):
                self.optimizer = optimizer

            def step(self):
                self.optimizer.step()

        self.trial._control.terms.accumulation = 2
        both = Both(self.optimizer)
        self.attach(both=both)
        for (x,) in self.trial.batches(loader_of()):
            self.backward(x)
            both.step()

        self.assertEqual(self.trial._progress.step, 2)

    def test_an_optimizer_that_finds_its_own_rate_keeps_it(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        seen = []
        self.optimizer.step = lambda: seen.append(self.optimizer.param_groups[0]["lr"])
        self.optimizer.param_groups[0]["lr"] = None  # as Adafactor
        self.attach()
        self.train_on(loader_of(4))

        self.assertEqual(seen, [None])

    def test_a_second_optimizer_is_refused(self):
        other = torch.nn.Linear(1, 1)
        with self.assertRaisesRegex(TypeError, "critic_optimizer is a second optimizer.*; give one optimizer all"):
            self.attach(critic=other, critic_optimizer=torch.optim.SGD(other.parameters()))

    def test_a_scaler_of_gradients_is_refused(self):
        class GradScaler(Stateless):  # some torch has one for each kind of device
            def __init__(self, enabled=True):
                self.is_enabled = lambda: enabled

        class Sharded(GradScaler):
            pass

        for scaler in (GradScaler(), Sharded()):
            with self.assertRaisesRegex(TypeError, "scaler is a GradScaler, which leaves out .*; use bfloat16"):
                self.attach(scaler=scaler)
        self.attach(scaler=GradScaler(enabled=False))

    def test_a_scaler_of_gradients_that_is_not_attached_is_no_way_around(self):
        other = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=0.1)
        self.attach()
        next(self.trial.epochs())
        (x,) = next(iter(self.trial.batches(loader_of())))
        scaler = torch.amp.GradScaler("cpu")
        scaler.scale(self.model(x).sum()).backward()

        with self.assertRaisesRegex(TypeError, "what steps the optimizer is a GradScaler, .*; use bfloat16"):
            scaler.step(self.optimizer)
        scaler.scale(other.param_groups[0]["params"][0].sum()).backward()
        scaler.step(other)
        torch.amp.GradScaler("cpu", enabled=False).step(self.optimizer)

    def test_a_second_optimizer_that_is_not_attached_is_refused_once_it_learns_from_two_batches(self):
        critic = torch.nn.Linear(1, 1)
        optimizer = torch.optim.Adam(critic.parameters())
        self.attach()
        next(self.trial.epochs())
        optimizer.step()  # before the loop, as for a start that is the same on each worker
        with self.assertRaisesRegex(RuntimeError, "that is not attached, Adam, steps in the loop too;.*one optimizer"):
            for (x,) in self.trial.batches(loader_of(12)):
                critic(x).sum().backward()
                optimizer.step()
                self.step(x)

        self.assertEqual(self.trial._progress.step, 1)
        self.begin()  # the loop was left, and what another trial does before its own is no part of it
        optimizer.step()

    def test_optimizers_that_learn_nothing_of_their_own_are_taken(self):
        class Wrapper(torch.optim.Optimizer):
            """It steps another, which it holds."""

            def __init__(self, held):
                super().__init__(held.param_groups, {})
                self.held = held

            def step(self, closure=None):
                self.held.step()

        for attached, stepped in (("held", "wrapper"), ("wrapper", "wrapper")):
            with self.subTest(attached):
                self.setUp()
                optimizers = {"held": self.optimizer, "wrapper": Wrapper(self.optimizer)}
                self.trial.attach(model=self.model, optimizer=optimizers[attached])
                for (x,) in self.trial.batches(loader_of(12)):
                    disturbance = torch.zeros_like(x, requires_grad=True)
                    search = torch.optim.SGD([disturbance], lr=0.1)
                    for _ in range(2):
                        (x + disturbance).sum().backward()
                        search.step()
                    self.backward(x + disturbance.detach())
                    optimizers[stepped].step()

                self.assertEqual(self.trial._progress.step, 3)

    def test_a_state_that_no_other_worker_could_read_is_refused(self):
        class Best(Stateless):
            def state_dict(self):
                return {"seen": [1, numpy.zeros(2)]}

        with self.assertRaisesRegex(TypeError, r"best\['seen'\]\[1\] is a numpy.ndarray, which .* not read.*; have"):
            self.attach(best=Best())

    def test_what_could_not_go_to_other_workers_is_refused_at_once(self):
        self.model.register_buffer("apart", torch.zeros(1).expand(3), persistent=False)
        self.model.register_buffer("one", torch.zeros(3).expand(1, 3))
        self.attach()
        for name, buffer, message in (
            ("adjacency", torch.eye(3).to_sparse(), r"^model\['adjacency'\] is a tensor of the layout sparse_coo"),
            ("mask", torch.zeros(1).expand(3), r"^the buffer model.mask is expanded.*contiguous\(\)"),
        ):
            self.setUp()
            self.model.register_buffer(name, buffer)
            with self.subTest(name), self.assertRaisesRegex(TypeError, message):
                self.attach()
        self.setUp()
        self.model = torch.nn.Embedding(3, 1, sparse=True)
        self.optimizer = torch.optim.SparseAdam(self.model.parameters())
        with self.assertRaisesRegex(TypeError, "SparseAdam takes sparse gradients alone.*use torch.optim.Adam"):
            self.attach()

    def test_a_lazy_module_is_to_see_a_batch_first(self):
        self.model = torch.nn.Sequential(torch.nn.LazyLinear(2), torch.nn.LazyBatchNorm1d())
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        with self.assertRaisesRegex(RuntimeError, r"^model.0.weight has no shape yet.*one batch through the model"):
            self.attach()
        self.model(torch.zeros(2, 1))
        self.attach()

    def test_a_batch_norm_over_all_workers_is_refused(self):
        layers = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
        for more, place in (({"head": layers}, "head.1"), ({"head": layers[1]}, "head")):
            converted = {name: torch.nn.SyncBatchNorm.convert_sync_batchnorm(part) for name, part in more.items()}
            with self.subTest(place), self.assertRaisesRegex(TypeError, f"^{place} is a SyncBatchNorm, .*GroupNorm"):
                self.attach(**converted)
        self.attach(head=torch.nn.BatchNorm1d(1))

    def test_a_checkpoint_within_backward_is_told_from_a_second_one(self):
        self.attach()
        for reentrant in (False, True):
            (x,) = next(iter(self.trial.batches(loader_of())))
            self.trial._read_epoch = None
            hidden = torch.utils.checkpoint.checkpoint(self.model, x.requires_grad_(), use_reentrant=reentrant)
            output = torch.utils.checkpoint.checkpoint(self.model, hidden, use_reentrant=reentrant)
            if reentrant:
                with self.assertRaisesRegex(RuntimeError, "torch.utils.checkpoint needs use_reentrant=False"):
                    output.sum().backward()
            else:
                output.sum().backward()

    def test_each_batch_of_a_share_is_a_sign_of_life(self):
        self.attach()
        with mock.patch.object(alone.Alone, "note_move") as note_move:
            list(self.trial.share(loader_of(8)))

        self.assertEqual(note_move.call_count, 2)

    def test_a_parameter_that_nothing_attached_holds_is_refused(self):
        class Scale:
            def __init__(self):
                self.log = torch.nn.Parameter(torch.zeros(3))

            def state_dict(self):
                return {"log": self.log.detach()}

            def load_state_dict(self, state):
                self.log.data.copy_(state["log"])

        scale = Scale()
        self.optimizer.add_param_group({"params": [scale.log]})
        with self.assertRaisesRegex(RuntimeError, r"a parameter of the shape \[3\] that no attached object holds"):
            self.attach()
        self.attach(scale=scale)

    def train(self, number, rates=(0.1,), begin=lambda model: None):
        """The model, of whose parts each has its rate."""
        self.begin(number)
        begin(self.model)
        parts = zip(self.model, rates)
        self.optimizer = torch.optim.SGD([{"params": part.parameters(), "lr": rate} for part, rate in parts])
        self.attach()
        self.train_on(loader_of())

    def test_weights_of_one_trial_are_refused_in_the_next(self):
        self.model = torch.nn.Sequential(torch.nn.Linear(1, 1))
        self.train(3)
        self.train(3)  # a trial that continues
        for value in (0.1, torch.nan):
            self.model[0].weight.data.fill_(value)
            with self.assertRaisesRegex(RuntimeError, r"trial 3 has trained .*shape \[1, 1\].*deepcopy"):
                self.train(4)

    def test_a_model_that_each_trial_begins_anew_is_its_own(self):
        self.model = torch.nn.Sequential(torch.nn.Linear(1, 1))
        state = {name: values.clone() for name, values in self.model.state_dict().items()}
        for number, begin in enumerate(
            (
                lambda model: model.load_state_dict(state),
                lambda model: model.load_state_dict(state),
                lambda model: model[0].reset_parameters(),
                lambda model: [parameter.data.normal_() for parameter in model.parameters()],
            )
        ):
            self.train(number, begin=begin)

    def test_a_frozen_part_serves_all_trials(self):
        frozen = torch.nn.Linear(1, 1)
        for number in range(3):
            self.model = torch.nn.Sequential(frozen, torch.nn.Linear(1, 1))
            self.train(number, rates=(0.0, 0.1))
            frozen.requires_grad_(False)

    def test_a_model_that_was_left_in_a_step_goes_on_in_the_next_call_of_train(self):
        self.attach()
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        for _ in range(2):
            self.begin()
            self.attach(scheduler=scheduler)
            (x,) = next(iter(self.trial.batches(loader_of())))
            self.backward(x)
        self.optimizer.step()

        self.assertEqual(self.trial._progress.step, 1)

    def test_an_optimizer_with_the_momentum_of_another_trial_is_refused(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.attach()
        self.train_on(loader_of())
        self.begin(number=1)
        self.model.reset_parameters()
        with self.assertRaisesRegex(RuntimeError, "the state that trial 0 left in it"):
            self.attach()

    def test_a_parameter_that_is_thawed_after_attach_is_refused(self):
        self.model.weight.requires_grad_(False)
        self.attach()
        self.model.weight.requires_grad_(True)
        (x,) = next(iter(self.trial.batches(loader_of())))
        self.backward(x)

        with self.assertRaisesRegex(RuntimeError, r"the shape \[1, 1\] has a gradient, and had none to expect"):
            self.optimizer.step()

    def test_a_scheduler_that_steps_after_the_report_is_refused(self):
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        self.attach(scheduler=scheduler)
        with captured(), self.assertRaisesRegex(RuntimeError, "last line of the loop"):
            for _ in self.trial.epochs():
                for (x,) in self.trial.batches(loader_of()):
                    self.backward(x)
                    self.optimizer.step()
                self.trial.report(loss=1)
                scheduler.step()

    def test_another_schedule_that_moves_after_the_report_is_refused(self):
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer)
        self.attach(plateau=scheduler)
        with captured():
            with self.assertRaisesRegex(RuntimeError, r"^plateau.step\(\) came after trial.report\(\)"):
                for _ in self.trial.epochs():
                    self.train_on(loader_of())
                    self.trial.report(loss=1)
                    scheduler.step(1)

    def test_a_scheduler_that_is_not_attached_is_refused(self):
        for is_early in (True, False):
            with self.subTest(is_early=is_early):
                self.setUp()
                if is_early:
                    torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
                self.attach()
                if not is_early:
                    torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
                with self.assertRaisesRegex(RuntimeError, "a scheduler that is not attached.*make it before"):
                    self.trial.batches(loader_of())

    def test_a_schedule_by_the_metric_and_an_average_of_weights_that_are_not_attached_are_refused(self):
        plateau_of, average_of = torch.optim.lr_scheduler.ReduceLROnPlateau, torch.optim.swa_utils.AveragedModel
        for more, message in (
            ([], "the optimizer has a scheduler that is not attached.*attach it: .*scheduler=…"),
            (["plateau"], "the model has an AveragedModel that is not attached.*attach it: .*average=…"),
        ):
            self.setUp()
            objects = {"plateau": plateau_of(self.optimizer), "average": average_of(self.model)}
            attached = {name: objects[name] for name in more}
            self.attach(**attached)
            with self.subTest(message), self.assertRaisesRegex(RuntimeError, message):
                objects["plateau"].step(1)
                objects["average"].update_parameters(self.model)

    def test_a_schedule_by_the_metric_and_averages_of_weights_may_be_held_by_what_is_attached(self):
        class Holder:
            def __init__(self, *held):
                self.held = held

            def state_dict(self):
                return {str(place): each.state_dict() for place, each in enumerate(self.held)}

            load_state_dict = None

        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer)
        average = torch.optim.swa_utils.AveragedModel(self.model)
        self.attach(holder=Holder(plateau, average))
        other = torch.nn.Linear(1, 1)  # nothing of it is attached, so the program sees to it
        torch.optim.swa_utils.AveragedModel(other).update_parameters(other)
        torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(other.parameters(), lr=0.1)).step(1)
        for _ in range(2):
            plateau.step(metrics=1)
            average.update_parameters(model=self.model)

        self.assertEqual(average.n_averaged.item(), 2)

    def test_a_scheduler_is_attached_under_any_name_and_within_others(self):
        schedulers = torch.optim.lr_scheduler

        class Wrapper:
            def __init__(self, scheduler):
                self.scheduler = scheduler

            def state_dict(self):
                return self.scheduler.state_dict()

            def load_state_dict(self, state):
                self.scheduler.load_state_dict(state)

        def halves(optimizer):
            return [schedulers.ConstantLR(optimizer, 0.5), schedulers.ExponentialLR(optimizer, 0.5)]

        for make in (
            lambda optimizer: schedulers.LambdaLR(optimizer, lambda epoch: 1.0),
            lambda optimizer: schedulers.SequentialLR(optimizer, halves(optimizer), [2]),
            lambda optimizer: schedulers.ChainedScheduler(halves(optimizer)),
            lambda optimizer: Wrapper(halves(optimizer)[0]),
            lambda optimizer: Wrapper(schedulers.SequentialLR(optimizer, halves(optimizer), [2])),
            lambda optimizer: torch.optim.swa_utils.SWALR(optimizer, 0.05),
        ):
            self.setUp()
            self.attach(schedule=make(self.optimizer))
            self.assertEqual(len(self.trial.batches(loader_of())), 2)

    def test_schedulers_of_before_and_after_work_without_a_warning(self):
        early = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        self.attach(scheduler=early)
        late = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        next(self.trial.epochs())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for (x,) in self.trial.batches(loader_of()):
                self.backward(x)
                self.optimizer.step()
            early.step()
            late.step()

        self.assertEqual(self.optimizer.param_groups[0]["lr"], 0.025)

    def test_loaders_that_cannot_be_shared_are_refused(self):
        class Endless(IterableDataset):
            def __iter__(self):
                return iter([1])

        class Doubled(DataLoader):
            def __iter__(self):
                return ([2 * x] for (x,) in super().__iter__())

        class Buffered(DataLoader):
            def _get_iterator(self):
                return iter(list(super()._get_iterator()))

        class Named(DataLoader):
            name = "training"

        self.attach()
        data = TensorDataset(torch.zeros(4))
        self.assertEqual(len(self.trial.share(Named(data))), 4)
        stateful = type("StatefulDataLoader", (Buffered,), {"__module__": "torchdata.stateful_dataloader"})
        self.assertEqual(len(self.trial.share(stateful(data))), 4)
        for loader, message in (
            (Doubled(data), "Doubled is a DataLoader with an __iter__ of its own.*collate_fn"),
            (Buffered(data), "Buffered is a DataLoader with an __iter__ of its own"),
            ([1, 2], "is a list, where .* take a torch.utils.data.DataLoader"),
            (DataLoader(Endless()), "IterableDataset"),
            (DataLoader(data, batch_size=None), "no batch_size"),
            (DataLoader(data, sampler=WeightedRandomSampler([1.0] * 4, 4)), "draw at the start of each.*multinomial"),
            (DataLoader(data, sampler=SubsetRandomSampler([0, 1])), "SubsetRandomSampler.*Subset.dataset, indices"),
            (DataLoader(data, sampler=RandomSampler(data, num_samples=2)), "sampler RandomSampler"),
            (DataLoader(data, sampler=RandomSampler(data, replacement=True)), "sampler RandomSampler"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                self.trial.batches(loader)

    def test_what_has_no_state_is_not_attached(self):
        with self.assertRaisesRegex(TypeError, "best is a int, without state_dict"):
            self.attach(best=3)
        with self.assertRaisesRegex(ValueError, "lr_scaling is 'cubic'"):
            self.attach(lr_scaling="cubic")

    def rates_of(self, epochs, samples=8):
        """Those of the steps of epochs of which each has a multiple and a batch size of the loader."""
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
        self.assertEqual(self.optimizer.param_groups[0]["lr"], 0.1)  # the program's own schedule goes by this

    def test_a_batch_size_that_the_program_changes_leaves_its_learning_rate_alone(self):
        # Of 8 samples a step of more has 8: the program's own of 16 has no more of them either.
        self.assertEqual(self.rates_of([(1, 4), (1, 8), (2, 4), (1, 16), (4, 4)]), [0.1] * 3 + [0.2, 0.1, 0.2])

    def test_a_checkpoint_that_has_batches_in_samples_continues_at_its_rate(self):
        rate = learning_rate.RateState(first_batch=4, batch=8, changed_at=1.0)  # of a version that had no more
        scaled = learning_rate.LearningRate("linear", 1.0, rate)
        scaled.set_batch(8, own=4, epoch=1.5)
        self.assertEqual([scaled.factor(epoch) for epoch in (1.5, 2)], [1.5, 2.0])
        scaled.set_batch(16, own=4, epoch=2)

        self.assertEqual([scaled.factor(epoch) for epoch in (2, 3)], [2.0, 4.0])


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
        with self.assertRaisesRegex(TypeError, "test returned None; it has to return numbers by name"):
            self.run_by_hand(self.train, test=lambda trial: None)

    def test_a_program_that_reads_its_arguments_itself_has_them_by_hand_too(self):
        found = []
        self.run_by_hand(lambda trial: found.extend(sys.argv), parser=None)

        self.assertEqual(found, ["train.py", "--lr=0.5"])

    def test_what_attaches_nothing_is_not_tested(self):
        self.assertEqual(self.run_by_hand(lambda trial: None, test=lambda trial: {"test_loss": 0.25}), "")


class DocumentationTest(unittest.TestCase):
    def test_the_examples_in_the_documentation_of_the_code_hold(self):
        for module in (error_words, learning_rate, samples, settings, step_clock):
            self.assertEqual(doctest.testmod(module, verbose=False).failed, 0)


del Alone

if __name__ == "__main__":
    unittest.main()
