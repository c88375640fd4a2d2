"""How the learning rate follows the group's batch."""

from __future__ import annotations

import math
from dataclasses import dataclass

SCALINGS = ("linear", "sqrt", "none")


@dataclass
class RateState:
    """What a member needs to continue the schedule elsewhere."""

    first_growth: float = 0.0
    """The growth of the trial's first step; 0 until the first set_batch()."""
    growth: float = 0.0
    """How many times the program's own batch the group's batch is."""
    changed_at: float = 0.0
    """When the growth got its present value, in epochs."""
    changed_from: float = 1.0
    """The factor at that time."""
    first_batch: int = 0
    """Samples of the trial's first step, in a checkpoint of a version that knew no growth; else 0."""
    batch: int = 0
    """Samples of a step, likewise."""


class LearningRate:
    """The factor on a trial's learning rate. It is 1 at the trial's first step.

    When the batch grows, the factor rises in a straight line over `warm_up` epochs from where it is; when the batch
    shrinks, it falls at once. Growth counts beside the program's own batch: if the program changes that, it sees to the
    rate itself.

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
            raise ValueError(f"lr_scaling is {scaling!r}; it is {', '.join(SCALINGS[:-1])} or {SCALINGS[-1]}")
        self.scaling = scaling
        self.warm_up = warm_up
        self.state = state

    def set_batch(self, batch: int, own: int, epoch: float) -> None:
        """From `epoch` (whole epochs and the share of the present one) on, a step takes `batch` samples, where the
        program's own has `own`."""
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
