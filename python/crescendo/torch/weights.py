"""Whether workers have the same weights, and whether a trial's are its own."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Dict, Iterable, Sequence

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from crescendo.torch.group import Group

PIECE = 1 << 20  # weights that are looked at together: a copy of them in float64 takes 8 MiB
TOLERANCE = 1e-3  # of the norm of weights: machines of several kinds round differently
RATE_TOLERANCE = 1e-6
FIRST = 4096  # values of a parameter by which it is known again
EXACT = 1e-6  # of the slack between workers: this process has the same values, and may add them up in another order

_trained = WeakTensorKeyDictionary()  # the trial that a parameter is trained by, and what it was before


@dataclass(frozen=True)
class Sketch:
    """Tells whether weights differ, without the weights.

    The sums of two workers differ by about the norm of what their weights differ by, however many there are.
    """

    sum: float
    """Of all weights, with signs that were drawn at random once: the same for everybody."""
    slack: float
    """How far the sum may be from another worker's, because of rounding."""

    def agrees_with(self, other: Sketch) -> bool:
        """Weights that are no numbers any more agree with their like."""
        if not (math.isfinite(self.sum) and math.isfinite(other.sum)):
            return math.isfinite(self.sum) == math.isfinite(other.sum)
        return abs(self.sum - other.sum) <= max(self.slack, other.slack)


@torch.no_grad()
def sketch(parameters: Iterable[torch.Tensor]) -> Sketch:
    """In one pass over the parameters."""
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
    """Tells whether this process has changed weights meanwhile, by the first values of each."""
    # An optimizer may hold frozen ones of whole numbers, too.
    found = sketch(_first(each) for each in parameters if each.is_floating_point() or each.is_complex())
    return Sketch(found.sum, EXACT * found.slack)


def require_same(
    group: Group, parameters: Iterable[torch.Tensor], rates: Sequence[float], num_frozen: int = 0
) -> None:
    """Raises on every member if one has other weights or learning rates, or has frozen others. All of them call it."""
    frozen = [int(count) for (count,) in group.gather([num_frozen])]
    for rank, count in enumerate(frozen):
        if count != frozen[0]:
            raise RuntimeError(
                f"{frozen[0]} parameters are frozen on rank 0 and {count} on rank {rank}; freeze and thaw them behind "
                "trial.attach(), at the start of each epoch by its number, as parameter.requires_grad_(epoch >= 3): a "
                "worker that enters later has not come by an `if epoch == 3:`"
            )
    own = [Sketch(rate, RATE_TOLERANCE * abs(rate)) for rate in rates] + [sketch(parameters)]
    numbers = group.gather([number for each in own for number in (each.sum, each.slack)])
    members = [[Sketch(*pair) for pair in zip(each[::2], each[1::2])] for each in numbers]
    for rank, other in enumerate(members):
        differs = [not one.agrees_with(another) for one, another in zip(members[0], other)]
        if any(differs[:-1]):
            found = differs.index(True)
            raise RuntimeError(
                f"the learning rate is {members[0][found].sum} on rank 0 and {other[found].sum} on rank {rank}, so "
                "the workers' models drift apart; attach what sets it, as trial.attach(…, scheduler=…), have it go by "
                "numbers that all workers share, such as those of trial.sum(…), and loop over trial.epochs()"
            )
        if differs[-1]:
            raise RuntimeError(
                f"the weights of rank {rank} are not those of rank 0, though both get the same gradients; attach what "
                "changes weights or gradients, with one optimizer for all parameters, and have each worker make the "
                "same updates, also of averages of weights"
            )


def left_by_others(trial: int) -> Dict[int, str]:
    """Parameters of other trials that are still there, by their id, and what they are now."""
    return {id(parameter): _look_of(parameter) for parameter, (other, _) in _trained.items() if other != trial}


def require_own(trial: int, parameters: Iterable[torch.Tensor], left: Dict[int, str]) -> None:
    """Raises if one is to be trained on from where another trial left it. `left` is of the time before the trial."""
    for parameter in parameters:
        now = _look_of(parameter)
        other, before = _trained.get(parameter, (trial, now))
        if other != trial and now != before and now == left.get(id(parameter)):
            raise RuntimeError(
                f"trial {other} has trained the parameter of the shape {list(parameter.shape)} in this process before, "
                "and this trial would begin with what that one learned; make the model inside the train function, or "
                "there a copy.deepcopy() of one that is loaded above run()"
            )
        _trained[parameter] = (trial, before if other == trial else now)


def _look_of(parameter: torch.Tensor) -> str:
    """By its first values: training leaves those of some parameter changed. As text, NaN equals NaN."""
    return str(sketch([_first(parameter)]))


def _first(parameter: torch.Tensor) -> torch.Tensor:
    return parameter.detach().reshape(-1)[:FIRST]


@functools.lru_cache(maxsize=None)
def _signs(device: torch.device) -> torch.Tensor:
    drawn = torch.randint(2, [PIECE], generator=torch.Generator().manual_seed(0))
    return (2.0 * drawn - 1.0).double().to(device)
