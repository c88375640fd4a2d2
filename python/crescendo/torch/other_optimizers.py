"""Optimizers beside the attached one. What they learn differs by worker, and reaches no newcomer and no checkpoint."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, Optional, Set, Tuple
from weakref import WeakKeyDictionary

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

Place = Tuple[int, ...]
_present = threading.local()  # .watch: that of the trial whose loop has a batch


class Watch:
    """Over the optimizers that step while a trial's loop has a batch.

    One that was made for a single batch may step as often as it likes, as those that search for a disturbance of the
    inputs do: nothing of it stays. One that steps in several batches learns something.
    """

    def __init__(self) -> None:
        self._attached: Optional[torch.optim.Optimizer] = None
        self._place: Place = ()
        self._seen: WeakKeyDictionary[torch.optim.Optimizer, Place] = WeakKeyDictionary()
        _present.watch = None  # a former one may still be there, if its loop was left

    @contextlib.contextmanager
    def during_batch(self, attached: torch.optim.Optimizer, *place: int) -> Iterator[None]:
        """While the loop has the batch of this place in the training."""
        self._attached, self._place = attached, place
        _present.watch = self
        try:
            yield
        finally:
            self._end()

    @contextlib.contextmanager
    def during_update(self) -> Iterator[None]:
        """While the attached optimizer steps: it may step others that it holds."""
        self._end()
        try:
            yield
        finally:
            _present.watch = self

    def _end(self) -> None:
        if getattr(_present, "watch", None) is self:
            _present.watch = None

    def note_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Raises if it is one that learns beside the attached one."""
        if self._seen.setdefault(optimizer, self._place) == self._place or self._is_wrapper(optimizer):
            return
        raise RuntimeError(
            f"an optimizer that is not attached, {type(optimizer).__name__}, steps in the loop too; the workers' "
            "gradients are averaged for the attached one alone, so what this one learns would differ from worker to "
            "worker, and be lost when the trial pauses; give one optimizer all parameters, with a group for each set "
            "of options, or let the program grow by a restart"
        )

    def _is_wrapper(self, optimizer: torch.optim.Optimizer) -> bool:
        """Whether it has the parameters of the attached one: its step() is a step of that."""
        return self._attached is not None and _parameters_of(optimizer) <= _parameters_of(self._attached)


def _parameters_of(optimizer: torch.optim.Optimizer) -> Set[int]:
    return {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}


def _note_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    watch = getattr(_present, "watch", None)
    if watch is not None:
        watch.note_step(optimizer)


register_optimizer_step_pre_hook(_note_step)
