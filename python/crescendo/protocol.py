"""A program's end of the trial protocol: JSON objects, one a line, over a socket that it inherits."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from typing import Any, Deque, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

Message = Dict[str, Any]


def inherited_socket() -> Optional[socket.socket]:
    """The socket to crescendo; None outside a sweep, and in processes that the program starts in another way than by a
    fork: these have the variable, but not the socket. Raises RuntimeError if CRESCENDO_FD names no socket."""
    descriptor = os.environ.get("CRESCENDO_FD")
    # Such a process imports the program's main module before it knows its parent.
    if not descriptor or getattr(multiprocessing.current_process(), "_inheriting", False):
        return None
    try:
        inherited = socket.socket(fileno=int(descriptor))
        if inherited.family != socket.AF_UNIX:  # one that was opened since, under the number that had become free
            inherited.detach()
            raise OSError("the number is another socket's")
    except (OSError, ValueError) as error:
        if multiprocessing.parent_process() is not None:
            return None
        raise RuntimeError(
            f"CRESCENDO_FD is {descriptor!r}, and this process has no such socket ({error}); a program between "
            "crescendo and this one closed it, as torchrun does, in place of which the sweep file has `workers: 2` in "
            "its scheduler, and `conda run`, in place of which its command has the path of the environment's python3; "
            "or the variable was copied from a sweep: unset CRESCENDO_FD to run outside of one"
        ) from None
    inherited.set_inheritable(False)
    return inherited


def end_with_parent() -> None:
    """From now on the system kills this process when the one that started it dies."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass  # no Linux: the end of the channel has to do


def named_numbers(metrics: Any, unnamed: Sequence[Any], more: Mapping[str, Any], epoch: str) -> Dict[str, Any]:
    """What `report(metrics, *unnamed, **more)` was given. Raises TypeError if a number has no name, as in reports of
    other tools. `epoch` says where the epoch comes from."""
    others = [*unnamed] if metrics is None or isinstance(metrics, Mapping) else [metrics, *unnamed]
    if others:
        raise TypeError(
            f"a report names its numbers, and this one has a {type(others[0]).__name__} without a name: write "
            f"trial.report(val_loss=0.1); the epoch comes from {epoch}"
        )
    return {**(metrics or {}), **more}


def missing_attribute(trial: Any, name: str, parameters: str, pruning: str) -> Any:
    """Raises AttributeError, for `__getattr__` of a trial. For what other tools' trials have, that says what is
    here in its place."""
    if name.startswith("suggest_"):
        parameters = f"the sweep file has the ranges of the parameters, and {parameters}"
    if name == "should_prune" or name == "params" or name.startswith("suggest_"):
        remedy = pruning if name == "should_prune" else parameters
        raise AttributeError(f"a trial of Crescendo has no {name}: {remedy}")
    return object.__getattribute__(trial, name)  # raises Python's own


def number_of(value: Any) -> float:
    """A tensor that has a gradient is one too, and torch has no warning for it. Raises as float() does."""
    return float(value.detach() if hasattr(value, "detach") else value)


def numbers_of(metrics: Mapping[str, Any]) -> Dict[str, Optional[float]]:
    """Metrics as the protocol has them: numbers by name; None stands for one that is not finite.

    >>> numbers_of({"val_loss": 1, "grad": float("inf")})
    {'val_loss': 1.0, 'grad': None}
    """
    numbers: Dict[str, Optional[float]] = {}
    for name, value in metrics.items():
        try:
            number = number_of(value)
        except (TypeError, ValueError):
            remedy = "give one number, such as a mean"
            if isinstance(value, Mapping) and value:
                remedy = f'give each number a name, as in {{"{name}.{next(iter(value))}": …}}'
            raise TypeError(
                f"metric {name!r} is {value!r}, a {type(value).__name__}; a report holds numbers, so that trials can "
                f"be compared: {remedy}"
            ) from None
        numbers[name] = number if math.isfinite(number) else None
    return numbers


def without_point(value: Any) -> Any:
    """The value as programs get it among their arguments: a whole number has no point, whatever its parameter's
    distribution.

    >>> without_point(256.0), without_point(0.5), without_point(True)
    (256, 0.5, True)
    """
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


class Interrupted(Exception):
    """An order arrived, or the channel closed, while a store request waited."""


class Channel:
    """The socket of a warm trainer.

    A thread reads, and separates answers to store requests from orders. So any thread may use the store while the main
    thread looks for orders between its steps.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._sending = threading.Lock()
        self._arrived = threading.Condition()
        self._orders: Deque[Message] = deque()
        self._answers: Dict[int, Optional[Message]] = {}
        self._last_id = 0
        self._ended = False
        self.is_waiting = False  # whether the main thread waits for others
        self.num_moves = 0  # how often the main thread came by
        threading.Thread(target=self._read, name="crescendo-channel", daemon=True).start()

    def send(self, **message: Any) -> None:
        """Sends a message. It is dropped if the other end has closed."""
        line = json.dumps(message).encode() + b"\n"
        with self._sending:
            try:
                self._socket.sendall(line)
            except OSError:
                pass  # the reader sees the end as well

    def wait(self) -> Optional[Message]:
        """Waits for an order and takes it; None once the channel is closed."""
        with self._arrived:
            with self.waiting():
                self._arrived.wait_for(lambda: self._ended or self._orders)
            return self._orders.popleft() if self._orders else None

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """While the main thread waits, for an order or for other members, and does not hang."""
        self.is_waiting = True
        try:
            yield
        finally:
            self.is_waiting = False

    def put_back(self, order: Message) -> None:
        """Makes it the next order again."""
        with self._arrived:
            self._orders.appendleft(order)

    def interrupted(self) -> bool:
        """Whether a `join` or `leave` waits to be taken, or the other end has closed: then the present group is
        over."""
        with self._arrived:
            return self._is_interrupted()

    def request(self, timeout: float, **message: Any) -> Message:
        """Sends a store request and waits for the answer to it. Raises Interrupted as soon as the channel is
        interrupted, and TimeoutError after `timeout` seconds."""
        return self.request_all(timeout, [message])[0]

    def request_all(self, timeout: float, messages: Sequence[Message]) -> List[Message]:
        """Sends several at once, and waits for all answers, which come in the order of the requests."""
        numbers = [self._number(expects_answer=True) for _ in messages]
        for number, message in zip(numbers, messages):
            self.send(type="store", id=number, **message)
        with self._arrived:
            in_time = self._arrived.wait_for(
                lambda: all(self._answers[number] is not None for number in numbers) or self._is_interrupted(), timeout
            )
            answers = [self._answers.pop(number) for number in numbers]
        complete = [answer for answer in answers if answer is not None]
        if len(complete) == len(messages):
            return complete
        if in_time:
            raise Interrupted("another order came while the group was forming")
        raise TimeoutError(f"no answer for {timeout:g} s to {messages[0]}")

    def request_unanswered(self, **message: Any) -> None:
        """Sends a store request whose answer nobody waits for. Later requests are served after this one."""
        self.send(type="store", id=self._number(expects_answer=False), **message)

    def _number(self, expects_answer: bool) -> int:
        with self._arrived:
            self._last_id += 1
            if expects_answer:
                self._answers[self._last_id] = None
            return self._last_id

    def _is_interrupted(self) -> bool:
        # A decision may overtake the last steps of a rendezvous that succeeds; join and leave end it.
        return self._ended or any(order.get("type") in ("join", "leave") for order in self._orders)

    def _read(self) -> None:
        for line in _lines(self._socket):
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if not isinstance(message, dict):
                print(f"crescendo: passed over a line that is no JSON object: {line!r}", file=sys.stderr, flush=True)
                continue
            with self._arrived:
                if message.get("type") != "store":
                    self._orders.append(message)
                elif message.get("id") in self._answers:
                    self._answers[message["id"]] = message
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()


def _lines(connected: socket.socket) -> Iterable[bytes]:
    """The lines that arrive, until the other end closes."""
    try:
        with connected.makefile("rb") as stream:
            yield from stream
    except OSError:
        return


class Pulse:
    """Tells crescendo once a second that the main thread is alive: a silent trainer counts as hung, and is killed.

    The main thread is alive if it waits for an order, or if its Python code has moved on since the second before: it is
    elsewhere, or came by (`Channel.num_moves`) in a loop that spends nearly all its time in one line. So a long
    evaluation needs no code of its own for this, and a program that hangs within one call is found.
    """

    period = 1.0  # seconds

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._main = threading.main_thread().ident or 0
        self._place: Optional[Tuple[int, ...]] = None  # where the main thread was at the last look

    def start(self) -> None:
        threading.Thread(target=self._run, name="crescendo-pulse", daemon=True).start()

    def look(self) -> None:
        """Sends a sign of life if there is one since the last look."""
        frame = sys._current_frames().get(self._main)
        place = (id(frame), frame.f_lasti, self._channel.num_moves) if frame else None
        del frame  # it would keep the main thread's variables alive
        if self._channel.is_waiting or place != self._place:
            self._channel.send(type="progress")
        self._place = place

    def _run(self) -> None:
        while True:
            time.sleep(self.period)
            self.look()
