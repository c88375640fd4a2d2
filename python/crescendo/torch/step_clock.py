"""How long a trial trains, and the steps of its group: by these crescendo tells what more workers bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Step:
    """An update of the whole group."""

    seconds: float
    """From the end of the step before, with the wait for its data."""
    waited: float
    """How long it waited for its data."""
    batch: int
    """Samples of a full step of the group."""
    is_full: bool
    """Whether it had as many; the last one of an epoch may have fewer."""
    epoch_samples: int
    """Samples of an epoch."""


@dataclass
class TrainingClock:
    """Seconds since the trial began, over all of its groups."""

    seconds: float = 0.0
    """In steps, with the wait for data, and in regroups."""
    evaluated: float = 0.0
    """Between the last step of an epoch and its report."""


class StepClock:
    """The mean seconds of a group's full steps from one report to the next. The group's first step does not count: it
    also prepares the others.

    >>> clock = StepClock()
    >>> for seconds in (9.0, 1.0, 2.0):
    ...     clock.add(Step(seconds, waited=0.1, batch=64, is_full=True, epoch_samples=640))
    >>> clock.take(), clock.mean
    (1.5, None)
    """

    def __init__(self) -> None:
        self._is_first = True
        self._seconds = 0.0
        self._count = 0
        self._is_warm_up = False

    def add(self, step: Step) -> None:
        if step.is_full and not self._is_first:
            if self._is_warm_up:
                self.take()
                self._is_warm_up = False
            self._seconds += step.seconds
            self._count += 1
        self._is_first = False

    def wait(self, seconds: float) -> None:
        """The device took so much longer for the steps so far."""
        if self._count > 0:
            self._seconds += seconds

    def end_warm_up(self) -> None:
        """The steps so far prepared others. They are forgotten as soon as another one counts."""
        self._is_warm_up = True

    @property
    def mean(self) -> Optional[float]:
        """None if no step counted."""
        return self._seconds / self._count if self._count else None

    def take(self) -> Optional[float]:
        """The mean, and begins a new one."""
        mean = self.mean
        self._seconds, self._count = 0.0, 0
        return mean
