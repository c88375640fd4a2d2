"""Makes schedulers and averages count a step with several passes as one step."""

from __future__ import annotations

import functools
from typing import Any, Callable, Collection, Dict, List, Optional, Tuple

import torch


class Passes:
    """The passes of a step. The loop's body runs once per pass, and calls schedulers and averages of weights.

    One call of each such object counts per step, after the update: the call in the last pass or, if there is none, the
    last call before it.
    """

    def __init__(self) -> None:
        self.has_stepped = True
        """Whether the last optimizer.step() updated the weights, as it does in a step's last pass."""
        self.is_between = False
        """Whether the body is after optimizer.step() in a pass that is not the last."""
        self._owed: Dict[Tuple[int, str], Callable[[], Any]] = {}  # by object and method: calls before the last pass
        self._rates: List[Any] = []  # learning rates at the last end_pass(), per parameter group

    def end_pass(self, is_last: bool, optimizer: torch.optim.Optimizer) -> None:
        """Called when the body has called optimizer.step()."""
        self.has_stepped = is_last
        self.is_between = not is_last
        self._rates = [group["lr"] for group in optimizer.param_groups]

    def begin_next(self, optimizer: torch.optim.Optimizer) -> None:
        """Called when the body has run for a pass that is not the last. Restores the learning rates: code after
        optimizer.step() may have made half of a change, with the other half owed until the last pass."""
        for group, rate in zip(optimizer.param_groups, self._rates):
            group["lr"] = rate

    def end_step(self) -> None:
        """Called when the body has run for the last pass. Makes the owed calls."""
        owed, self._owed = self._owed, {}
        for call in owed.values():
            call()

    def watch(
        self, counting: Any, methods: Collection[str], counts: Optional[Callable[[Tuple[Any, ...]], bool]] = None
    ) -> None:
        """Makes these methods of the object count steps, not passes: all calls, or only those whose arguments `counts`
        accepts.

        The object gets its own class, because a new attribute would become part of a scheduler's state.
        """
        kind = getattr(type(counting), "_crescendo_kind", type(counting))  # an earlier call of train may watch it

        def once(method: str) -> Callable[..., Any]:
            count = getattr(kind, method)

            @functools.wraps(count)
            def count_once(counted: Any, *arguments: Any, **options: Any) -> Any:
                if counts is not None and not counts(arguments):
                    return count(counted, *arguments, **options)
                call = functools.partial(count, counted, *arguments, **options)
                if self.is_between:
                    self._owed[id(counted), method] = call
                    return None
                self._owed.pop((id(counted), method), None)
                return call()

            return count_once

        def reduce(counted: Any, protocol: Any) -> Any:
            """Gives copies and pickles the original class, which other processes know."""
            make, arguments, *rest = kind.__reduce_ex__(counted, 1)  # protocols from 2 on use the object's own class
            return (make, tuple(kind if each is type(counted) else each for each in arguments), *rest)

        places = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
        more = {"__slots__": (), "_crescendo_kind": kind, "__reduce_ex__": reduce}
        counted_once = {method: once(method) for method in methods}
        counting.__class__ = type(kind)(kind.__name__, (kind,), {**places, **more, **counted_once})
