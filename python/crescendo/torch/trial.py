"""The trial that a program's train function gets."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import types
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import torch
from torch.utils.data import DataLoader

from crescendo.protocol import missing_attribute, named_numbers, number_of, numbers_of
from crescendo.torch import samples
from crescendo.torch.control import Control
from crescendo.torch.gradients import GradientAverage, make_dense_for_momentum
from crescendo.torch.group import Group, PeerLost
from crescendo.torch.learning_rate import LearningRate
from crescendo.torch.noise_scale import EVERY
from crescendo.torch.other_optimizers import Watch
from crescendo.torch.passes import Passes
from crescendo.torch.requirements import (
    require_averaged,
    require_dense_gradients,
    require_held,
    require_one_optimizer,
    require_no_other_group,
    require_same_data,
    require_scheduler,
    require_shapes,
    schedulers_of,
)
from crescendo.torch.state import Progress, Replica, require_copyable, require_readable, share_buffers
from crescendo.torch.step_clock import Step
from crescendo.torch.unattached import Attached, require_no_scaler
from crescendo.torch.weights import left_by_others, require_own, require_same


def seed_python(seed: int) -> None:
    """Seeds the random generators of Python and NumPy, which non-torch code draws from."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


# What crescendo.Trial, for scripts that only report, has besides metrics and a loop, and what replaces it here.
OF_OTHER_REPORTS = {"save", "save_on", "resource", "data_wait", "step_seconds", "group_batch", "noise_scale"}
OF_OTHER_TRIALS = {
    "checkpoint": "trial.attach(…) loads it",
    "resumed": "trial.attach(…) loads the checkpoint and the trial's position",
    "resource": "trial.epochs() and trial.epochs_done know the trial's position",
    "stopped": "trial.report() leaves the train function when the trial must stop",
    "waiting_for": "trial.batches(…) measures the wait for data",
    "batch_multiple": "trial.batches(…) derives the group's batch from the loader's batch_size",
}


class Trial:
    """One configuration, trained by a group of workers of which this process is one.

    `crescendo.torch.run` calls the program's train function with it, once on each worker that enters the trial. It
    calls the function again on all members if the group changes between two steps, because it grows within an epoch or
    a peer was lost: the function then continues from the attached state. At reports, groups change without leaving the
    function. Further attributes are `args`, `device`, `number`, `seed` and `directory`.
    """

    def __init__(
        self,
        control: Control,
        args: argparse.Namespace,
        *,
        device: torch.device,
        number: int,
        seed: int,
        directory: Optional[Path],
    ) -> None:
        self.args = args
        """The program's arguments: the words of `command:` and the trial's parameters."""
        self.device = device
        self.number = number
        """Number of the trial in its sweep, from 0."""
        self.seed = seed
        """The trial's random seed: the same whenever the sweep is repeated. Outside a sweep, the seed of torch's
        generator when attach() is called."""
        self.directory = directory
        """Folder for the trial's files; None outside a sweep."""
        self._control = control
        self._left = left_by_others(number)
        self._replica: Optional[Replica] = None
        self._average: Optional[GradientAverage] = None
        self._rate: Optional[LearningRate] = None
        self._micro_batch: Optional[samples.MicroBatch] = None  # the one whose optimizer.step() is due
        self._passes = Passes()
        self._others = Watch()
        self._attached: Optional[Attached] = None
        self._num_samples = 0
        self._read_epoch: Optional[int] = None  # the epoch whose batches this call of train has read
        self._num_unread = 0  # batches of that epoch
        self._has_met = False  # whether the members met after that epoch's last batch or its report
        self._has_ended_steps = True  # whether _end_steps() ran for that epoch
        self._reported_schedules: Dict[str, Any] = {}
        self._has_unsummed_share = False  # whether a part of data was read that no sum() has covered
        self._waited = 0.0
        self._reported_at = time.monotonic()
        self._batch = 0  # samples of a full step of the group
        self._step_began = 0.0
        self._waited_before = 0.0  # `_waited` when the present step began

    def __getattr__(self, name: str) -> Any:
        if name in OF_OTHER_TRIALS:
            raise AttributeError(f"a growing trial has no {name}: {OF_OTHER_TRIALS[name]}")
        return missing_attribute(
            self,
            name,
            parameters="trial.args has their values, such as trial.args.lr",
            pruning="trial.report() leaves the train function when the trial must stop",
        )

    @property
    def rank(self) -> int:
        """Number of this worker in its group, from 0. Within one call of train, it changes only at reports."""
        return self._control.terms.rank

    @property
    def size(self) -> int:
        """Number of workers in the group."""
        return self._control.terms.size

    @property
    def is_main(self) -> bool:
        """Whether this worker should print and write: it has rank 0."""
        return self.rank == 0

    @property
    def max_resource(self) -> Optional[int]:
        """Epochs of a complete trial, the sweep's `scheduler.max`, for schedules. None outside a sweep."""
        return self._control.terms.max_resource or None

    @property
    def epochs_done(self) -> float:
        """Training so far, in epochs: 2.25 after the first quarter of the third epoch's steps. It continues if a worker
        enters or the trial is resumed within an epoch, so use it for schedules that change within epochs. Counts parts
        of an epoch only once `batches()` was called."""
        progress = self._progress
        return progress.epoch + (progress.position / self._num_samples if self._num_samples else 0.0)

    @property
    def stepped(self) -> bool:
        """Whether the last optimizer.step() updated the weights. If a step takes several passes, the loop's body runs
        once per pass, and only the last pass updates. Check this before you update your own counter or average."""
        return self._passes.has_stepped

    def attach(
        self,
        model: torch.nn.Module,
        optimizer: Optional[torch.optim.Optimizer] = None,
        scheduler: Any = None,
        *,
        lr_scaling: Optional[str] = None,
        rescale_warm_up: float = 1.0,
        **more: Any,
    ) -> None:
        """Makes these objects the trial's state. Rank 0's state goes to all members of a group, and into the
        checkpoints.

        Call it after you create the objects, and before you use them. When it returns, they hold the trial's state:
        new, from a checkpoint, or from another worker. `more` is anything with state_dict() and load_state_dict(), such
        as more schedulers. `lr_scaling` says how the learning rate follows the group's batch when that grows: `linear`
        (default for SGD), `sqrt` (default for all other optimizers, such as Adam) or `none`. The rate rises over
        `rescale_warm_up` epochs.
        """
        if self._replica is not None:
            raise RuntimeError("trial.attach() was called twice; attach all objects in one call")
        if self.directory is None:
            self.seed = torch.initial_seed()  # train may have set its own seed
        objects = {"model": model, "optimizer": optimizer, "scheduler": scheduler, **more}
        if "progress" in more:
            raise TypeError("the name 'progress' is reserved; attach the object under another name")
        objects = {name: each for name, each in objects.items() if each is not None}
        for name, each in objects.items():
            if not hasattr(each, "state_dict") or not hasattr(each, "load_state_dict"):
                raise TypeError(
                    f"{name} is a {type(each).__name__}, without state_dict() and load_state_dict(), so its state "
                    "cannot be sent to other workers; give it these methods, or do not attach it"
                )
            require_no_scaler(name, each)
        require_one_optimizer(more)
        require_shapes(objects)
        require_no_other_group(objects)
        replica = Replica(self.number, objects)
        require_readable(replica.capture())
        require_copyable(replica)
        if optimizer is not None:
            require_dense_gradients(optimizer)
            require_held(optimizer, [each for each in objects.values() if each is not optimizer])
            self._adopt(optimizer, model)
            scaling = lr_scaling or ("linear" if type(optimizer).__name__ == "SGD" else "sqrt")
            self._rate = LearningRate(scaling, rescale_warm_up, replica.progress.rate)
            self._watch(optimizer, [each for each in objects.values() if each is not optimizer])
            self._attached = Attached(objects)
        self._control.enter(replica)
        self._replica = replica

    def epochs(self, limit: Optional[int] = None) -> Iterator[int]:
        """Yields the numbers of the epochs to train, from 1 or from where the trial is.

        In a sweep, the trial ends at `scheduler.max`, inside report(): the train function ends there. `limit` counts
        only outside a sweep; its default is 10.
        """
        most = self.max_resource or (10 if limit is None else limit)
        if limit not in (None, most) and self.is_main and self._progress.step == 0:
            print(
                f"note: trial.epochs({limit}) yields {most} epochs here, because scheduler.max overrides its limit; a "
                "schedule should take the number of epochs from trial.max_resource",
                flush=True,
            )
        while self._progress.epoch < most:
            epoch = self._progress.epoch
            self._seed(0)  # so that each worker draws the same before its first batch
            self._control.save_if_due(self._held)
            self._held.note()
            yield epoch + 1
            if self._progress.epoch == epoch:
                raise RuntimeError(
                    f"epoch {epoch + 1} ended without trial.report(…), so the trial cannot be judged; report after "
                    "each epoch"
                )
            for what, place in self._schedules().items():
                if place != self._reported_schedules.get(what):
                    raise RuntimeError(
                        f"{what} came after trial.report(), so workers that entered at the report missed it; move it "
                        "before the report, which must be the last line of the loop"
                    )
        self._control.wait_for_end(self._held)

    def batches(self, loader: DataLoader[Any]) -> Batches:
        """Returns this worker's share of the loader's batches, from the group's position in the epoch.

        The members together see each sample once per epoch. The loader's batch size is that of one worker; crescendo
        decides how many times that the group's batch is. Call optimizer.step() for each batch.
        """
        width = samples.width_of(loader)
        progress, terms, group = self._progress, self._control.terms, self._control.group
        if self._average is None or self._rate is None:
            raise RuntimeError("call trial.attach(model=…, optimizer=…) before trial.batches(), which needs the state")
        if self._read_epoch == progress.epoch:
            raise RuntimeError(
                "trial.batches() was called twice in one epoch: the position in the data belongs to one loader; read "
                "validation data with trial.share()"
            )
        require_scheduler(self._held)
        self._read_epoch = progress.epoch
        if progress.position > 0:  # the code before the batches ran a second time: undo that
            self._held.return_to_noted()
        order = samples.order_of(loader, self.seed, progress.epoch)
        if not order:
            raise ValueError("the data set of the DataLoader given to trial.batches() is empty")
        self._control.check()
        self._guard(lambda: require_same_data(loader, group))
        own = min(width, len(order))
        if loader.drop_last:
            order = order[: len(order) - len(order) % own]  # leaves out what a single worker would, for any group
        self._num_samples = len(order)
        batch = self._batch = min(width * terms.batch_multiple, len(order))
        self._rate.state = progress.rate
        self._rate.set_batch(batch, own, self.epochs_done)
        steps = list(
            samples.plan(
                order,
                position=progress.position,
                batch=batch,
                rank=group.rank,
                size=group.size,
                most=max(1, width // terms.accumulation),
            )
        )
        self._average.begin_epoch()
        self._num_unread, self._has_ended_steps, self._has_met = len(steps), False, False
        return Batches(loader, len(steps), self._train_on(loader, steps))

    def _train_on(self, loader: DataLoader[Any], steps: List[samples.MicroBatch]) -> Iterator[Any]:
        progress, average, group = self._progress, self._average, self._control.group
        assert average is not None
        seed = samples.stream(self.seed, progress.epoch, progress.position, group.rank, 0)
        self._begin_step()
        begin = time.monotonic()
        items = iter(samples.reading(loader, [step.samples for step in steps], seed))  # may start processes
        self._waited += time.monotonic() - begin
        for step in steps:
            self._control.check()
            if step.index == 0 and progress.position > 0:
                self._save_if_due()
            self._seed(step.end, step.index, self.rank)
            begin = time.monotonic()
            item = next(items)
            self._waited += time.monotonic() - begin
            self._micro_batch = step
            self._passes.is_between = False
            average.expect(group, step.index, step.count, step.weight, is_measured=progress.step % EVERY == 0)
            self._num_unread -= 1
            with self._others.during_batch(self._held.objects["optimizer"], progress.epoch, step.end):
                yield item
            self._require_step()
            if self.stepped:
                self._passes.end_step()
            else:
                self._passes.begin_next(self._held.objects["optimizer"])
                average.clear_gradients()
        self._control.end_steps()
        self._held.note()
        self._held.note_weights()
        self._end_steps()

    def _save_if_due(self) -> None:
        begin = time.monotonic()
        self._control.save_if_due(self._held)
        self._step_began += time.monotonic() - begin  # saving does not count as part of the step

    def _require_step(self) -> None:
        if self._micro_batch is not None:
            raise RuntimeError(
                "the loop finished a batch without optimizer.step(); call it for each batch: trial.batches() "
                "accumulates gradients if needed, so instead of a step at every fourth batch, use a loader with four "
                "times the batch_size; instead of a GradScaler, which skips steps whose gradients overflow, use "
                "bfloat16"
            )

    def _end_steps(self) -> None:
        self._has_ended_steps = True
        self._has_met = False  # the last batch's body may have met, but long work follows it
        if self.size > 1:
            self._guard(self._require_same)
            # Members saw different samples, so all take rank 0's batch-normalization statistics.
            self._guard(lambda: share_buffers(self._held.buffers(), self._control.group))

    def _end_epoch(self) -> None:
        """Ends the epoch's steps before its report, if the loop did not: a loop that counts its batches never asks for
        the one after the last."""
        if self._has_ended_steps:
            return
        if self._num_unread > 0:
            raise RuntimeError(
                f"trial.report() was called with {self._num_unread} batches of the epoch unread: with more workers, "
                "the epoch would have other samples; read trial.batches() to its end, and for shorter epochs give the "
                "loader fewer samples, such as a torch.utils.data.Subset"
            )
        self._require_step()
        self._passes.end_step()
        self._control.end_steps()
        self._end_steps()

    def _begin_step(self) -> None:
        self._step_began = time.monotonic()
        self._waited_before = self._waited

    def share(self, loader: DataLoader[Any]) -> Batches:
        """Returns this worker's share of the loader's batches, in the order of the data set, for validation.

        Add up the members' results with trial.sum(…). Without it, report() raises, because the metric would cover only
        one part of the data.
        """
        width = samples.width_of(loader)
        size = len(loader.dataset)  # type: ignore[arg-type]
        group = self._control.group
        begin, end = group.rank * size // group.size, (group.rank + 1) * size // group.size
        numbers = list(range(begin, end))
        batches = [numbers[i : i + width] for i in range(0, len(numbers), width)]
        return Batches(loader, len(batches), self._read_share(samples.reading(loader, batches, seed=0)))

    def _read_share(self, reading: DataLoader[Any]) -> Iterator[Any]:
        self._has_unsummed_share = True
        for item in reading:
            self._control.note_move()
            yield item

    def sum(self, *numbers: Any) -> Any:
        """Sums each number over the members of the group. Returns one number, or a tuple if there are several."""
        self._control.check()
        if self._num_unread == 0 and not self._has_met:
            self._meet()
        values = [number_of(each) for each in numbers]
        sums = self._guard(lambda: self._control.group.sum(values))
        self._has_unsummed_share = False
        return sums[0] if len(values) == 1 else tuple(sums)

    def report(self, metrics: Optional[Mapping[str, Any]] = None, *unnamed: Any, **more: Any) -> bool:
        """Reports the epoch's metrics, and waits for crescendo's decision. Every member must call it; rank 0's numbers
        count.

        Returns True if the trial continues, possibly with another number of workers. If the trial is over or paused,
        the train function ends here.
        """
        others = sorted(more.keys() & OF_OTHER_REPORTS)
        if others:
            raise TypeError(
                "a growing script reports only metrics: trial.attach(…) makes the checkpoints, and the package counts "
                f"epochs and times steps; leave out {', '.join(others)}"
            )
        numbers = numbers_of(named_numbers(metrics, unnamed, more, epoch="trial.epochs()"))
        if not numbers:
            raise ValueError("the report has no metrics; pass at least one: trial.report(val_loss=…)")
        replica, group = self._held, self._control.group
        self._require_sum()
        self._require_batches()
        self._meet()
        self._end_epoch()
        times = [self._waited, max(time.monotonic() - self._reported_at, 1e-9)]
        self._control.check()
        waited, passed = self._guard(lambda: group.sum(times))
        agreed = self._guard(lambda: _same_everywhere(numbers, group))
        replica.end_epoch()
        progress = replica.progress
        progress.report = {"resource": progress.epoch, "metrics": agreed}
        progress.pending = True
        self._control.report(replica, min(1.0, waited / passed))
        self._reported_schedules = self._schedules()
        self._has_met = False  # as on members that have just entered
        self._waited = 0.0
        self._reported_at = time.monotonic()
        return True

    def _meet(self) -> None:
        """Waits for all members without a time limit: after an epoch's steps, one may evaluate alone or write a file
        for long."""
        self._control.meet()
        self._has_met = True

    def _require_sum(self) -> None:
        """Raises if a share() was not followed by a sum(), even for a single worker, so that it shows before the trial
        grows."""
        if self._has_unsummed_share:
            raise RuntimeError(
                "trial.share() gave this worker only a part of the data, and trial.report() followed without a "
                "trial.sum(…), so in a group the report would cover only rank 0's part; add up with trial.sum(…), or, "
                "for a metric that cannot be added up, such as an AUC, loop over the loader itself: each worker then "
                "reads all of its data"
            )

    def _require_batches(self) -> None:
        """Raises if there was no batches() call in this epoch. A call of train that enters after the epoch's last step
        makes that call too."""
        if self._average is not None and self._read_epoch != self._progress.epoch:
            raise RuntimeError(
                "trial.report() was called without trial.batches(…) since the last report, but each report counts as "
                "an epoch of training; report once per epoch, after its batches"
            )

    def _schedules(self) -> Dict[str, Any]:
        """Positions of the attached schedulers, and the learning rates, by what would change them."""
        places = {f"{name}.step()": getattr(each, "last_epoch", None) for name, each in self._held.objects.items()}
        return {**places, "a change of the learning rate": self._rates()}

    def _rates(self) -> List[float]:
        optimizer = self._held.objects.get("optimizer")
        groups = optimizer.param_groups if optimizer is not None else []
        return [float(group["lr"]) for group in groups if group["lr"] is not None]

    @property
    def _held(self) -> Replica:
        if self._replica is None:
            raise RuntimeError("call trial.attach(model=…, optimizer=…) first: it brings the trial's state")
        return self._replica

    @property
    def _progress(self) -> Progress:
        return self._held.progress

    def _guard(self, collective: Callable[[], Any]) -> Any:
        try:
            return collective()
        except PeerLost as lost:
            raise self._control.note_loss(lost) from None

    def _adopt(self, optimizer: torch.optim.Optimizer, model: torch.nn.Module) -> None:
        """Replaces optimizer.step() by one update of the whole group."""
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        require_own(self.number, parameters, self._left)
        other = getattr(optimizer.step, "_crescendo_trial", self.number)
        if other != self.number and any(optimizer.state.values()):
            raise RuntimeError(
                f"the optimizer still has the state of trial {other}; create it inside the train function"
            )
        learned = set(parameters)
        others = [p for p in model.parameters() if p.requires_grad and p not in learned]
        self._average = GradientAverage(parameters, self._guard, others)
        # An optimizer that outlives a call of train was already adopted by that call.
        update = getattr(optimizer.step, "_crescendo_update", optimizer.step)

        def step(adopted: torch.optim.Optimizer, closure: Any = None) -> None:
            if closure is not None:
                raise TypeError(
                    "optimizer.step(closure) runs backward() any number of times, so the workers' gradients cannot be "
                    "averaged; use an optimizer that needs no closure"
                )
            self._step(adopted, update)

        step._crescendo_update, step._crescendo_trial = update, self.number  # type: ignore[attr-defined]
        # A method, because later schedulers wrap it as one. Existing schedulers look for the mark of their own wrapper.
        if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
            step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
        optimizer.step = types.MethodType(step, optimizer)  # type: ignore[method-assign]

    def _watch(self, optimizer: torch.optim.Optimizer, objects: List[Any]) -> None:
        """Makes schedules and averages of weights count steps, not the passes of a step."""
        for each in objects:
            is_module = isinstance(each, torch.nn.Module)
            names = ("update_parameters", "update") if is_module else ("step", "dampen")
            for part in [each] if is_module else schedulers_of(optimizer, each):
                methods = [name for name in names if hasattr(type(part), name)]
                if methods:
                    self._passes.watch(part, methods, _are_of_an_average if is_module else None)

    def _step(self, optimizer: torch.optim.Optimizer, update: Callable[[], Any]) -> None:
        micro_batch, average = self._micro_batch, self._average
        if micro_batch is None or average is None or self._rate is None:
            raise RuntimeError(
                "optimizer.step() was called outside a batch of trial.batches(): only there are gradients averaged "
                "over the workers; call it once for each batch"
            )
        if not average.is_ready:
            raise RuntimeError(
                "optimizer.step() was called without backward(): no parameter of the attached optimizer got a gradient "
                "from this batch"
            )
        self._micro_batch = None
        self._passes.end_pass(average.is_last, optimizer)
        if not average.is_last:
            return  # micro-batches of this step are still to come
        require_averaged(optimizer, average)
        average.end_step()
        make_dense_for_momentum(optimizer)
        factor = self._rate.factor(self.epochs_done)
        rates = [group["lr"] for group in optimizer.param_groups]
        try:
            for group, rate in zip(optimizer.param_groups, rates):
                if rate is not None:  # None: it finds its own rate, like Adafactor
                    group["lr"] = rate * factor
            with self._others.during_update():
                update()
        finally:
            for group, rate in zip(optimizer.param_groups, rates):
                group["lr"] = rate
        self._progress.step += 1
        samples_done = micro_batch.end - self._progress.position
        parts = min(samples.sharers_of(samples_done, self._batch, self.size), samples_done)
        if average.norms is not None and parts > 1:
            self._progress.noise_scale.add(average.norms, samples_done, parts)
        self._progress.position = micro_batch.end
        self._held.forget_noted()
        if self._num_unread == 0:  # a loop that counts its batches may never ask for the next one
            self._held.note()
        seconds, waited = time.monotonic() - self._step_began, self._waited - self._waited_before
        is_full = samples_done == self._batch
        self._control.note_step(self._held, Step(seconds, waited, self._batch, is_full, self._num_samples))
        self._begin_step()

    def _require_same(self) -> None:
        """Raises if the members' updates differ. Checks right after the steps: what follows may run on rank 0 alone,
        such as an evaluation with averaged weights."""
        require_same(self._control.group, self._held.trained(), self._rates(), self._held.num_frozen)

    def _seed(self, *place: int) -> None:
        """Seeds all generators for this place in the present epoch, so that no member has to send its generators'
        state."""
        seed = samples.stream(self.seed, self._progress.epoch, *place)
        seed_python(seed)
        torch.default_generator.manual_seed(seed)
        if self.device.type == "cuda":
            torch.cuda.manual_seed(seed)


class Batches:
    """A worker's share of a loader's batches. Like the loader, it has a length and a data set. It can be read once."""

    def __init__(self, loader: DataLoader[Any], count: int, items: Iterator[Any]) -> None:
        self.dataset = loader.dataset
        self.batch_size = loader.batch_size
        self._count = count
        self._items: Optional[Iterator[Any]] = items

    def __len__(self) -> int:
        """Number of batches, but at least 1: a loop that enters after the epoch's last batch may divide its losses by
        it."""
        return max(1, self._count)

    def __iter__(self) -> Iterator[Any]:
        items, self._items = self._items, None
        if items is None:
            raise RuntimeError(
                "these batches were already read; call trial.batches(loader) or trial.share(loader) again in each "
                "epoch: a worker's share changes with its group"
            )
        return items


def _are_of_an_average(arguments: Tuple[Any, ...]) -> bool:
    """Whether a module's method, called with these arguments, averages weights. A metric's update() takes numbers."""
    return not arguments or isinstance(arguments[0], torch.nn.Module)


def _same_everywhere(numbers: Dict[str, Optional[float]], group: Group) -> Dict[str, Optional[float]]:
    content = json.dumps(numbers).encode() if group.rank == 0 else None
    return json.loads(group.broadcast_bytes(content))
