"""Measures how long a trial trains, and its group's steps. From these, crescendo learns what more workers bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Step:
    """An update of the whole group."""

    seconds: float
    """Seconds since the end of the previous step, including the wait for data."""
    waited: float
    """Seconds of waiting for data."""
    batch: int
    """Number of samples in a full step of the group."""
    is_full: bool
    """Whether this step had `batch` samples; the last step of an epoch may have fewer."""
    epoch_samples: int
    """Number of samples in an epoch."""


@dataclass
class TrainingClock:
    """A trial's seconds of training and of evaluation, over all of its groups."""

    seconds: float = 0.0
    """Seconds in steps, including waits for data, and in regroups."""
    evaluated: float = 0.0
    """Seconds between an epoch's last step and its report, over all epochs."""


class StepClock:
    """Mean seconds of a group's full steps between two reports. The group's first step does not count: it also prepares
    the others.

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
        """Adds the seconds that the device still needed for the steps so far."""
        if self._count > 0:
            self._seconds += seconds

    def end_warm_up(self) -> None:
        """Ends the warm-up. The steps so far are dropped as soon as another one counts."""
        self._is_warm_up = True

    @property
    def mean(self) -> Optional[float]:
        """Mean seconds per step; None if no step counted."""
        return self._seconds / self._count if self._count else None

    def take(self) -> Optional[float]:
        """Returns the mean and starts a new one."""
        mean = self.mean
        self._seconds, self._count = 0.0, 0
        return mean
