"""What the members of a group must agree on, with two members as threads of this process."""

import argparse
import contextlib
import copy
import io
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import torch
import torch.distributed as dist

from crescendo.torch import alone, weights
from crescendo.torch.group import Group
from crescendo.torch.trial import Trial
from loaders import loader_of

CPU = torch.device("cpu")
SIZE = 2


def in_a_group(work, size=SIZE):
    """What `work` returns or raises on each member."""
    store = dist.HashStore()
    # Made one after the other: each looks at what trials of this process have trained, and the others add to it.
    trials = [Trial(alone.Alone(CPU), argparse.Namespace(), device=CPU, number=0, seed=1, directory=None)
              for _ in range(size)]

    def member(rank):
        control = trials[rank]._control
        control.terms.rank, control.terms.size = rank, size
        control.group = Group.meet(CPU, store, rank, size, timedelta(seconds=30))
        try:
            return work(trials[rank])
        except Exception as error:
            return error

    with ThreadPoolExecutor(size) as threads, contextlib.redirect_stdout(io.StringIO()):
        results = list(threads.map(member, range(size)))
    for trial in trials:
        trial._control.group.close()  # otherwise its threads abort the process at its end
    return results


class Loop:
    """A train function with replaceable parts."""

    def make(self, trial):
        self.model = torch.nn.Linear(1, 1)
        torch.nn.init.constant_(self.model.weight, 0.5)
        torch.nn.init.constant_(self.model.bias, 0.5)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        return {"model": self.model, "optimizer": self.optimizer}

    def step(self, trial, x):
        self.optimizer.zero_grad()
        self.model(x).square().mean().backward()
        self.optimizer.step()

    def report(self, trial):
        trial.report(loss=1)

    def __call__(self, trial):
        trial.attach(**self.make(trial))
        for _ in trial.epochs(2):
            for (x,) in trial.batches(loader_of(16)):
                self.step(trial, x)
            self.report(trial)
        return self


class NoiseTest(unittest.TestCase):
    def measured(self, count, step=0, accumulation=1):
        """What each member measures in an epoch of `count` samples, which begins with this step."""

        def train(trial):
            loop = Loop()
            trial.attach(**loop.make(trial))
            trial._control.terms.accumulation = accumulation
            trial._progress.step = step
            next(trial.epochs())
            for (x,) in trial.batches(loader_of(count)):
                loop.step(trial, x)
            return trial._progress.noise_scale.noise

        return in_a_group(train)

    def test_one_step_in_sixteen_is_measured_unless_one_worker_makes_it_alone(self):
        self.assertEqual([noise.count for noise in self.measured(16)], [1, 1])  # four steps
        self.assertEqual([noise.count for noise in self.measured(6, step=15)], [0, 0])  # the second has two samples

    def test_accumulation_does_not_change_the_noise(self):
        for once, twice in zip(self.measured(4), self.measured(4, accumulation=4)):
            self.assertGreater(once.value, 0)
            self.assertAlmostEqual(once.value, twice.value, places=3)


class WeightsTest(unittest.TestCase):
    def assert_drift(self, loop, message):
        for error in in_a_group(lambda trial: loop()(trial)):
            self.assertIsInstance(error, RuntimeError)
            self.assertRegex(str(error), message)

    def test_members_that_learn_alike_stay_the_same_to_the_bit(self):
        one, other = in_a_group(lambda trial: Loop()(trial))

        self.assertTrue(torch.equal(one.model.weight, other.model.weight))

    def test_a_learning_rate_that_differs_by_worker_is_found(self):
        class Plateau(Loop):
            def report(self, trial):
                self.optimizer.param_groups[0]["lr"] = 0.01 / (1 + trial.rank)
                super().report(trial)

        self.assert_drift(Plateau, "rate is 0.01 on rank 0 and 0.005 on rank 1, .*drift apart; attach what sets it")

    def test_weights_that_each_worker_changes_for_itself_are_found(self):
        class Nudged(Loop):
            def step(self, trial, x):
                super().step(trial, x)
                with torch.no_grad():
                    self.model.weight -= 0.01 * x.mean()

        self.assert_drift(Nudged, "weights of rank 1 differ from those of rank 0.*one optimizer for all")

    def test_parameters_that_one_worker_has_frozen_are_found(self):
        class Thawed(Loop):
            def step(self, trial, x):
                self.model.bias.requires_grad_(trial.rank == 1)  # as if only rank 1 had unfrozen it
                super().step(trial, x)

        self.assert_drift(Thawed, "^1 parameters are frozen on rank 0 and 0 on rank 1; .*epoch >= 3")

    def test_an_evaluation_of_other_weights_on_one_worker_is_no_difference(self):
        class Averaged(Loop):
            def report(self, trial):
                kept = self.model.weight.detach().clone()
                if trial.is_main:
                    self.model.weight.data.zero_()
                super().report(trial)
                self.model.weight.data.copy_(kept)

        one, other = in_a_group(lambda trial: Averaged()(trial))

        self.assertTrue(torch.equal(one.model.weight, other.model.weight))

    def test_a_trial_that_diverged_is_reported_and_not_taken_for_workers_that_differ(self):
        class Diverged(Loop):
            def make(self, trial):
                objects = super().make(trial)
                self.optimizer.param_groups[0]["lr"] = 1e30
                return objects

        one, other = in_a_group(lambda trial: Diverged()(trial))

        self.assertTrue(one.model.weight.isnan().all() and other.model.weight.isnan().all())

    def test_rounding_is_no_difference_and_a_small_update_of_many_weights_is_one(self):
        drawn = torch.randn(3_000_000, generator=torch.Generator().manual_seed(1))
        for kind, update in ((torch.float32, 0.02), (torch.float16, 0.1), (torch.bfloat16, 0.5)):
            with self.subTest(kind):
                values = drawn.to(kind)
                rounded = values * (1 + torch.finfo(kind).eps / 2 * torch.where(drawn > 0.3, 1, -1)).to(kind)
                moved = values + update * torch.roll(values, 1)

                self.assertTrue(weights.sketch([values]).agrees_with(weights.sketch([rounded])))
                self.assertFalse(weights.sketch([values]).agrees_with(weights.sketch([moved])))

    def test_weights_of_all_kinds_are_looked_at(self):
        kinds = [torch.ones(3, dtype=torch.complex64), torch.ones(2, 3).t(), torch.ones(()), torch.ones(0)]

        self.assertTrue(weights.sketch(kinds).agrees_with(weights.sketch(kinds)))
        self.assertFalse(weights.sketch(kinds).agrees_with(weights.sketch([2 * each for each in kinds])))


class UnusedTest(unittest.TestCase):
    class Loop(Loop):
        """Its model has a head that only every third step uses. In other steps its gradient is zero."""

        def make(self, trial):
            model = super().make(trial)["model"]
            self.model = torch.nn.ModuleDict({"all": model, "head": copy.deepcopy(model)})
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
            self.num_steps = 0
            return {"model": self.model, "optimizer": self.optimizer}

        def step(self, trial, x):
            self.optimizer.zero_grad(set_to_none=False)
            if trial.rank == 1 and self.num_steps == 1:
                self.model["head"].zero_grad()  # like a worker that enters here
            heads = ["all", "head"] if self.num_steps % 3 == 0 else ["all"]
            sum(self.model[name](x / 16).square().mean() for name in heads).backward()
            self.optimizer.step()
            self.num_steps += 1

    def test_momentum_goes_on_where_a_gradient_is_zero_as_it_does_alone(self):
        members = in_a_group(lambda trial: self.Loop()(trial))
        (alone_,) = in_a_group(lambda trial: self.Loop()(trial), size=1)

        for each in members:
            for name, values in alone_.model.state_dict().items():
                torch.testing.assert_close(each.model.state_dict()[name], values)

    def test_a_parameter_without_a_gradient_is_passed_over(self):
        class Cleared(self.Loop):
            def step(self, trial, x):
                super().step(trial, x)
                self.seen = [parameter.grad is None for parameter in self.model["head"].parameters()]
                self.optimizer.zero_grad()

        one, other = in_a_group(lambda trial: Cleared()(trial))

        self.assertEqual((one.seen, other.seen, one.num_steps % 3), ([True] * 2, [True] * 2, 2))


class SamplesTest(unittest.TestCase):
    def assert_refused(self, loader_on, message):
        """`loader_on` makes the loader of a rank."""

        def train(trial):
            trial.attach(**Loop().make(trial))
            next(trial.epochs())
            trial.batches(loader_on(trial.rank))

        for error in in_a_group(train):
            self.assertIsInstance(error, RuntimeError)
            self.assertRegex(str(error), message)

    def test_data_of_other_sizes_are_named_on_each_worker(self):
        message = "has 16 samples on rank 0 and 17 on rank 1, .*trial.seed and the epoch"
        self.assert_refused(lambda rank: loader_of(16 + rank), message)

    def test_loaders_that_would_make_other_steps_are_named_on_each_worker(self):
        message = "have 4 samples on rank 0 and 2 on rank 1, .*do not divide it by trial.size"
        self.assert_refused(lambda rank: loader_of(16, batch_size=4 // (1 + rank)), message)
        message = "drop_last is False on rank 0 and True on rank 1"
        self.assert_refused(lambda rank: loader_of(16, drop_last=rank == 1), message)


class BuffersTest(unittest.TestCase):
    class Loop(Loop):
        """Its model has a part of each kind."""

        def make(self, trial):
            objects = super().make(trial)
            self.encoder = torch.nn.BatchNorm1d(1)
            self.encoder.register_buffer("empty", torch.zeros(0))
            return {**objects, "encoder": self.encoder, "again": torch.nn.Sequential(self.encoder)}

        def step(self, trial, x):
            self.encoder(x)
            super().step(trial, x)

    def test_running_averages_of_all_modules_are_those_of_rank_0(self):
        one, other = in_a_group(lambda trial: self.Loop()(trial))

        self.assertNotEqual(one.encoder.running_mean.item(), 0)
        self.assertEqual(str(one.encoder.state_dict()), str(other.encoder.state_dict()))

    def test_a_buffer_that_is_no_state_may_differ(self):
        class Masked(self.Loop):
            def step(self, trial, x):
                mask = torch.full([int(x.max())], trial.rank)
                self.model.register_buffer("mask", mask, persistent=False)  # as large as the longest sequence
                super().step(trial, x)

        one, other = in_a_group(lambda trial: Masked()(trial))

        self.assertEqual([set(each.model.mask.tolist()) for each in (one, other)], [{0}, {1}])

    def test_a_buffer_that_differs_in_shape_is_named_on_each_worker(self):
        class Grown(self.Loop):
            def step(self, trial, x):
                self.encoder.register_buffer("cache", torch.zeros(1 + trial.rank))
                super().step(trial, x)

        class Further(self.Loop):
            def step(self, trial, x):
                if trial.rank == 1:
                    self.encoder.register_buffer("cache", torch.zeros(1))
                super().step(trial, x)

        for loop, name in ((Grown, "shape of the buffer encoder.cache"), (Further, "number of buffers")):
            for error in in_a_group(lambda trial: loop()(trial)):
                self.assertRegex(str(error), f"the {name} differs between workers.*persistent=False")


if __name__ == "__main__":
    unittest.main()
