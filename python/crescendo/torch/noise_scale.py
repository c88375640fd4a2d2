"""How noisy a trial's gradients are: by it crescendo tells which batch is worth it (`batch: adaptive`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Optional

EVERY = 16  # steps, of which one is measured
DECAY = 0.99  # a hundred measurements count
FEWEST = 8


@dataclass(frozen=True)
class Norms:
    """Squared norms of a step's mean gradients, all at the same weights."""

    whole: float
    """Of all samples of the group."""
    parts: float
    """Of each member's samples: the mean, each weighted with its samples."""


@dataclass
class Average:
    """An exponential moving average that does not lean towards its beginning."""

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
    parts tell S and |G|², each averaged over many steps. So a worker alone measures nothing.
    """

    noise: Average = field(default_factory=Average)
    gradient: Average = field(default_factory=Average)

    def add(self, norms: Norms, samples: int, parts: int) -> None:
        """Of a step of so many samples, in so many parts, at least two."""
        noise = (norms.parts - norms.whole) / (parts / samples - 1 / samples)
        gradient = norms.whole - noise / samples
        if math.isfinite(noise) and math.isfinite(gradient):
            self.noise.add(noise)
            self.gradient.add(gradient)

    @property
    def value(self) -> Optional[float]:
        """In samples. None after few measurements, and while the noise hides the gradient."""
        if self.noise.count < FEWEST or not self.gradient.value > 0:
            return None
        return max(0.0, self.noise.value / self.gradient.value)
