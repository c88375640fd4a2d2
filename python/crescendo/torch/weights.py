"""Checks that workers have equal weights, and that a trial does not train another trial's weights."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Dict, Iterable, Sequence

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from crescendo.torch.group import Group

PIECE = 1 << 20  # weights per piece: its copy in float64 takes 8 MiB
TOLERANCE = 1e-3  # relative to the norm of the weights: different machines round differently
RATE_TOLERANCE = 1e-6
FIRST = 4096  # number of a parameter's values that identify it
EXACT = 1e-6  # factor on the slack: values in one process are equal, but their order of addition may differ

_trained = WeakTensorKeyDictionary()  # trial that trains a parameter, and the parameter's look before


@dataclass(frozen=True)
class Sketch:
    """Fingerprint of weights, to compare them without sending them.

    Two workers' sums differ by about the norm of the difference of their weights, whatever the number of weights.
    """

    sum: float
    """Sum of all weights with random signs. The signs are the same in every process."""
    slack: float
    """How far the sums of two workers may differ because of rounding."""

    def agrees_with(self, other: Sketch) -> bool:
        """Whether the weights agree. Two sketches that are both not finite agree."""
        if not (math.isfinite(self.sum) and math.isfinite(other.sum)):
            return math.isfinite(self.sum) == math.isfinite(other.sum)
        return abs(self.sum - other.sum) <= max(self.slack, other.slack)


@torch.no_grad()
def sketch(parameters: Iterable[torch.Tensor]) -> Sketch:
    """Makes a sketch in one pass over the parameters."""
    total = square = 0.0
    for parameter in parameters:
        values = torch.view_as_real(parameter) if parameter.is_complex() else parameter
        tolerance = max(TOLERANCE, 4 * torch.finfo(values.dtype).eps)
        signs = _signs(values.device)
        for piece in values.reshape(-1).split(PIECE):
            numbers = piece.double()
            total += torch.dot(numbers, signs[: len(numbers)]).item()
            square += tolerance**2 * torch.dot(numbers, numbers).item()
    return Sketch(total, math.sqrt(square))


def glance(parameters: Iterable[torch.Tensor]) -> Sketch:
    """Makes a cheap sketch of each parameter's first values, to tell whether this process has changed weights
    meanwhile."""
    # An optimizer may also hold frozen integer parameters.
    found = sketch(_first(each) for each in parameters if each.is_floating_point() or each.is_complex())
    return Sketch(found.sum, EXACT * found.slack)


def require_same(
    group: Group, parameters: Iterable[torch.Tensor], rates: Sequence[float], num_frozen: int = 0
) -> None:
    """Raises RuntimeError on every member if weights, learning rates or numbers of frozen parameters differ. All
    members must call it."""
    frozen = [int(count) for (count,) in group.gather([num_frozen])]
    for rank, count in enumerate(frozen):
        if count != frozen[0]:
            raise RuntimeError(
                f"{frozen[0]} parameters are frozen on rank 0 and {count} on rank {rank}; freeze and unfreeze them "
                "after trial.attach(), at the start of each epoch by its number, as in parameter.requires_grad_(epoch "
                ">= 3): a worker that enters later misses an `if epoch == 3:`"
            )
    own = [Sketch(rate, RATE_TOLERANCE * abs(rate)) for rate in rates] + [sketch(parameters)]
    numbers = group.gather([number for each in own for number in (each.sum, each.slack)])
    members = [[Sketch(*pair) for pair in zip(each[::2], each[1::2])] for each in numbers]
    for rank, other in enumerate(members):
        differs = [not one.agrees_with(another) for one, another in zip(members[0], other)]
        if any(differs[:-1]):
            found = differs.index(True)
            raise RuntimeError(
                f"the learning rate is {members[0][found].sum} on rank 0 and {other[found].sum} on rank {rank}, so the "
                "workers' models drift apart; attach what sets it, as in trial.attach(…, scheduler=…), base it on "
                "numbers that all workers share, such as those from trial.sum(…), and loop over trial.epochs()"
            )
        if differs[-1]:
            raise RuntimeError(
                f"the weights of rank {rank} differ from those of rank 0, although both get the same gradients; attach "
                "what changes weights or gradients, use one optimizer for all parameters, and make the same updates on "
                "each worker, also those of averaged weights"
            )


def left_by_others(trial: int) -> Dict[int, str]:
    """Parameters of other trials that still exist: what they look like now, by id."""
    return {id(parameter): _look_of(parameter) for parameter, (other, _) in _trained.items() if other != trial}


def require_own(trial: int, parameters: Iterable[torch.Tensor], left: Dict[int, str]) -> None:
    """Raises RuntimeError if a parameter starts as another trial left it. `left` was taken before this trial began."""
    for parameter in parameters:
        now = _look_of(parameter)
        other, before = _trained.get(parameter, (trial, now))
        if other != trial and now != before and now == left.get(id(parameter)):
            raise RuntimeError(
                f"trial {other} already trained the parameter of shape {list(parameter.shape)} in this process, so "
                "this trial would start with what that one learned; create the model inside the train function, or "
                "make a copy.deepcopy() there of one that is loaded before run()"
            )
        _trained[parameter] = (trial, before if other == trial else now)


def _look_of(parameter: torch.Tensor) -> str:
    """Fingerprint of a parameter's first values: training changes them in some parameter. Text, so that NaN equals
    NaN."""
    return str(sketch([_first(parameter)]))


def _first(parameter: torch.Tensor) -> torch.Tensor:
    return parameter.detach().reshape(-1)[:FIRST]


@functools.lru_cache(maxsize=None)
def _signs(device: torch.device) -> torch.Tensor:
    drawn = torch.randint(2, [PIECE], generator=torch.Generator().manual_seed(0))
    return (2.0 * drawn - 1.0).double().to(device)
