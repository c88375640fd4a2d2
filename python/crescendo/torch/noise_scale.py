"""Estimates how noisy a trial's gradients are. From it, crescendo chooses the batch (`batch: adaptive`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Optional

EVERY = 16  # one step in this many is measured
DECAY = 0.99  # of the moving averages: about the last hundred measurements count
FEWEST = 8


@dataclass(frozen=True)
class Norms:
    """Squared norms of a step's mean gradients, all at the same weights."""

    whole: float
    """Squared norm over all samples of the group."""
    parts: float
    """Mean of the squared norms of each member's samples, weighted by the number of samples."""


@dataclass
class Average:
    """An exponential moving average with bias correction."""

    sum: float = 0.0
    count: int = 0

    def add(self, number: float) -> None:
        self.sum = DECAY * self.sum + (1 - DECAY) * number
        self.count += 1

    @property
    def value(self) -> float:
        return self.sum / (1 - DECAY**self.count) if self.count else 0.0


@dataclass
class NoiseScale:
    """Estimates the gradient noise scale: the batch, in samples, at which the noise of a step's gradient is as large as
    the gradient (McCandlish et al., "An Empirical Model of Large-Batch Training", 2018, appendix A.1).

    The mean gradient of n samples has the expected squared norm |G|² + S/n. The norms of a step and of its members'
    parts give S and |G|², each averaged over many steps. So a single worker cannot measure it.
    """

    noise: Average = field(default_factory=Average)
    gradient: Average = field(default_factory=Average)

    def add(self, norms: Norms, samples: int, parts: int) -> None:
        """Adds the norms of a step with `samples` samples in `parts` parts, at least two."""
        noise = (norms.parts - norms.whole) / (parts / samples - 1 / samples)
        gradient = norms.whole - noise / samples
        if math.isfinite(noise) and math.isfinite(gradient):
            self.noise.add(noise)
            self.gradient.add(gradient)

    @property
    def value(self) -> Optional[float]:
        """The noise scale in samples. None before FEWEST measurements, and while the noise hides the gradient."""
        if self.noise.count < FEWEST or not self.gradient.value > 0:
            return None
        return max(0.0, self.noise.value / self.gradient.value)
