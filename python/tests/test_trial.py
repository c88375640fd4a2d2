"""The parts of a growing program, in this process and without a group."""

import argparse
import contextlib
import doctest
import io
import itertools
import json
import os
import random
import resource
import signal
import socket
import subprocess
import tempfile
import unittest
import warnings
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from unittest import mock

import numpy
import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, TensorDataset, WeightedRandomSampler

from crescendo.protocol import Channel
from crescendo.torch import (
    _pass_over_warnings,
    error_words,
    gradients,
    learning_rate,
    samples,
    session,
    settings,
    state,
    step_clock,
)
from crescendo.torch.group import Group
from crescendo.torch.trial import Trial

CPU = torch.device("cpu")


def loader_of(count=8, **options):
    return DataLoader(TensorDataset(torch.arange(float(count)).reshape(-1, 1)), **{"batch_size": 4, **options})


class Alone(unittest.TestCase):
    """A trial outside a sweep."""

    def setUp(self):
        self.model = torch.nn.Linear(1, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.trial = Trial(session.Alone(CPU), argparse.Namespace(), device=CPU, number=0, seed=1, directory=None)

    def attach(self):
        self.trial.attach(model=self.model, optimizer=self.optimizer)

    def backward(self, x):
        self.model(x).sum().backward()


class TrialTest(Alone):
    def test_outside_a_sweep_the_program_just_trains(self):
        self.attach()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for _ in self.trial.epochs(limit=2):
                for (x,) in self.trial.batches(loader_of()):
                    self.optimizer.zero_grad()
                    self.backward(x)
                    self.optimizer.step()
                self.trial.report(loss=1, accuracy=torch.tensor(0.5))

        self.assertEqual(printed.getvalue(), "epoch 1: loss 1.0, accuracy 0.5\nepoch 2: loss 1.0, accuracy 0.5\n")

    def test_a_group_of_one_learns_what_plain_pytorch_learns(self):
        twin = torch.nn.Linear(1, 1)
        twin.load_state_dict(self.model.state_dict())
        optimizer = torch.optim.SGD(twin.parameters(), lr=0.1)
        self.attach()
        next(self.trial.epochs())
        for (x,) in self.trial.batches(loader_of(6)):  # the last batch is short
            for each, model in ((self.optimizer, self.model), (optimizer, twin)):
                each.zero_grad()
                model(x).square().mean().backward()
                each.step()

        self.assertTrue(torch.equal(self.model.weight, twin.weight))

    def test_batches_have_the_length_and_the_data_of_a_loader(self):
        self.attach()
        loader = loader_of(10)
        batches = self.trial.batches(loader)

        self.assertEqual((len(batches), batches.dataset, batches.batch_size), (3, loader.dataset, 4))
        self.assertEqual(len(self.trial.share(loader)), 3)

    def test_a_share_that_is_read_again_is_not_taken_for_an_empty_one(self):
        self.attach()
        share = self.trial.share(loader_of(10))

        self.assertEqual(sum(len(x) for (x,) in share), 10)
        with self.assertRaisesRegex(RuntimeError, "were read already.* anew in each epoch"):
            list(share)

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
        with self.assertRaisesRegex(RuntimeError, r"without optimizer.step\(\)"):
            next(batches)
        with self.assertRaisesRegex(RuntimeError, "called twice in one epoch"):
            self.trial.batches(loader_of())
        with self.assertRaisesRegex(RuntimeError, "without trial.report"):
            list(self.trial.epochs())

    def step(self, x):
        self.optimizer.zero_grad()
        self.backward(x)
        self.optimizer.step()

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
        with mock.patch.object(session.Alone, "end_steps") as end_steps, contextlib.redirect_stdout(io.StringIO()):
            for _ in self.trial.epochs(limit=2):
                batches = self.trial.batches(loader_of(12))
                for (x,) in itertools.islice(batches, len(batches)):
                    self.step(x)
                self.trial.report(loss=1)

        self.assertEqual(end_steps.call_count, 2)

    def test_a_loop_that_counts_its_batches_steps_its_schedule_once_though_it_runs_again(self):
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        self.trial.attach(model=self.model, optimizer=self.optimizer, scheduler=scheduler)
        next(self.trial.epochs())
        batches = self.trial.batches(loader_of())
        for (x,) in itertools.islice(batches, len(batches)):
            self.step(x)
        scheduler.step()
        self.trial._replica.return_to_end_of_steps()  # as when the trial is saved here

        self.assertEqual((scheduler.last_epoch, self.optimizer.param_groups[0]["lr"]), (0, 0.1))

    def test_a_checkpoint_between_steps_has_the_schedule_of_its_step(self):
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        self.trial.attach(model=self.model, optimizer=self.optimizer, scheduler=scheduler)
        seen = []

        def save_if_due(control, replica):
            seen.append((replica.progress.step, scheduler.last_epoch))

        with mock.patch.object(session.Alone, "save_if_due", save_if_due):
            for (x,) in self.trial.batches(loader_of(12)):
                self.step(x)
                scheduler.step()

        self.assertEqual(seen, [(0, 0), (1, 1), (2, 2)])

    def test_an_optimizer_that_finds_its_own_rate_keeps_it(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        seen = []
        self.optimizer.step = lambda: seen.append(self.optimizer.param_groups[0]["lr"])
        self.optimizer.param_groups[0]["lr"] = None  # as Adafactor
        self.attach()
        for (x,) in self.trial.batches(loader_of(4)):
            self.step(x)

        self.assertEqual(seen, [None])

    def test_a_second_optimizer_is_refused(self):
        other = torch.nn.Linear(1, 1)
        with self.assertRaisesRegex(TypeError, "critic_optimizer is a second optimizer.*; give one optimizer all"):
            self.trial.attach(
                model=self.model,
                optimizer=self.optimizer,
                critic=other,
                critic_optimizer=torch.optim.SGD(other.parameters()),
            )

    def test_a_state_that_no_other_worker_could_read_is_refused(self):
        class Best:
            def state_dict(self):
                return {"seen": [1, numpy.zeros(2)]}

            def load_state_dict(self, state):
                pass

        with self.assertRaisesRegex(TypeError, r"best\['seen'\]\[1\] is a numpy.ndarray, which .* not read.*; have"):
            self.trial.attach(model=self.model, optimizer=self.optimizer, best=Best())

    def test_each_batch_of_a_share_is_a_sign_of_life(self):
        self.attach()
        with mock.patch.object(session.Alone, "note_move") as note_move:
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
        self.trial.attach(model=self.model, optimizer=self.optimizer, scale=scale)

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
        self.trial.attach(model=self.model, optimizer=self.optimizer, scheduler=scheduler)
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaisesRegex(RuntimeError, "last line of the loop"):
            for _ in self.trial.epochs():
                for (x,) in self.trial.batches(loader_of()):
                    self.backward(x)
                    self.optimizer.step()
                self.trial.report(loss=1)
                scheduler.step()

    def test_schedulers_of_before_and_after_work_without_a_warning(self):
        early = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        self.attach()
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

        self.attach()
        data = TensorDataset(torch.zeros(4))
        for loader, message in (
            ([1, 2], "it takes a torch.utils.data.DataLoader"),
            (DataLoader(Endless()), "IterableDataset"),
            (DataLoader(data, batch_size=None), "no batch_size"),
            (DataLoader(data, sampler=WeightedRandomSampler([1.0] * 4, 4)), "WeightedRandomSampler"),
            (DataLoader(data, sampler=RandomSampler(data, num_samples=2)), "sampler RandomSampler"),
            (DataLoader(data, sampler=RandomSampler(data, replacement=True)), "sampler RandomSampler"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                self.trial.batches(loader)

    def test_what_has_no_state_is_not_attached(self):
        with self.assertRaisesRegex(TypeError, "best is a int, without state_dict"):
            self.trial.attach(model=self.model, optimizer=self.optimizer, best=3)
        with self.assertRaisesRegex(ValueError, "lr_scaling is 'cubic'"):
            self.trial.attach(model=self.model, optimizer=self.optimizer, lr_scaling="cubic")

    def test_the_learning_rate_follows_a_batch_that_grows(self):
        self.trial.attach(model=self.model, optimizer=self.optimizer, rescale_warm_up=0.0)
        seen = []
        self.optimizer.register_step_pre_hook(lambda optimizer, *_: seen.append(optimizer.param_groups[0]["lr"]))
        for multiple in (1, 2):
            self.trial._control.terms.batch_multiple = multiple
            next(self.trial.epochs())
            for (x,) in self.trial.batches(loader_of(8)):
                self.backward(x)
                self.optimizer.step()
            with contextlib.redirect_stdout(io.StringIO()):
                self.trial.report(loss=1)

        self.assertEqual(seen, [0.1, 0.1, 0.2])
        self.assertEqual(self.optimizer.param_groups[0]["lr"], 0.1)  # the program's own schedule goes by this


class GradientsTest(unittest.TestCase):
    def test_micro_batches_add_up_to_the_gradient_of_their_mean(self):
        weight = torch.nn.Parameter(torch.zeros(1))
        unused = torch.nn.Parameter(torch.zeros(1))
        average = gradients.GradientAverage([weight, unused], lambda call: call())
        for index, (x, share) in enumerate(((torch.tensor([1.0, 2.0]), 2 / 3), (torch.tensor([6.0]), 1 / 3))):
            weight.grad = None
            average.expect(Group(CPU), index, 2, share)
            (weight * x).mean().backward()

        self.assertAlmostEqual(weight.grad.item(), 3.0, places=6)  # (1 + 2 + 6) / 3
        self.assertIsNone(unused.grad)  # as without a group: weight decay does not touch it

    def test_buckets_hold_one_type_each_and_cover_all(self):
        parameters = [torch.nn.Parameter(torch.zeros(300_000, dtype=kind)) for kind in (torch.float, torch.double) * 3]
        buckets = gradients._layout(parameters)

        self.assertEqual(sum(len(bucket) for bucket in buckets), 6)
        self.assertTrue(all(len({p.dtype for p in bucket}) == 1 for bucket in buckets))


class SamplesTest(unittest.TestCase):
    def test_any_group_sees_every_sample_once_and_steps_alike(self):
        order = list(range(100))
        for size in (1, 2, 3, 4, 7):
            for position in (0, 37, 99):
                workers = [
                    list(samples.plan(order, position=position, batch=24, rank=rank, size=size, most=4))
                    for rank in range(size)
                ]
                counted = Counter(n for each in workers for part in each if part.weight for n in part.samples)
                ends = [[part.end for part in each if part.index == part.count - 1] for each in workers]

                self.assertEqual(counted, Counter(order[position:]))
                self.assertTrue(all(each == ends[0] for each in ends))
                self.assertLessEqual(max(len(part.samples) for each in workers for part in each), 4)
                for end in ends[0]:
                    weights = sum(part.weight for each in workers for part in each if part.end == end)
                    self.assertAlmostEqual(weights, 1.0)

    def test_nobody_learns_from_one_sample_of_a_short_step_that_has_two(self):
        order = list(range(66))
        for size in (2, 4):
            workers = [samples.plan(order, position=0, batch=32, rank=rank, size=size, most=32) for rank in range(size)]
            last = [list(each)[-1] for each in workers]

            self.assertEqual([len(part.samples) for part in last], [2] * size)
            self.assertEqual([part.weight for part in last], [1.0] + [0.0] * (size - 1))

    def test_the_order_follows_from_seed_and_epoch(self):
        shuffled = loader_of(50, shuffle=True)
        self.assertEqual(samples.order_of(shuffled, 1, 2), samples.order_of(shuffled, 1, 2))
        self.assertNotEqual(samples.order_of(shuffled, 1, 2), samples.order_of(shuffled, 1, 3))
        self.assertEqual(samples.order_of(loader_of(4), 1, 2), [0, 1, 2, 3])

    def test_a_last_incomplete_step_is_left_out_where_the_loader_says_so(self):
        plan = samples.plan(list(range(10)), position=0, batch=4, rank=0, size=1, most=4, drop_last=True)
        self.assertEqual([part.end for part in plan], [4, 8])


class Wire(Group):
    """Rank 0 of two writes down what it sends, and rank 1 reads it."""

    def __init__(self, rank, sent):
        super().__init__(CPU, rank, 2)
        self.sent = sent

    def broadcast(self, values):
        if self.rank == 0:
            self.sent.append(values.clone())
        else:
            values.copy_(self.sent.pop(0))


class StateTest(unittest.TestCase):
    def replica(self, seed):
        torch.manual_seed(seed)
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1 * seed)
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4])
        for _ in range(seed):
            model(torch.randn(4, 3)).sum().backward()
            optimizer.step()
            scheduler.step()
        replica = state.Replica(0, {"model": model, "optimizer": optimizer, "scheduler": scheduler})
        replica.progress.step = seed
        return replica

    def assert_same(self, one, other):
        captured = [json.dumps(each.capture(), default=lambda value: value.tolist()) for each in (one, other)]
        self.assertEqual(captured[0], captured[1])

    def test_a_newcomer_gets_the_whole_state(self):
        source, newcomer, sent = self.replica(seed=3), self.replica(seed=1), []
        state.share(source, Wire(0, sent))
        state.share(newcomer, Wire(1, sent))

        self.assertEqual(sent, [])
        self.assert_same(source, newcomer)

    def test_a_checkpoint_holds_the_whole_state(self):
        source, resumed = self.replica(seed=3), self.replica(seed=1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            state.save_checkpoint(source, path)
            resumed.restore(state.read_checkpoint(path, CPU))
            self.assertEqual([each.name for each in Path(folder).iterdir()], ["checkpoint.pt"])
        self.assert_same(source, resumed)

    def test_numbers_of_numpy_in_a_schedule_reach_newcomers_and_checkpoints(self):
        def replica(seed):
            made = self.replica(seed)
            optimizer = made.objects["optimizer"]
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: numpy.cos(0.1 * epoch))
            made.objects["scheduler"] = scheduler
            scheduler.step()
            return made

        source, newcomer, resumed, sent = replica(seed=3), replica(seed=1), replica(seed=2), []
        state.share(source, Wire(0, sent))
        state.share(newcomer, Wire(1, sent))
        with tempfile.TemporaryDirectory() as folder:
            state.save_checkpoint(source, Path(folder, "checkpoint.pt"))
            resumed.restore(state.read_checkpoint(Path(folder, "checkpoint.pt"), CPU))

        self.assertIsInstance(source.objects["optimizer"].param_groups[0]["lr"], numpy.float64)
        self.assert_same(source, newcomer)
        self.assert_same(source, resumed)

    def test_a_state_that_became_unreadable_is_refused_where_it_is_saved(self):
        source = self.replica(seed=1)
        source.objects["scheduler"].best = {3: numpy.ones(1)}
        message = r"scheduler\['best'\]\[3\] is a numpy.ndarray"
        with self.assertRaisesRegex(TypeError, message):
            state.share(source, Wire(0, []))
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(TypeError, message):
                state.save_checkpoint(source, Path(folder, "checkpoint.pt"))
            self.assertEqual(os.listdir(folder), [])

    def test_what_a_checkpoint_has_of_the_cpu_stays_there(self):
        source = self.replica(seed=1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            state.save_checkpoint(source, path)
            read = state.read_checkpoint(path, torch.device("meta"))  # stands for a GPU

        self.assertEqual(read["optimizer"]["state"][0]["step"].device, CPU)

    def test_weights_that_an_optimizer_moved_behind_the_steps_are_not_taken_for_those_it_steps_from(self):
        class ScheduleFree(torch.optim.SGD):
            def __init__(self, parameters):
                super().__init__(parameters, lr=0.1)
                self.param_groups[0]["train_mode"] = True

            @torch.no_grad()
            def eval(self):
                self.param_groups[0]["train_mode"] = False
                self.param_groups[0]["params"][0].add_(1.0)

        model = torch.nn.Linear(1, 1)
        optimizer = ScheduleFree(model.parameters())
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        replica = state.Replica(0, {"model": model, "optimizer": optimizer, "scheduler": scheduler})
        model(torch.ones(1, 1)).sum().backward()
        optimizer.step()
        replica.note_end_of_steps()
        scheduler.step()
        optimizer.eval()
        moved = model.weight.item()
        replica.return_to_end_of_steps()

        (group,) = optimizer.param_groups
        self.assertEqual((model.weight.item(), group["train_mode"]), (moved, False))
        self.assertEqual((scheduler.last_epoch, group["lr"]), (0, 0.1))

    def test_a_checkpoint_that_cannot_be_written_leaves_the_former_one(self):
        source = self.replica(seed=1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            path.write_text("the former")
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
            try:
                with self.assertRaisesRegex(state.SaveError, "cannot write .*checkpoint.pt: File too large") as caught:
                    state.save_checkpoint(source, path)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            self.assertTrue(caught.exception.is_full)
            self.assertEqual([(each.name, each.read_text()) for each in Path(folder).iterdir()],
                             [("checkpoint.pt", "the former")])

    def test_a_writer_that_stood_still_does_not_write_into_the_checkpoint_of_its_successor(self):
        for standing in ("checkpoint.pt.tmp", "checkpoint.pt.tmp.node-1.17"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "checkpoint.pt")
                with open(Path(folder, standing), "wb") as file:
                    state.save_checkpoint(self.replica(seed=1), path)
                    saved = path.read_bytes()
                    file.write(b"of the former rank 0")

                self.assertEqual(path.read_bytes(), saved)
                self.assertEqual([each.name for each in Path(folder).iterdir()], ["checkpoint.pt"])

    def test_a_trial_of_an_earlier_version_goes_on_without_a_clock(self):
        progress = self.replica(seed=1).progress
        former = {name: value for name, value in asdict(progress).items() if name != "clock"}
        resumed = state.Progress.parse(json.dumps(former))
        resumed.count(seconds=1)

        self.assertIsNone(resumed.clock)

    def test_a_trial_that_attaches_something_else_than_before_is_refused(self):
        source = self.replica(seed=1)
        more = state.Replica(0, {**source.objects, "ema": source.objects["model"]})
        with self.assertRaisesRegex(RuntimeError, "no ema: an earlier start .* attached model, optimizer, scheduler"):
            more.restore(source.capture())


class SettingsTest(unittest.TestCase):
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--no-cuda", action="store_true")
    parser.add_argument("--mixed", action=argparse.BooleanOptionalAction)
    parser.add_argument("--data.test")
    parser.add_argument("--layers", type=int, nargs="*")
    parser.add_argument("--kind", choices=["a", "b"])

    def test_settings_become_arguments(self):
        given = {"lr": 1e-3, "batch-size": 8, "no-cuda": True, "mixed": False, "data": {"test": "t"}, "layers": [1, 2]}
        args = vars(settings.parse(self.parser, given))

        self.assertEqual((args["lr"], args["batch_size"], args["no_cuda"], args["mixed"]), (1e-3, 8, True, False))
        self.assertEqual((args["data.test"], args["layers"], args["kind"]), ("t", [1, 2], None))

    def test_an_option_of_several_words_takes_none_of_a_positional_argument(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("data")
        parser.add_argument("shift", type=int)
        parser.add_argument("--layers", type=int, nargs="+")
        args = settings.parse(parser, {"shift": -1, "layers": [64, 32]}, ["set.h5"])

        self.assertEqual((args.data, args.shift, args.layers), ("set.h5", -1, [64, 32]))

    def test_a_flag_gives_its_destination_the_value_that_is_asked_for(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-augment", dest="augment", action="store_false")
        parser.add_argument("--half", dest="precision", action="store_const", const="fp16", default="fp32")

        self.assertEqual([settings.parse(parser, {"augment": each}).augment for each in (True, False)], [True, False])
        for precision in ("fp16", "fp32"):
            self.assertEqual(settings.parse(parser, {"precision": precision}).precision, precision)
        (problem,) = settings.check(parser, {"settings": {"precision": "bf16"}})
        self.assertIn("it is a flag", problem["message"])

    def test_a_boolean_that_the_parser_turns_into_the_other_one_is_refused(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--nesterov", type=bool)
        parser.add_argument("--amsgrad", action="store_true", default=True)

        self.assertTrue(settings.parse(parser, {"nesterov": True, "amsgrad": True}).nesterov)
        for value in (False, 0, 0.0, "off"):  # bool("False") is True
            with self.assertRaisesRegex(settings.SettingsError, "makes True of it, as type=bool does.*'store_true'"):
                settings.parse(parser, {"nesterov": value})
        (problem,) = settings.check(parser, {"settings": {}, "parameters": {"nesterov": [True, False]}})
        self.assertEqual(problem["key"], "parameters.nesterov")
        with self.assertRaisesRegex(settings.SettingsError, "would train with True, .*BooleanOptionalAction"):
            settings.parse(parser, {"amsgrad": False})

    def test_booleans_are_kept_by_types_that_read_them_and_by_flags_that_say_the_opposite(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--nesterov", type=lambda text: text == "True")
        parser.add_argument("--no-cuda", dest="cuda", action="store_false")
        parser.add_argument("--mixed", action=argparse.BooleanOptionalAction, default=True)
        request = {name: [True, False] for name in ("nesterov", "no-cuda", "no-mixed")}

        self.assertEqual(settings.check(parser, {"settings": {}, "parameters": request}), [])

    def test_null_is_none_and_not_the_default(self):
        args = settings.parse(self.parser, {"lr": 0.1, "batch_size": None})

        self.assertIsNone(args.batch_size)
        self.assertEqual(settings.parse(self.parser, {"lr": 0.1}).batch_size, 64)

    def test_a_whole_number_of_a_range_of_numbers_is_one_for_an_argument_that_takes_whole_ones(self):
        args = settings.parse(self.parser, {"lr": 1.0, "batch-size": 256.0, "layers": [4.0]})

        self.assertEqual((args.lr, args.batch_size, args.layers), (1.0, 256, [4]))
        with self.assertRaisesRegex(settings.SettingsError, "invalid int value: '256.5'"):
            settings.parse(self.parser, {"lr": 1, "batch-size": 256.5})

    def test_maps_and_lists_are_json_for_an_argument_that_takes_one_word(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--optimizer", type=json.loads)
        parser.add_argument("--sizes", type=json.loads)

        args = settings.parse(parser, {"optimizer": {"name": "sgd", "lr": 0.1, "warmup": 3.0}, "sizes": [64.0, 32]})

        self.assertEqual(args.optimizer, {"name": "sgd", "lr": 0.1, "warmup": 3})
        self.assertIsInstance(args.optimizer["warmup"], int)
        self.assertEqual(args.sizes, [64, 32])

    def test_parameters_that_a_map_holds_are_checked_as_the_map(self):
        parser = argparse.ArgumentParser(prog="train.py")
        parser.add_argument("--optimizer", type=json.loads)
        parameters = {"optimizer.lr": [0.1, 0.2], "optimizer.name": ["sgd"]}

        self.assertEqual(settings.check(parser, {"settings": {}, "parameters": parameters}), [])
        (problem,) = settings.check(parser, {"settings": {}, "parameters": {"model.width": [3]}})
        self.assertEqual(problem["key"], "parameters.model.width")
        parser = argparse.ArgumentParser()
        parser.add_argument("--optimizer", type=int)
        problem = settings.check(parser, {"settings": {}, "parameters": parameters})[0]
        self.assertEqual(problem["key"], "parameters.optimizer")

    def test_an_argument_is_found_by_its_option_too(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--learning-rate", "--optimizer.lr", dest="lr", type=float)
        parser.add_argument("--no-cuda", dest="cuda", action="store_false")

        self.assertEqual(settings.parse(parser, {"learning-rate": 0.5}).lr, 0.5)
        self.assertEqual(settings.parse(parser, {"optimizer": {"lr": 0.25}}).lr, 0.25)
        parser.add_argument("--mixed", action=argparse.BooleanOptionalAction)
        self.assertEqual([settings.parse(parser, {"no-cuda": each}).cuda for each in (True, False)], [False, True])
        self.assertEqual([settings.parse(parser, {"no-mixed": each}).mixed for each in (True, False)], [False, True])

    def test_a_parameter_comes_behind_the_words_of_the_command(self):
        arguments = settings.Arguments(self.parser, ["--lr=0.5", "--batch-size", "8"])

        args = arguments.parse({"lr": 0.1})

        self.assertEqual((args.lr, args.batch_size), (0.1, 8))
        self.assertEqual(settings.check(self.parser, {"settings": {}}, ["--lr=0.5"]), [])
        (problem,) = settings.check(self.parser, {"settings": {}}, ["--lr=0.5", "--widht=3"])
        self.assertEqual(problem, {"key": "command", "message": "unrecognized arguments: --widht=3"})

    def test_the_check_names_every_mistake_and_its_key(self):
        request = {
            "settings": {"widht": 3, "batch_siez": 8, "kind": "c", "no-cuda": 3},
            "parameters": {"lr": [0.1, "fast"]},
        }
        found = {problem["key"]: problem["message"] for problem in settings.check(self.parser, request)}

        self.assertIn("has no such argument (did you mean batch_size?); it has lr,", found["trainer.batch_siez"])
        self.assertIn("train.py has no such argument; it has lr,", found["trainer.widht"])
        request["settings"] = {"kind": "c"}
        (problem,) = settings.check(self.parser, request)[:1]
        self.assertEqual(problem["key"], "trainer.kind")
        request["settings"] = {}
        self.assertEqual(
            settings.check(self.parser, request),
            [{"key": "parameters.lr", "message": "invalid float value: 'fast'"}],
        )
        self.assertIn("required: --lr", settings.check(self.parser, {"settings": {}})[0]["message"])

    def test_without_a_parser_settings_are_taken_as_they_are(self):
        self.assertEqual(settings.parse(None, {"batch-size": 3}).batch_size, 3)
        self.assertEqual(settings.check(None, {"settings": {"anything": 1}, "parameters": {}}), [])


class SessionTest(unittest.TestCase):
    """What a program does wrong is said in `failed`, and the process ends."""

    def failure(self, train, test=None, checkpoint_every=600, **order):
        ours, theirs = socket.socketpair()
        with ours, theirs, tempfile.TemporaryDirectory() as folder:
            join = {"type": "join", "trial": 3, "generation": 0, "rank": 0, "size": 1, "max_resource": 9, "seed": 1}
            join.update(settings={}, directory=folder, state="new", **order)
            theirs.sendall(json.dumps(join).encode() + b"\n")
            served = session.Session(
                Channel(ours),
                CPU,
                arguments=settings.Arguments(),
                timeout=session.timedelta(seconds=5),
                checkpoint_every=checkpoint_every,
            )
            self.assertEqual(served.run(train, test), 1)
            ours.shutdown(socket.SHUT_RDWR)
            lines = [json.loads(line) for line in theirs.makefile("rb")]
            self.log = Path(folder, "trainer.log").read_text() if Path(folder, "trainer.log").exists() else ""
        self.assertEqual((lines[0]["type"], lines[-1]["type"], lines[-1]["trial"]), ("hello", "failed", 3))
        return lines[-1]["kind"], lines[-1]["message"]

    def test_an_exception_is_told_with_its_place(self):
        def train(trial):
            raise ValueError("nothing works today")

        kind, message = self.failure(train)
        self.assertEqual(kind, "error")
        self.assertRegex(message, r"^test_trial.py:\d+: ValueError: nothing works today$")
        self.assertIn("Traceback", self.log)

    def test_what_train_draws_follows_from_the_trials_seed(self):
        drawn = []

        def train(trial):
            drawn.append((random.random(), numpy.random.rand(), torch.rand(1).item()))
            raise ValueError("enough")

        for before in (1, 2):
            random.seed(before)
            numpy.random.seed(before)
            self.failure(train)
        self.assertEqual(drawn[0], drawn[1])

    def test_steps_are_signs_of_life(self):
        moves = []

        def train(trial):
            model = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters())
            trial.attach(model=model, optimizer=optimizer)
            for (x,) in trial.batches(loader_of(12)):
                model(x).sum().backward()
                optimizer.step()
                moves.append(trial._control._channel.num_moves)
            raise ValueError("enough")

        self.failure(train)
        self.assertEqual(len(set(moves)), 3)

    def test_a_trial_is_saved_between_its_steps(self):
        saved = []

        def train(trial):
            model = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters())
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            trial.attach(model=model, optimizer=optimizer, scheduler=scheduler)
            for (x,) in trial.batches(loader_of(12)):
                model(x).sum().backward()
                optimizer.step()
                scheduler.step()
            raise ValueError("enough")

        def save_checkpoint(replica, path):
            saved.append((replica.progress.step, replica.objects["scheduler"].last_epoch))

        with mock.patch.object(session, "save_checkpoint", save_checkpoint):
            self.failure(train, checkpoint_every=0)
        self.assertTrue(saved)
        self.assertTrue(all(step == scheduled for step, scheduled in saved), saved)

    def test_memory_that_is_used_up_is_a_failure_of_its_own(self):
        def train(trial):
            torch.empty(1 << 60)

        self.assertEqual(self.failure(train)[0], "out_of_memory")

    def test_libraries_of_gpus_have_words_of_their_own_for_no_memory(self):
        for words, kind in (
            ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "out_of_memory"),
            ("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", "out_of_memory"),
            ("CUDA driver error: CUDA_ERROR_OUT_OF_MEMORY", "out_of_memory"),
            ("CUDA error: out of memory", "out_of_memory"),
            ("CUDA error: an illegal memory access was encountered", "error"),
        ):
            def train(trial):
                raise RuntimeError(words)

            with self.subTest(words):
                self.assertEqual(self.failure(train)[0], kind)

    def test_a_full_disk_is_a_failure_of_its_own(self):
        def train(trial):
            raise state.SaveError(Path("checkpoint.pt"), OSError(28, os.strerror(28)))

        self.assertEqual(self.failure(train)[0], "disk")

    def test_a_train_function_that_returns_is_told_what_to_do(self):
        kind, message = self.failure(lambda trial: None)
        self.assertIn("returned after 0 of 9 epochs; crescendo says when a trial is over", message)

    def test_a_test_that_nobody_wrote_is_refused(self):
        order = {"type": "evaluate", "resource": 1, "checkpoint": "x/checkpoint.pt", "data": "test"}
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIn("no test function", self.failure(lambda trial: None, **order)[1])


class SentTest(unittest.TestCase):
    def test_a_report_that_came_with_the_state_of_rank_0_is_not_taken_for_the_one_that_was_sent_before(self):
        ours, theirs = socket.socketpair()
        with ours, theirs, theirs.makefile("rb") as stream:
            served = session.Session(
                Channel(ours),
                CPU,
                arguments=settings.Arguments(),
                timeout=session.timedelta(seconds=5),
                checkpoint_every=600,
            )
            replica = state.Replica(3, {"model": torch.nn.Linear(1, 1)})
            place = {"trial": 3, "generation": 4, "rank": 0, "size": 1, "max_resource": 9, "seed": 1}
            served.terms = session.Join.parse({**place, "settings": {}, "directory": "", "state": "memory"})
            served._replica = replica
            for resource in (1, 2):  # a peer that is dead now was rank 0 at the second report
                replica.progress.report = {"resource": resource, "metrics": {"loss": 0.5}}
                replica.progress.pending = True
                served.terms.reported = resource - 1
                served._form(replica)
            ours.shutdown(socket.SHUT_RDWR)
            sent = [json.loads(line) for line in stream]

        self.assertEqual([message["resource"] for message in sent], [1, 2])


class WarningsTest(unittest.TestCase):
    def test_a_trainer_passes_over_a_warning_that_ends_what_it_starts(self):
        trainer = os.fork()
        if trainer == 0:
            try:
                _pass_over_warnings()
                os.kill(os.getpid(), signal.SIGTERM)
                forked = os.fork()
                if forked == 0:
                    os.kill(os.getpid(), signal.SIGTERM)
                    os._exit(0)
                ends = [os.waitpid(forked, 0)[1], -subprocess.run(["sh", "-c", "kill -TERM $$"]).returncode]
                os._exit(0 if ends == [signal.SIGTERM] * 2 else 3)
            finally:
                os._exit(4)

        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(trainer, 0)[1]), 0)


class DocumentationTest(unittest.TestCase):
    def test_the_examples_in_the_documentation_of_the_code_hold(self):
        for module in (error_words, learning_rate, samples, settings, step_clock):
            self.assertEqual(doctest.testmod(module, verbose=False).failed, 0)


del Alone
if __name__ == "__main__":
    unittest.main()
