"""Resets what a train function leaves in its process, so that the next trial does not find it."""

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
# Parts with a precision of their own. Reset them before the older names, which fail while these disagree.
PRECISIONS = ("", "cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn", "mkldnn", "mkldnn.matmul", "mkldnn.conv")
CPU = torch.device("cpu")


class Settings:
    """The process's torch settings, its standard streams and its working directory."""

    def __init__(self) -> None:
        self._noted = [(get, set_to, get()) for get, set_to in _settings()]

    def restore(self) -> None:
        """Restores all settings to their values at construction."""
        for get, set_to, noted in self._noted * 2:  # twice: setting a precision by one name changes others
            try:
                is_left = get() == noted
            except (OSError, RuntimeError):  # a deleted folder, or a precision set inconsistently by two names
                is_left = False
            if not is_left:
                set_to(noted)


class Generators:
    """The random generators of torch on the CPU, `random` and NumPy."""

    def __init__(self) -> None:
        self._noted: List[Tuple[Set, Any]] = [
            (random.setstate, random.getstate()),
            (torch.set_rng_state, torch.get_rng_state()),
        ]
        if "numpy" in sys.modules:
            numpy = sys.modules["numpy"]
            self._noted.append((numpy.random.set_state, numpy.random.get_state()))

    def restore(self) -> None:
        """Restores all generators to their states at construction."""
        for set_to, noted in self._noted:
            set_to(noted)


def _settings() -> List[Setting]:
    found: List[Setting] = [
        (torch.get_default_dtype, torch.set_default_dtype),
        (torch.is_grad_enabled, torch.set_grad_enabled),
        (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
        (torch.get_num_threads, torch.set_num_threads),
        (_determinism, lambda words: torch.use_deterministic_algorithms(words[0], warn_only=words[1])),
        # A set default device, even the CPU, slows down every torch call.
        (_default_device, lambda device: torch.set_default_device(None if device == CPU else device)),
    ]
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


def _default_device() -> torch.device:
    try:
        return torch.get_default_device()
    except AttributeError:  # torch 2.6, after set_default_device(None)
        return CPU


def _attribute(place: str, name: str) -> List[Setting]:
    """The setting `name` of a part of torch.backends; empty if this torch version lacks it."""
    part: Any = torch.backends
    try:
        for each in filter(None, place.split(".")):
            part = getattr(part, each)
        getattr(part, name)
    except AttributeError:
        return []
    except RuntimeError:
        pass  # it exists, but was set inconsistently by two names
    return [(partial(getattr, part, name), partial(setattr, part, name))]


def _is_readable(get: Get) -> bool:
    try:
        get()
    except (OSError, RuntimeError):
        return False
    return True


class TrackerRuns:
    """Ends runs of W&B. The exception that leaves a train function does not end a run, and while one is open,
    wandb.init() returns it, with its own trial's configuration."""

    def __init__(self) -> None:
        self._first = _open_run()  # the program's own run, which may log all trials

    def end(self) -> None:
        """Ends the run that was started since construction."""
        run = _open_run()
        if run is None or run is self._first:
            return
        try:
            run.finish()
        except Exception:  # its trial has ended; a failure here must not fail the next one
            print("could not end the trial's W&B run:", file=sys.stderr)
            traceback.print_exc()


class LogHandlers:
    """Handlers of Python's logging. If a train function logs to a file of its trial, logging.basicConfig() would do
    nothing in the next trial, and that trial's lines would go to the same file."""

    def __init__(self) -> None:
        self._noted = [handler for _, handler in _log_handlers()]

    def end(self) -> None:
        """Removes and closes handlers added since construction: those of the root logger, and all that write to files.
        Other handlers, which libraries add to their own loggers when they are imported, stay."""
        for logger, handler in _log_handlers():
            if handler not in self._noted and (logger is logging.root or isinstance(handler, logging.FileHandler)):
                logger.removeHandler(handler)
                with contextlib.suppress(OSError, ValueError):  # like logging.shutdown(): its stream may be closed
                    handler.close()


def _log_handlers() -> List[Tuple[logging.Logger, logging.Handler]]:
    """All handlers with their loggers. Placeholders in the logger tree have no handlers."""
    loggers: List[Any] = [logging.root, *logging.root.manager.loggerDict.values()]
    return [(logger, handler) for logger in loggers for handler in getattr(logger, "handlers", ())]


class Compiled:
    """Results of torch.compile(). It keeps a few per piece of code, and stops compiling a piece that is called in more
    ways, such as by trials whose models have other shapes."""

    def __init__(self) -> None:
        self._num_graphs = _num_graphs()
        self._num_trials = 0  # trials since the last reset that compiled something

    def end(self) -> None:
        """Call it when a trial is over. Keeps its compiled code for similar trials; resets once two trials have
        compiled."""
        self._num_trials += _num_graphs() != self._num_graphs
        if self._num_trials > 1:
            sys.modules["torch._dynamo"].reset()
            self._num_trials = 0
        self._num_graphs = _num_graphs()


def _num_graphs() -> int:
    dynamo = sys.modules.get("torch._dynamo")  # not imported here: that takes seconds
    return dynamo.utils.counters["stats"]["unique_graphs"] if dynamo else 0


def _open_run() -> Any:
    return getattr(sys.modules.get("wandb"), "run", None)
