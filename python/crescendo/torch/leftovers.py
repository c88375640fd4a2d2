"""What a train function leaves in its process, where the next trial would find it."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import sys
import traceback
from functools import partial
from typing import Any, Callable, List, Tuple

import torch

Get, Set = Callable[[], Any], Callable[[Any], Any]
Setting = Tuple[Get, Set]
# Each alone, and then by the names of before, which fail while these say something else.
PRECISIONS = ("", "cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn", "mkldnn", "mkldnn.matmul", "mkldnn.conv")
CPU = torch.device("cpu")


class Settings:
    """What torch is set to for the whole process, where that prints, and the folder that it works in."""

    def __init__(self) -> None:
        self._noted = [(get, set_to, get()) for get, set_to in _settings()]

    def restore(self) -> None:
        """They are what they were when this was made."""
        for get, set_to, noted in self._noted * 2:  # setting a precision by one name sets it by others
            try:
                is_left = get() == noted
            except (OSError, RuntimeError):  # a folder that is gone, a precision that has been set by two names at odds
                is_left = False
            if not is_left:
                set_to(noted)


class Generators:
    """Those of torch on the CPU, `random` and NumPy."""

    def __init__(self) -> None:
        self._noted: List[Tuple[Set, Any]] = [
            (random.setstate, random.getstate()),
            (torch.set_rng_state, torch.get_rng_state()),
        ]
        if "numpy" in sys.modules:
            numpy = sys.modules["numpy"]
            self._noted.append((numpy.random.set_state, numpy.random.get_state()))

    def restore(self) -> None:
        """They draw what they did when this was made."""
        for set_to, noted in self._noted:
            set_to(noted)


def _settings() -> List[Setting]:
    found: List[Setting] = [
        (torch.get_default_dtype, torch.set_default_dtype),
        (torch.is_grad_enabled, torch.set_grad_enabled),
        (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
        (torch.get_num_threads, torch.set_num_threads),
        (_determinism, lambda words: torch.use_deterministic_algorithms(words[0], warn_only=words[1])),
    ]
    if hasattr(torch, "get_default_device"):
        # A device that is set, though it be the CPU, costs each call of torch some time.
        found.append((torch.get_default_device, lambda device: torch.set_default_device(_unless_cpu(device))))
    for place in PRECISIONS:
        found += _attribute(place, "fp32_precision")
    found.append((torch.get_float32_matmul_precision, torch.set_float32_matmul_precision))
    for place in ("cuda.matmul", "cudnn"):
        found += _attribute(place, "allow_tf32")
    for name in ("enabled", "benchmark", "deterministic"):
        found += _attribute("cudnn", name)
    found += [(partial(getattr, sys, name), partial(setattr, sys, name)) for name in ("stdout", "stderr")]
    found.append((os.getcwd, os.chdir))
    return [setting for setting in found if _is_readable(setting[0])]


def _determinism() -> Tuple[bool, bool]:
    return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()


def _unless_cpu(device: torch.device) -> Any:
    return None if device == CPU else device


def _attribute(place: str, name: str) -> List[Setting]:
    """Of a part of torch.backends, if this torch has it."""
    part: Any = torch.backends
    try:
        for each in filter(None, place.split(".")):
            part = getattr(part, each)
        getattr(part, name)
    except AttributeError:
        return []
    except RuntimeError:
        pass  # it is there, and has been set by two names at odds
    return [(partial(getattr, part, name), partial(setattr, part, name))]


def _is_readable(get: Get) -> bool:
    try:
        get()
    except (OSError, RuntimeError):
        return False
    return True


class TrackerRuns:
    """Runs of W&B. The exception by which a train function is left does not end one, and while one is open,
    wandb.init() gives that, with the configuration of its trial."""

    def __init__(self) -> None:
        self._first = _open_run()  # of the program, which may write all trials into it

    def end(self) -> None:
        """Ends the run that has been begun since this was made."""
        run = _open_run()
        if run is None or run is self._first:
            return
        try:
            run.finish()
        except Exception:  # its trial has ended, and what fails here is no fault of the next one
            print("the trial's run of W&B could not be ended:", file=sys.stderr)
            traceback.print_exc()


class LogHandlers:
    """Where Python's logging writes to. A train function that sends it to a file of its trial would find it set up in
    the next one, by logging.basicConfig(), which then does nothing, and lines of the next one would go there too."""

    def __init__(self) -> None:
        self._noted = [handler for _, handler in _log_handlers()]

    def end(self) -> None:
        """Closes those that have been added since this was made. What libraries add to their own loggers, when they
        are imported, stays, unless it writes to a file."""
        for logger, handler in _log_handlers():
            if handler not in self._noted and (logger is logging.root or isinstance(handler, logging.FileHandler)):
                logger.removeHandler(handler)
                with contextlib.suppress(OSError, ValueError):  # as logging.shutdown(): its stream may be closed
                    handler.close()


def _log_handlers() -> List[Tuple[logging.Logger, logging.Handler]]:
    """Each with its logger. Places of loggers that nobody has asked for have none."""
    loggers: List[Any] = [logging.root, *logging.root.manager.loggerDict.values()]
    return [(logger, handler) for logger in loggers for handler in getattr(logger, "handlers", ())]


class Compiled:
    """What torch.compile() has made. It keeps a few results for each piece of code, and leaves that uncompiled once it
    has been called in more ways, as by trials whose models have other shapes."""

    def __init__(self) -> None:
        self._num_graphs = _num_graphs()
        self._num_trials = 0  # that have compiled something, and left it

    def end(self) -> None:
        """A trial is over. What it has left is kept for others like it, as long as there is room for one more."""
        self._num_trials += _num_graphs() != self._num_graphs
        if self._num_trials > 1:
            sys.modules["torch._dynamo"].reset()
            self._num_trials = 0
        self._num_graphs = _num_graphs()


def _num_graphs() -> int:
    dynamo = sys.modules.get("torch._dynamo")  # it takes seconds to import
    return dynamo.utils.counters["stats"]["unique_graphs"] if dynamo else 0


def _open_run() -> Any:
    return getattr(sys.modules.get("wandb"), "run", None)
