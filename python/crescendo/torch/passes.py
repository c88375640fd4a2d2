"""A step that is made in several passes, as one step for what the loop's body counts."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict


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
        self._owed: Dict[int, Callable[[], Any]] = {}  # by the object's id: calls in passes before the last

    def end_pass(self, is_last: bool) -> None:
        self.has_stepped = is_last
        self.is_between = not is_last

    def end_step(self) -> None:
        """The body has run for the last pass."""
        owed, self._owed = self._owed, {}
        for call in owed.values():
            call()

    def watch(self, counting: Any, method: str) -> None:
        """From now on this method of the object counts steps, not passes.

        The object gets a class of its own: another attribute would be a part of a scheduler's state.
        """
        kind = getattr(type(counting), "_crescendo_kind", type(counting))  # it may have outlived a call of train
        count = getattr(kind, method)

        @functools.wraps(count)
        def count_once(counted: Any, *arguments: Any, **options: Any) -> Any:
            call = functools.partial(count, counted, *arguments, **options)
            if self.is_between:
                self._owed[id(counted)] = call
                return None
            self._owed.pop(id(counted), None)
            return call()

        def reduce(counted: Any, protocol: Any) -> Any:
            """Copies, and what is written to files, are of the class that others know."""
            make, arguments, *rest = kind.__reduce_ex__(counted, 1)  # later ones insist on the object's own class
            return (make, tuple(kind if each is type(counted) else each for each in arguments), *rest)

        places = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
        more = {"__slots__": (), "_crescendo_kind": kind, "__reduce_ex__": reduce, method: count_once}
        counting.__class__ = type(kind)(kind.__name__, (kind,), {**places, **more})
