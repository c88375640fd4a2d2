"""Refuses optimizers besides the attached one: what they learn differs by worker, and reaches no newcomer or
checkpoint."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, Optional, Set, Tuple
from weakref import WeakKeyDictionary

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

Place = Tuple[int, ...]
_present = threading.local()  # .watch: the Watch of the trial whose loop has a batch; per thread


class Watch:
    """Watches the optimizers that step while a trial's loop has a batch.

    An optimizer made for a single batch may step any number of times, as in searches for an adversarial change of the
    inputs: it leaves nothing behind. One that steps in several batches learns something.
    """

    def __init__(self) -> None:
        self._attached: Optional[torch.optim.Optimizer] = None
        self._place: Place = ()
        self._seen: WeakKeyDictionary[torch.optim.Optimizer, Place] = WeakKeyDictionary()
        _present.watch = None  # a previous Watch may be left, if its loop was left

    @contextlib.contextmanager
    def during_batch(self, attached: torch.optim.Optimizer, *place: int) -> Iterator[None]:
        """Watches while the loop has the batch at this place (epoch and position) in the training."""
        self._attached, self._place = attached, place
        _present.watch = self
        try:
            yield
        finally:
            self._end()

    @contextlib.contextmanager
    def during_update(self) -> Iterator[None]:
        """Stops watching while the attached optimizer steps: it may step others that it holds."""
        self._end()
        try:
            yield
        finally:
            _present.watch = self

    def _end(self) -> None:
        if getattr(_present, "watch", None) is self:
            _present.watch = None

    def note_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Raises RuntimeError if this optimizer learns besides the attached one."""
        if self._seen.setdefault(optimizer, self._place) == self._place or self._is_wrapper(optimizer):
            return
        raise RuntimeError(
            f"an optimizer that is not attached, {type(optimizer).__name__}, also steps in the loop; gradients are "
            "averaged over the workers only for the attached one, so what this one learns would differ between workers "
            "and be lost when the trial pauses; give one optimizer all parameters, with one group per set of options, "
            "or let the program grow by a restart"
        )

    def _is_wrapper(self, optimizer: torch.optim.Optimizer) -> bool:
        """Whether all its parameters are the attached optimizer's: then its step() is a step of the attached one."""
        return self._attached is not None and _parameters_of(optimizer) <= _parameters_of(self._attached)


def _parameters_of(optimizer: torch.optim.Optimizer) -> Set[int]:
    return {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}


def _note_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    watch = getattr(_present, "watch", None)
    if watch is not None:
        watch.note_step(optimizer)


register_optimizer_step_pre_hook(_note_step)
