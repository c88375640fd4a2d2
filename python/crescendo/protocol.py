"""The program's end of the trial protocol: JSON objects, one per line, over an inherited socket."""

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
    """Returns the socket to crescendo. Returns None outside a sweep, and in processes that the program starts without a
    fork: these inherit the variable, but not the socket. Raises RuntimeError if CRESCENDO_FD names no such socket."""
    descriptor = os.environ.get("CRESCENDO_FD")
    # A spawned process imports the program's main module before it knows its parent.
    if not descriptor or getattr(multiprocessing.current_process(), "_inheriting", False):
        return None
    try:
        inherited = socket.socket(fileno=int(descriptor))
        if inherited.family != socket.AF_UNIX:  # another socket has got the number since
            inherited.detach()
            raise OSError("the number belongs to another socket")
    except (OSError, ValueError) as error:
        if multiprocessing.parent_process() is not None:
            return None
        raise RuntimeError(
            f"CRESCENDO_FD is {descriptor!r}, but this process has no such socket ({error}). Perhaps a program between "
            "crescendo and this one closed it, as torchrun and `conda run` do: instead of torchrun, set `workers: 2` "
            "in the sweep file's scheduler; instead of `conda run`, use the path of the environment's python3 in the "
            "command; with another program, such as papermill, begin the command with `env, -u, CRESCENDO_FD`, and add "
            "`report: {pattern: …}`, which finds what trial.report() then prints. Or the variable was copied from a "
            "sweep: unset CRESCENDO_FD to run outside a sweep"
        ) from None
    inherited.set_inheritable(False)
    inherited.settimeout(None)  # the program may have called socket.setdefaulttimeout()
    return inherited


def end_with_parent() -> None:
    """Makes the system kill this process when the process that started it dies."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass  # not Linux: the process ends when its channel closes


def named_numbers(metrics: Any, unnamed: Sequence[Any], more: Mapping[str, Any], epoch: str) -> Dict[str, Any]:
    """Returns the named numbers of `report(metrics, *unnamed, **more)`. Raises TypeError if a number has no name, as in
    other tools' reports. `epoch` completes the message: it says where the epoch comes from."""
    others = [*unnamed] if metrics is None or isinstance(metrics, Mapping) else [metrics, *unnamed]
    if others:
        raise TypeError(
            f"this report has a {type(others[0]).__name__} without a name: write trial.report(val_loss=0.1); the epoch "
            f"comes from {epoch}"
        )
    return {**(metrics or {}), **more}


def missing_attribute(trial: Any, name: str, parameters: str, pruning: str) -> Any:
    """Raises AttributeError, for `__getattr__` of a trial. For attributes that other tools' trials have, the message
    says what to use instead: `parameters` or `pruning`."""
    if name.startswith("suggest_"):
        parameters = f"the sweep file has the ranges of the parameters, and {parameters}"
    if name == "should_prune" or name == "params" or name.startswith("suggest_"):
        remedy = pruning if name == "should_prune" else parameters
        raise AttributeError(f"a Crescendo trial has no {name}: {remedy}")
    return object.__getattribute__(trial, name)  # raises Python's own error


def number_of(value: Any) -> float:
    """Converts to float. Detaches a tensor first, so that torch does not warn about its gradient. Raises as float()
    does."""
    return float(value.detach() if hasattr(value, "detach") else value)


def numbers_of(metrics: Mapping[str, Any]) -> Dict[str, Optional[float]]:
    """Converts metrics to the protocol's form: numbers by name, with None for one that is not finite. Raises TypeError
    for a value that is not one number.

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
                f"metric {name!r} is {value!r}, a {type(value).__name__}; metrics must be numbers, so that trials can "
                f"be compared: {remedy}"
            ) from None
        numbers[name] = number if math.isfinite(number) else None
    return numbers


def without_point(value: Any) -> Any:
    """Returns the value as programs get it among their arguments: a whole number without a decimal point, whatever the
    distribution of its parameter.

    >>> without_point(256.0), without_point(0.5), without_point(True), without_point(1e20)
    (256, 0.5, True, 1e+20)
    """
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


class Interrupted(Exception):
    """An order arrived, or the channel closed, while a store request waited."""


class Channel:
    """A warm trainer's connection to crescendo.

    A thread reads the socket, and separates answers to store requests from orders. So any thread may use the store,
    while the main thread looks for orders between its steps.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._sending = threading.Lock()
        self._arrived = threading.Condition()
        self._orders: Deque[Message] = deque()
        self._answers: Dict[int, Optional[Message]] = {}
        self._last_id = 0
        self._ended = False
        self.is_waiting = False  # whether the main thread waits for an order or for other members
        self.num_moves = 0  # how often the main thread reported that it moved
        threading.Thread(target=self._read, name="crescendo-channel", daemon=True).start()

    def send(self, **message: Any) -> None:
        """Sends a message. Drops it if the other end has closed."""
        line = json.dumps(message).encode() + b"\n"
        with self._sending:
            try:
                self._socket.sendall(line)
            except ConnectionError:
                pass  # the reader sees the end as well

    def wait(self) -> Optional[Message]:
        """Waits for an order and takes it. Returns None once the channel is closed."""
        with self._arrived:
            with self.waiting():
                self._arrived.wait_for(lambda: self._ended or self._orders)
            return self._orders.popleft() if self._orders else None

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Marks the main thread as waiting for an order or for other members, so that it does not count as hung."""
        self.is_waiting = True
        try:
            yield
        finally:
            self.is_waiting = False

    def put_back(self, order: Message) -> None:
        """Makes `order` the next one again."""
        with self._arrived:
            self._orders.appendleft(order)

    def interrupted(self) -> bool:
        """Whether the present group is over: a `join` or `leave` waits to be taken, or the other end has closed."""
        with self._arrived:
            return self._is_interrupted()

    def request_all(self, timeout: float, messages: Sequence[Message]) -> List[Message]:
        """Sends several store requests at once, and waits for all answers. Returns them in the order of the requests.
        Raises Interrupted as soon as the channel is interrupted, and TimeoutError after `timeout` seconds."""
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
        raise TimeoutError(f"no answer within {timeout:g} s to {messages[0]}")

    def request_unanswered(self, **message: Any) -> None:
        """Sends a store request without waiting for its answer. Later requests are served after this one."""
        self.send(type="store", id=self._number(expects_answer=False), **message)

    def _number(self, expects_answer: bool) -> int:
        with self._arrived:
            self._last_id += 1
            if expects_answer:
                self._answers[self._last_id] = None
            return self._last_id

    def _is_interrupted(self) -> bool:
        # A decision may arrive before the last steps of a rendezvous that succeeds. A join or leave ends the
        # rendezvous.
        return self._ended or any(order.get("type") in ("join", "leave") for order in self._orders)

    def _read(self) -> None:
        for line in _lines(self._socket):
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if not isinstance(message, dict):
                print(f"crescendo: ignored a line that is not a JSON object: {line!r}", file=sys.stderr, flush=True)
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
    """Yields the lines that arrive, until the other end closes."""
    try:
        with connected.makefile("rb") as stream:
            yield from stream
    except OSError:
        return


class Pulse:
    """Tells crescendo once a second that the main thread is alive: a silent trainer counts as hung, and is killed.

    The main thread is alive if it waits for an order or for other members, or if its Python code has moved since the
    last look: it is at another place, or has counted up `Channel.num_moves` in a loop that spends nearly all its time
    in one line. So a long evaluation needs no code of its own for this, and a program that hangs within one call is
    found.
    """

    period = 1.0  # seconds

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._main = threading.main_thread().ident or 0
        self._place: Optional[Tuple[int, ...]] = None  # where the main thread was at the last look

    def start(self) -> None:
        threading.Thread(target=self._run, name="crescendo-pulse", daemon=True).start()

    def look(self) -> None:
        """Sends a sign of life if the main thread has shown one since the last look."""
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
