"""Makes the learning rate follow the group's batch."""

from __future__ import annotations

import math
from dataclasses import dataclass

SCALINGS = ("linear", "sqrt", "none")


@dataclass
class RateState:
    """State that another member needs to continue the schedule."""

    first_growth: float = 0.0
    """Growth at the trial's first step; 0 until the first set_batch()."""
    growth: float = 0.0
    """The group's batch divided by the program's own batch."""
    changed_at: float = 0.0
    """When `growth` got its present value, in epochs."""
    changed_from: float = 1.0
    """Factor on the learning rate at `changed_at`."""
    first_batch: int = 0
    """Samples of the trial's first step, in checkpoints of versions without `growth`; else 0."""
    batch: int = 0
    """Samples of a step, in checkpoints of versions without `growth`; else 0."""


class LearningRate:
    """Factor on a trial's learning rate. It is 1 at the trial's first step.

    When the batch grows, the factor rises linearly from its present value over `warm_up` epochs. When the batch
    shrinks, the factor falls at once. Growth is relative to the program's own batch: a program that changes its own
    batch adjusts the rate itself.

    >>> rate = LearningRate("linear", warm_up=1.0, state=RateState())
    >>> rate.set_batch(64, own=64, epoch=0)
    >>> rate.set_batch(128, own=64, epoch=3)
    >>> [rate.factor(epoch) for epoch in (3, 3.5, 4, 5)]
    [1.0, 1.5, 2.0, 2.0]
    >>> rate.set_batch(512, own=256, epoch=5)
    >>> rate.factor(6)
    2.0
    """

    def __init__(self, scaling: str, warm_up: float, state: RateState) -> None:
        if scaling not in SCALINGS:
            raise ValueError(f"lr_scaling is {scaling!r}; use {', '.join(SCALINGS[:-1])} or {SCALINGS[-1]}")
        self.scaling = scaling
        self.warm_up = warm_up
        self.state = state

    def set_batch(self, batch: int, own: int, epoch: float) -> None:
        """Sets a step's samples to `batch` from `epoch` on. `own` is the program's own batch in samples. `epoch` counts
        completed epochs, plus the share of the present one."""
        state, growth = self.state, batch / own
        if state.batch > 0:
            state.first_growth, state.growth = state.first_batch / own, state.batch / own
            state.first_batch = state.batch = 0
        if growth == state.growth:
            return
        if state.first_growth == 0:
            state.first_growth = growth
        else:
            state.changed_from = self.factor(epoch)
        state.changed_at = epoch
        state.growth = growth

    def factor(self, epoch: float) -> float:
        state = self.state
        start, end = state.changed_from, self._target()
        if end <= start or epoch >= state.changed_at + self.warm_up:
            return end
        return start + (end - start) * max(0.0, (epoch - state.changed_at) / self.warm_up)

    def _target(self) -> float:
        growth = self.state.growth / self.state.first_growth
        return {"linear": growth, "sqrt": math.sqrt(growth), "none": 1.0}[self.scaling]
