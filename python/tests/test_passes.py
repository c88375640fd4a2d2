"""Steps in several passes: what counts once per step, and what counts in each pass."""

import contextlib
import copy
import io
import unittest
import warnings

import torch

from loaders import loader_of
from trial_alone import Alone, Stateless


class PassesTest(Alone):
    def train_in_two_passes(self, count_in):
        """Trains two steps, each in two passes. A schedule and an average count in some of the passes."""
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

    def test_a_step_has_no_more_passes_than_samples(self):
        self.trial._control.terms.accumulation = 100
        self.attach()
        next(self.trial.epochs())

        self.assertEqual(len(self.trial.batches(loader_of(4))), 4)

    def test_a_schedule_and_an_average_count_a_step_of_several_passes_once(self):
        for count_in in ([0, 1], [0], [1]):
            with self.subTest(count_in):
                self.setUp()
                chained, average = self.train_in_two_passes(count_in)

                self.assertEqual((chained.last_epoch, average.n_averaged.item()), (2, 2))

    def weights_after(self, passes, make, then):
        """The weights after two steps. `make` returns more to attach; `then` gets it after each optimizer.step()."""
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
            """Like the classes of pytorch_warmup."""

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
        self.optimizer.param_groups[0]["lr"] = None  # like Adafactor
        self.attach()
        self.train_on(loader_of(4))

        self.assertEqual(seen, [None])


if __name__ == "__main__":
    unittest.main()
