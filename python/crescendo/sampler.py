"""Proposes the configurations of a sweep, if its file has `sampler: {command: [python3, mine.py]}`.

A sampler is a class with one method and two optional ones::

    from crescendo import sampler

    class Mine:
        def __init__(self, search):      # what is searched
            self.most = search.options["most"]

        def propose(self, number, draw):  # a value for each parameter; None: nothing yet; StopIteration: never again
            return {**draw, "width": min(draw["width"], self.most)}

        def tell(self, trial):           # if you like: how a trial is now
            ...

        def refuse(self, number, reason):  # if you like: why a proposal is not used, such as a constraint
            ...

    sampler.serve(Mine)

`draw` is a configuration that crescendo drew at random from the search space, within its constraints; use it as a
starting point. A `propose(self, number)` without it works too. docs/sampler-protocol.md describes the messages.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

from crescendo.protocol import inherited_socket


@dataclass
class Search:
    """The search, in the words of the sweep file."""

    name: str = ""
    metric: str = ""
    goal: str = "minimize"
    seed: int = 0
    run_cap: Optional[int] = None  # number of trials
    max_resource: Optional[int] = None  # resource of a complete trial
    parameters: Dict[str, Dict[str, Any]] = field(default_factory=dict)
    constraints: List[str] = field(default_factory=list)
    options: Dict[str, Any] = field(default_factory=dict)  # `sampler.options`


@dataclass
class Trial:
    """Current state of a trial."""

    trial: int
    status: str  # running, waiting, paused, held, stopped, finished, failed
    config: Dict[str, Any]
    value: Optional[float] = None  # the metric of its last report
    resource: int = 0  # resource of its last report
    proposal: Optional[int] = None  # number of its proposal, if this process made it

    @property
    def ended(self) -> bool:
        return self.status in ("stopped", "finished", "failed")


def _known(cls: Any, message: Dict[str, Any]) -> Any:
    return cls(**{name: value for name, value in message.items() if name in cls.__dataclass_fields__})


def _propose(sampler: Any, question: Dict[str, Any]) -> Dict[str, Any]:
    takes_draw = len(inspect.signature(sampler.propose).parameters) > 1
    try:
        return {"config": sampler.propose(question["proposal"], *([question.get("draw")] if takes_draw else []))}
    except StopIteration:
        return {"done": True}


def _plain(value: Any) -> Any:
    """Converts what JSON cannot represent: numbers and arrays of NumPy or torch. Raises TypeError for anything else."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"propose() returned {value!r} ({type(value).__name__}); return numbers, strings, lists or dicts")


def serve(make: Callable[[Search], Any]) -> None:
    """Answers the sweep's requests with the sampler `make(search)` until the sweep is over."""
    connection = inherited_socket()
    if connection is None:
        raise SystemExit(
            "crescendo: a sampler does not run on its own: a sweep starts it; name it in the sweep file, as in "
            "`sampler: {command: [python3, mine.py]}`, and try it with `crescendo validate sweep.yaml --sample 5`"
        )
    # A single two-way stream would lose questions: before Python 3.13, a write discards what was read ahead.
    with connection, connection.makefile(encoding="utf-8") as questions:
        sampler = None
        for line in questions:
            message = json.loads(line)
            request = message["request"]
            if request == "begin":
                sampler = make(_known(Search, message))
            elif request == "tell" and hasattr(sampler, "tell"):
                sampler.tell(_known(Trial, message))
            elif request == "propose":
                answer = json.dumps(_propose(sampler, message), default=_plain)
                connection.sendall((answer + "\n").encode())
            elif request == "refused" and hasattr(sampler, "refuse"):
                sampler.refuse(message["proposal"], message["reason"])
