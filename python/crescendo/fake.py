"""Plays crescendo's side of the trial protocol for a few warm trainers, in tests, benchmarks and `crescendo.check`."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence, Tuple

from crescendo.protocol import Message


class Unexpected(Exception):
    """A trainer violated the protocol, or did not do in time what the protocol requires."""


@dataclass
class Terms:
    """Content of a join, except the members."""

    directory: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    batch_multiple: int = 1
    accumulation: int = 1
    checkpoint_at: Optional[int] = None
    reported: Optional[int] = None
    max_resource: int = 100
    seed: int = 1
    trial: int = 0


class Trainer:
    """A warm trainer on its own slot."""

    def __init__(self, number: int, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.number = number
        self.socket, theirs = socket.socketpair()
        self.messages: Deque[Message] = deque()
        self.unread = b""
        self.ended = False
        self.errors = tempfile.TemporaryFile()
        device = os.environ.get("CRESCENDO_DEVICE", "cpu")
        base = {"CRESCENDO_DEVICE": device, "CRESCENDO_THREADS": "1", "OMP_NUM_THREADS": "1"}
        fd = {"CRESCENDO_FD": str(theirs.fileno())}
        self.process = subprocess.Popen(
            command,
            env={"PYTHONHASHSEED": "0", **os.environ, **base, **environment, **fd},
            pass_fds=[theirs.fileno()],
            stdout=self.errors,
            stderr=self.errors,
            start_new_session=True,
        )
        theirs.close()

    def last_words(self) -> str:
        size = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), 2000, max(0, size - 2000)).decode(errors="replace").strip()


class FakeCrescendo:
    """Plays crescendo's side. A trainer is an index from 0.

    Raises Unexpected if what it waits for does not happen within `patience` seconds, or if a trainer fails or ends
    unasked.
    """

    def __init__(
        self,
        count: int,
        command: Sequence[str],
        environment: Optional[Mapping[str, str]] = None,
        patience: float = 300.0,
        words: Optional[Sequence[Sequence[str]]] = None,
    ) -> None:
        """Starts the trainers and waits until all are idle. With `words`, adds each trainer's words to the command, and
        does not wait."""
        self.patience = patience
        self.generation = -1
        self.arrivals: List[Tuple[float, int, Message]] = []  # all messages, with the time and the trainer
        self._selector = selectors.DefaultSelector()
        self._spaces: Dict[Tuple[int, int], Dict[str, Message]] = {}
        self._waiting: List[Tuple[int, Message]] = []
        self._directory: Optional[Path] = None
        self.trainers = [
            Trainer(number, [*command, *(words[number] if words else [])], environment or {}) for number in range(count)
        ]
        for trainer in self.trainers:
            self._selector.register(trainer.socket, selectors.EVENT_READ, trainer)
        if words is None:
            try:
                for trainer in self.trainers:
                    self.expect(trainer.number, "hello")
            except Unexpected:
                self.close()
                raise

    def __enter__(self) -> FakeCrescendo:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Kills the trainers."""
        for trainer in self.trainers:
            self._signal_all(trainer, signal.SIGKILL)
            trainer.process.wait()
            trainer.socket.close()
            trainer.errors.close()
        self._selector.close()

    def send(self, trainer: int, **message: Any) -> None:
        try:
            self.trainers[trainer].socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            pass  # the next wait for this trainer finds that it ended

    def join(self, members: Sequence[int], state: str, terms: Terms, again: bool = False) -> None:
        """Makes the members, in rank order, form a group: a new generation, or the same one if `again`."""
        self.generation += 0 if again else 1
        self._spaces.pop((terms.trial, self.generation), None)
        self._directory = terms.directory
        for rank, member in enumerate(members):
            self.send(
                member,
                type="join",
                trial=terms.trial,
                generation=self.generation,
                rank=rank,
                size=len(members),
                batch_multiple=terms.batch_multiple,
                accumulation=terms.accumulation,
                checkpoint_at=terms.checkpoint_at,
                reported=terms.reported,
                max_resource=terms.max_resource,
                seed=terms.seed,
                settings=dict(terms.settings),
                directory=str(terms.directory),
                state=state,
            )

    def go_on(self, members: Sequence[int], terms: Terms) -> None:
        """Answers a report: all members continue."""
        for member in members:
            self.send(
                member,
                type="decision",
                trial=terms.trial,
                decision="continue",
                batch_multiple=terms.batch_multiple,
                checkpoint_at=terms.checkpoint_at,
            )

    def train(self, members: Sequence[int], state: str, terms: Terms, until: int) -> List[Message]:
        """Joins, and answers each report until that of resource `until`, which stays unanswered. Returns the
        reports."""
        self.join(members, state, terms)
        reports = [self._expect_report(members[0], terms.trial)]
        while reports[-1]["resource"] < until:
            self.go_on(members, terms)
            reports.append(self._expect_report(members[0], terms.trial))
        return reports

    def _expect_report(self, trainer: int, trial: int) -> Message:
        """Like expect(), but passes over reports of earlier trials, which may have crossed the order to leave."""
        while True:
            report = self.expect(trainer, "report")
            if report["trial"] == trial:
                return report

    def leave(self, members: Sequence[int], save: bool = False, trial: int = 0) -> bool:
        """Makes the members leave, and waits until they have. Returns whether one of them saved the trial."""
        for member in members:
            self.send(member, type="leave", trial=trial, save=save)
        return any([self.expect(member, "left")["saved"] for member in members])

    def expect(self, trainer: int, kind: str) -> Message:
        """Takes the oldest message of this type, and serves the store while it waits for one. Raises Unexpected."""
        found = self.look_for(trainer, kind, self.patience)
        if found is None:
            raise Unexpected(f"no {kind!r} within {self.patience:g} s{self._words_of(trainer)}")
        return found

    def look_for(self, trainer: int, kind: str, seconds: float) -> Optional[Message]:
        """Like expect(), but returns None if no such message arrives within `seconds`."""
        deadline = time.monotonic() + seconds
        messages = self.trainers[trainer].messages
        while True:
            for message in messages:
                if message.get("type") == kind:
                    messages.remove(message)
                    return message
                if message.get("type") == "failed":
                    raise Unexpected(f"it fails instead of sending {kind!r}: {message.get('message')}")
            if self.trainers[trainer].ended:
                raise Unexpected(f"it ended before it sent {kind!r}{self._words_of(trainer)}")
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.serve(left)

    def serve(self, seconds: float) -> None:
        """Handles what arrives next, within `seconds`."""
        for key, _ in self._selector.select(seconds):
            trainer: Trainer = key.data
            try:
                received = trainer.socket.recv(1 << 20)
            except OSError:
                received = b""
            if not received:
                trainer.ended = True
                self._selector.unregister(trainer.socket)
                continue
            *lines, trainer.unread = (trainer.unread + received).split(b"\n")
            for line in lines:
                self._take(trainer, line)

    def kill(self, trainer: int) -> None:
        """Kills only the trainer's process, not the processes that it started."""
        self.trainers[trainer].process.kill()
        self.trainers[trainer].process.wait()

    def signal(self, trainer: int, number: int) -> None:
        self.trainers[trainer].process.send_signal(number)

    def hang_up(self, trainer: int) -> None:
        """Closes the trainer's channel."""
        if not self.trainers[trainer].ended:
            self._selector.unregister(self.trainers[trainer].socket)
            self.trainers[trainer].ended = True
        self.trainers[trainer].socket.close()

    def wait_for_end(self, trainer: int) -> int:
        """Waits for the trainer's end. Returns its exit status, or minus the signal that ended it."""
        try:
            return self.trainers[trainer].process.wait(self.patience)
        except subprocess.TimeoutExpired:
            raise Unexpected(f"it does not end{self._words_of(trainer)}") from None

    def _signal_all(self, trainer: Trainer, number: int) -> None:
        try:
            os.killpg(trainer.process.pid, number)
        except ProcessLookupError:
            pass

    def _words_of(self, trainer: int) -> str:
        words = self.trainers[trainer].last_words()
        log = self._directory / "trainer.log" if self._directory else None
        if log is not None and log.exists():
            words += "\n" + log.read_text(errors="replace")[-2000:]
        return f"; its last words:\n{words.strip()}" if words.strip() else "; it printed nothing"

    def _take(self, trainer: Trainer, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise Unexpected(f"this line is not a JSON object with a type: {line.decode(errors='replace')!r}")
        self.arrivals.append((time.monotonic(), trainer.number, message))
        if message["type"] == "store":
            self._perform(trainer.number, message)
        elif message["type"] != "progress":
            trainer.messages.append(message)

    def _perform(self, trainer: int, request: Message) -> None:
        try:
            space = self._spaces.setdefault((request["trial"], request["generation"]), {})
            answer = _OPERATIONS[request["op"]](space, request) if request["op"] in _OPERATIONS else None
            if answer is None:
                if request["op"] not in ("get", "wait"):
                    raise Unexpected(f"a store request has an unknown op {request['op']!r}")
                self._waiting.append((trainer, request))
            else:
                self.send(trainer, type="store", id=request["id"], **answer)
        except KeyError as missing:
            raise Unexpected(f"a store request lacks the key {missing}: {request}") from None
        for waiter, waited in list(self._waiting):
            space = self._spaces.get((waited["trial"], waited["generation"]), {})
            keys = waited["keys"] if waited["op"] == "wait" else [waited["key"]]
            if all(key in space for key in keys):
                self._waiting.remove((waiter, waited))
                found = space[waited["key"]] if waited["op"] == "get" else {}
                self.send(waiter, type="store", id=waited["id"], **found)


def _set(space: Dict[str, Message], request: Message) -> Message:
    space[request["key"]] = {"value": request["value"]}
    return {}


def _add(space: Dict[str, Message], request: Message) -> Message:
    before = space.get(request["key"], {}).get("number", 0)
    space[request["key"]] = {"number": before + request["delta"]}
    return space[request["key"]]


def _compare_set(space: Dict[str, Message], request: Message) -> Message:
    key, expected = request["key"], request["expected"]
    if space.get(key, {}).get("value", "") == expected:
        space[key] = {"value": request["value"]}
    return space.get(key, {"value": expected})


_OPERATIONS: Dict[str, Callable[[Dict[str, Message], Message], Message]] = {
    "set": _set,
    "add": _add,
    "check": lambda space, request: {"found": all(key in space for key in request["keys"])},
    "delete": lambda space, request: {"found": space.pop(request["key"], None) is not None},
    "compare_set": _compare_set,
}
