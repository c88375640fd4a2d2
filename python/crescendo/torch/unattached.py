"""Refuses schedules and averages of weights that are not attached, and that leave no trace in the optimizer. A worker
that enters a trial, and a resumed trial, would start them anew. Also refuses gradient scalers, attached or not."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import Any, Callable, Dict, List

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.optim.swa_utils import AveragedModel

_present = threading.local()  # .attached(): the Attached of this thread's last trial


class Attached:
    """From construction on, refuses schedules and averages that `objects` lack, when they step."""

    def __init__(self, objects: Dict[str, Any]) -> None:
        self._objects = objects
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()  # checked already: averages are updated at every step
        _present.attached = weakref.ref(self)

    def note_schedule(self, schedule: Any, *_: Any, **__: Any) -> None:
        if schedule.optimizer is self._objects.get("optimizer"):
            self._require(schedule, "the optimizer has a scheduler", "schedule", "scheduler=…")

    def note_average(self, average: torch.nn.Module, model: torch.nn.Module) -> None:
        if average in self._known:
            return
        modules = [each for each in self._objects.values() if isinstance(each, torch.nn.Module)]
        learned = {id(parameter) for module in modules for parameter in module.parameters()}
        if any(id(parameter) in learned for parameter in model.parameters()):
            self._require(average, "the model has an AveragedModel", "average", "average=…")

    def note_scaler(self, scaler: Any, optimizer: torch.optim.Optimizer, *_: Any, **__: Any) -> None:
        if optimizer is self._objects.get("optimizer"):
            require_no_scaler("the object that steps the optimizer", scaler)

    def _require(self, needed: Any, what: str, anew: str, how: str) -> None:
        if needed in self._known:
            return
        if not any(needed is part for each in self._objects.values() for part in parts_of(each, depth=3)):
            raise unattached(what, anew, how)
        self._known.add(needed)


def require_no_scaler(name: str, each: Any) -> None:
    """Raises TypeError for an enabled gradient scaler: it may skip steps, and may change its factor between the passes
    of a step."""
    is_scaler = any(kind.__name__ == "GradScaler" for kind in type(each).__mro__)
    if is_scaler and getattr(each, "is_enabled", lambda: True)():
        raise TypeError(
            f"{name} is a GradScaler, which skips steps whose gradients overflow, but crescendo.torch needs a step for "
            "each batch; use bfloat16, which needs no scaler: torch.autocast(trial.device.type, torch.bfloat16)"
        )


def unattached(what: str, anew: str, how: str) -> RuntimeError:
    return RuntimeError(
        f"{what} that is not attached, so its {anew} would start over on workers that enter the trial, and when the "
        "trial continues from a checkpoint; create it before trial.attach(), and attach it: trial.attach(model=…, "
        f"optimizer=…, {how})"
    )


def parts_of(each: Any, depth: int) -> List[Any]:
    """The object and the objects that it holds, to this depth."""
    if isinstance(each, torch.nn.Module):
        return list(each.modules())
    parts = [each]
    for held in vars(each).values() if depth > 0 and hasattr(each, "__dict__") else ():
        for part in held.values() if isinstance(held, dict) else held if isinstance(held, (list, tuple)) else [held]:
            parts += parts_of(part, depth - 1)
    return parts


def _look_before(kind: Any, method: str, look: Callable[..., None]) -> None:
    """Wraps the method so that each call first calls `look`."""
    call = getattr(kind, method)

    @functools.wraps(call)
    def looked_at(called: Any, *arguments: Any, **options: Any) -> Any:
        attached = getattr(_present, "attached", lambda: None)()
        if attached is not None:
            look(attached, called, *arguments, **options)
        return call(called, *arguments, **options)

    setattr(kind, method, looked_at)


_look_before(ReduceLROnPlateau, "step", Attached.note_schedule)
_look_before(AveragedModel, "update_parameters", Attached.note_average)
_look_before(torch.amp.GradScaler, "step", Attached.note_scaler)
