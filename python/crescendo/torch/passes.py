"""A step that is made in several passes, as one step for what the loop's body counts."""

from __future__ import annotations

import functools
from typing import Any, Callable, Collection, Dict, List, Optional, Tuple

import torch


class Passes:
    """The passes of a step: the loop's body runs once for each, and calls schedulers, and averages of weights.

    Of the calls of one such object in the passes of a step, one counts, behind the update: that of the last pass, or if
    that has none, the last one before it.
    """

    def __init__(self) -> None:
        self.has_stepped = True
        """Whether the last optimizer.step() updated the weights: it does in the last pass."""
        self.is_between = False
        """Whether the body is behind optimizer.step() of another pass than the last."""
        self._owed: Dict[Tuple[int, str], Callable[[], Any]] = {}  # by object and method: calls before the last pass
        self._rates: List[Any] = []  # those of the step's update

    def end_pass(self, is_last: bool, optimizer: torch.optim.Optimizer) -> None:
        """The body is behind optimizer.step()."""
        self.has_stepped = is_last
        self.is_between = not is_last
        self._rates = [group["lr"] for group in optimizer.param_groups]

    def begin_next(self, optimizer: torch.optim.Optimizer) -> None:
        """The body has run for another pass than the last. What sets rates behind optimizer.step() may have done one
        half of that, and owe the other."""
        for group, rate in zip(optimizer.param_groups, self._rates):
            group["lr"] = rate

    def end_step(self) -> None:
        """The body has run for the last pass."""
        owed, self._owed = self._owed, {}
        for call in owed.values():
            call()

    def watch(
        self, counting: Any, methods: Collection[str], counts: Optional[Callable[[Tuple[Any, ...]], bool]] = None
    ) -> None:
        """From now on these methods of the object count steps, not passes: all calls of them, or those that `counts`
        knows by their arguments.

        The object gets a class of its own: another attribute would be a part of a scheduler's state.
        """
        kind = getattr(type(counting), "_crescendo_kind", type(counting))  # it may have outlived a call of train

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
            """Copies, and what is written to files, are of the class that others know."""
            make, arguments, *rest = kind.__reduce_ex__(counted, 1)  # later ones insist on the object's own class
            return (make, tuple(kind if each is type(counted) else each for each in arguments), *rest)

        places = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
        more = {"__slots__": (), "_crescendo_kind": kind, "__reduce_ex__": reduce}
        counted_once = {method: once(method) for method in methods}
        counting.__class__ = type(kind)(kind.__name__, (kind,), {**places, **more, **counted_once})
