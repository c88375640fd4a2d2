"""For any program in a sweep: it reports after each epoch, and stops when Crescendo says so."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, TypeVar

from crescendo.files import replace_file, sync
from crescendo.protocol import inherited_socket, missing_attribute, named_numbers, number_of, numbers_of, without_point

Item = TypeVar("Item")
_only: Optional[Trial] = None


def trial() -> Trial:
    """Returns this process's trial, always the same object: see `help(crescendo.Trial)`."""
    global _only
    if _only is None:
        _only = Trial(inherited_socket())
    return _only


class Trial:
    """One configuration of a sweep, trained by this program.

    The parameters are the program's arguments (`--lr=0.01`). Further attributes are `number`, `seed`, `directory`,
    `max_resource`, `rank`, `batch_multiple`, and `stopped`, which says whether the program must stop.

    >>> trial = Trial(None)      # outside a sweep
    >>> for epoch in trial.epochs(limit=2):
    ...     trial.report(val_loss=1 / epoch)
    epoch 1: val_loss 1.0
    True
    epoch 2: val_loss 0.5
    True
    """

    def __init__(self, connected: Optional[socket.socket]) -> None:
        self._socket = connected
        # Reads answers only. Before Python 3.13, a write to a two-way stream discards what was read ahead.
        self._stream = connected.makefile(encoding="utf-8") if connected else None
        # A process that this program started, such as a data loader's, knows its trial but must not report.
        self._is_child = connected is None and bool(os.environ.get("CRESCENDO_FD"))
        environment = os.environ if connected or self._is_child else {}
        self.number = int(environment.get("CRESCENDO_TRIAL", 0))
        """Number of the trial in its sweep, from 0."""
        self.seed = int(environment.get("CRESCENDO_SEED", 0))
        """The trial's random seed. It is the same whenever the sweep is repeated."""
        directory = environment.get("CRESCENDO_TRIAL_DIR")
        self.directory = Path(directory) if directory else None
        """Folder for the trial's files; None outside a sweep."""
        most = environment.get("CRESCENDO_MAX_RESOURCE")
        self.max_resource = int(most) if most else None
        """The resource (such as epochs) at which the trial is over; None outside a sweep, and in a sweep without a
        max."""
        self.rank = int(environment.get("RANK", 0))
        """Rank of this process within the trial, from 0. Rank 0 reports and saves."""
        self.batch_multiple = int(environment.get("CRESCENDO_BATCH_MULTIPLE", 1))
        """The total batch size over all processes of the trial should be the script's own batch size times this."""
        self.stopped = False
        """Whether this process must stop: the trial is over or paused, or continues on other workers."""
        self._process = os.getpid()
        self._saved = self._read_saved()
        if connected:
            self._remove_leftovers()
        self._asked_for_checkpoint = False
        self._last = 0  # resource of the last report
        self._epochs_done = 0  # at that report; differs from _last if the resource is not epochs
        self._epoch: Optional[int] = None
        self._epoch_began = 0.0
        self._owed: Optional[Dict[str, Any]] = self._saved
        self._waited = 0.0
        self._reported_at = time.monotonic()

    def __getattr__(self, name: str) -> Any:
        return missing_attribute(
            self,
            name,
            parameters="their values are the program's arguments, such as --lr=0.1; read them with argparse",
            pruning="trial.report() returns whether to continue, and trial.epochs() ends when the trial must stop",
        )

    @property
    def checkpoint(self) -> Optional[Path]:
        """Path that the last report's `save` wrote; load it before calling `epochs()`. None if the trial is new."""
        if self._owed and not self._asked_for_checkpoint and self.rank == 0 and not self._is_child:
            atexit.register(self._repeat_at_end)
        self._asked_for_checkpoint = True
        return self.directory / self._saved["file"] if self.directory and self._saved else None

    @property
    def resource(self) -> int:
        """Resource (such as epochs) of the last report or of the checkpoint; 0 if the trial is new. Use it in a
        framework's loop that needs to know where to begin."""
        return self._owed["resource"] if self._owed else self._last

    def resumed(self, resource: int, *, epoch: Optional[int] = None, **metrics: Any) -> None:
        """Declares that the program continues from its own checkpoint, and what it reported with that checkpoint.
        `epoch` is the last epoch that it trained, if reports count something else.

        Call it before `epochs()`. It sends the report again, at once: the report may have been lost when the former
        process ended, and only this program still has it. Programs that save with `report(save=…)` need not call this.
        """
        resource = _plain(resource)
        epoch = resource if epoch is None else _plain(epoch)
        self._owed = {"resource": resource, "metrics": numbers_of(metrics), "epoch": epoch}
        if not self._is_child:
            self._repeat_report()

    def epochs(self, limit: Optional[int] = None) -> Iterator[int]:
        """Yields the numbers of the epochs to train, from 1 or from the one after the checkpoint. Ends when the trial
        must stop or is over.

        `limit` is the last epoch if `scheduler.max` does not set it: outside a sweep (default: 10), and in a sweep
        without a max. If reports count another resource than epochs, so does the max. If one unit of that resource is
        several epochs, the program must report for the first time within as many epochs as the max.
        """
        last = self._last_epoch(limit)
        self._repeat_report()
        if self._stream is not None and limit not in (None, last) and self.rank == 0 and self._last == 0:
            print(
                f"crescendo: note: scheduler.max ({last}) overrides the limit of trial.epochs({limit}); if it counts "
                "epochs, a schedule over the whole training should take its length from trial.max_resource",
                file=sys.stderr,
                flush=True,
            )
        for epoch in itertools.count(self._epochs_done + 1):
            if self.stopped or self._is_over(epoch, last):
                return
            self._epoch = epoch
            if epoch == self._epochs_done + 1:  # otherwise, the next report covers earlier epochs as well
                self._epoch_began = time.monotonic()
            yield epoch

    def report(
        self,
        metrics: Optional[Mapping[str, Any]] = None,
        *unnamed: Any,
        resource: Optional[int] = None,
        save: Optional[Callable[[Path], Any]] = None,
        save_on: str = "main",
        data_wait: Optional[float] = None,
        step_seconds: Optional[float] = None,
        group_batch: Optional[float] = None,
        noise_scale: Optional[float] = None,
        **more: Any,
    ) -> bool:
        """Reports an epoch's metrics, and returns whether the program should continue.

        `resource` is the total so far, by default the number of the epoch. `save` is called with a path, and writes a
        file or a folder there from which the trial can continue. Sweeps that pause trials need it; in all others, it
        reduces what a failure loses. Rank 0 calls it. With `save_on="all"`, all ranks call it with the same path; use
        that for savers that wait for each other, so that they return on rank 0 only when all ranks have written.

        `data_wait` is the share (0 to 1) of the time since the previous report that was spent waiting for data; by
        default, what `waiting_for()` measured. `step_seconds` is the mean time of an optimizer step since that report.
        From it, Crescendo learns what more workers bring (`scheduler.grow_when`). The default is the time of the epoch,
        if the program uses `epochs()`: only ratios count. With `batch: adaptive`, Crescendo also needs `group_batch`,
        the samples per step over all ranks, and `noise_scale`, the gradient noise scale in samples.

        Every rank of a group must call this, and all get the same answer. Rank 0's metrics count.
        """
        now = time.monotonic()
        numbers = named_numbers(metrics, unnamed, more, epoch="trial.epochs(), or resource=3")
        self._repeat_report()
        if self.stopped:
            print(
                "crescendo: ending the program, because it reported again instead of stopping; stop when report() "
                "returns False or trial.stopped is true",
                file=sys.stderr,
                flush=True,
            )
            raise SystemExit(0)  # the program ignored the stop; this ends it cleanly
        if resource is None:
            resource = self._last + 1 if self._epoch is None else self._epoch
        resource = _plain(resource)
        if resource < 1:
            raise ValueError(f"the report's resource is {resource}; resources, such as epochs done, count from 1")
        if resource <= self._last:
            raise ValueError(
                f"the report's resource is {resource}, but {self._last} was already reported; it must grow with each "
                "report: report once per epoch, or pass resource="
            )
        message: Dict[str, Any] = {"resource": resource, "metrics": numbers_of(numbers)}
        if not message["metrics"]:
            raise ValueError("the report has no metrics; pass at least one: report(val_loss=…)")
        if save_on not in ("main", "all"):
            raise ValueError(f"save_on is {save_on!r}; use 'main', for rank 0 only, or 'all'")
        epochs_done = resource if self._epoch is None else self._epoch
        if save is not None and self.directory is not None and (self.rank == 0 or save_on == "all"):
            self._save({**message, "epoch": epochs_done}, save, save_on)
        if step_seconds is None and self._epoch is not None:
            # An epoch with this batch has fewer steps than one with the script's own, by this factor.
            step_seconds = (now - self._epoch_began) / (resource - self._last) * self.batch_multiple
        now = time.monotonic()
        if data_wait is None and self._waited > 0:
            data_wait = self._waited / max(now - self._reported_at, self._waited)
        measures = {
            "data_wait": data_wait,
            "step_seconds": step_seconds,
            "group_batch": group_batch,
            "noise_scale": noise_scale,
        }
        message.update(numbers_of({name: number for name, number in measures.items() if number is not None}))
        self._last, self._epochs_done, self._waited = resource, epochs_done, 0.0
        self._send(message)
        self._reported_at = self._epoch_began = time.monotonic()
        return not self.stopped

    def waiting_for(self, data: Iterable[Item]) -> Iterator[Item]:
        """Yields the items of `data`, and measures how long the program waits for them, for the next report."""
        items = iter(data)
        while True:
            begin = time.monotonic()
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                self._waited += time.monotonic() - begin
            yield item

    def _last_epoch(self, limit: Optional[int]) -> int:
        if self.max_resource is not None:
            return self.max_resource
        if limit is None and self._stream is not None:
            raise ValueError(
                "the sweep has no scheduler.max and trial.epochs() has no limit, so the number of epochs is unknown; "
                "write trial.epochs(limit=…), or set scheduler.max in the sweep file"
            )
        return 10 if limit is None else limit

    def _is_over(self, epoch: int, last: int) -> bool:
        """Whether the trial is over before this epoch."""
        if self.max_resource is not None and self._last != self._epochs_done:  # the resource is not epochs
            return self._last >= self.max_resource
        return epoch > last

    def _repeat_report(self) -> None:
        """Sends the checkpoint's report again: it may have been lost when the former process ended."""
        if self._is_child:
            raise RuntimeError(
                "only the process that Crescendo started can report, and the program started this one; pass the "
                "numbers to that process and report there"
            )
        if self._owed:
            # Rank 0 may load for all. A program that continues from its own checkpoint has called resumed().
            if self._owed is self._saved and not self._asked_for_checkpoint and self.rank == 0:
                raise RuntimeError(
                    f"the trial continues from its checkpoint at {self._owed['resource']}, but the script has not "
                    "loaded it, so a new model would pass for a trained one; load trial.checkpoint, unless it is None, "
                    "before trial.epochs()"
                )
            owed, self._owed = self._owed, None
            self._last = owed["resource"]
            self._epochs_done = owed.get("epoch", self._last)  # earlier versions did not save it
            self._send({"resource": owed["resource"], "metrics": owed["metrics"]})

    def _repeat_at_end(self) -> None:
        """Repeats the report at exit: a framework that finds its training complete trains no epoch, so it never
        reports."""
        is_open = self._stream is not None and not self._stream.closed
        if self._owed and is_open and os.getpid() == self._process:
            self._repeat_report()

    def _send(self, message: Dict[str, Any]) -> None:
        if self._socket is None or self._stream is None:
            values = ", ".join(f"{name} {value}" for name, value in message["metrics"].items())
            print(f"epoch {message['resource']}: {values}", flush=True)
            return
        try:
            if self.rank == 0:
                self._socket.sendall((json.dumps(message) + "\n").encode())
            answer = self._stream.readline()
        except ConnectionError:
            answer = ""
        decision = json.loads(answer) if answer else {}  # no answer: the sweep is over
        self.stopped = decision.get("decision") != "continue"
        self.batch_multiple = decision.get("batch_multiple", self.batch_multiple)

    def _read_saved(self) -> Optional[Dict[str, Any]]:
        """Reads saved.json. Returns None if there is no checkpoint, or no longer: after a clean-up, starting anew beats
        failing."""
        if self.directory is None:
            return None
        try:
            saved: Dict[str, Any] = json.loads((self.directory / "saved.json").read_bytes())
            path = self.directory / saved["file"]
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError):
            problem = f"{self.directory / 'saved.json'} is damaged"
        else:
            if path.exists():
                return saved
            problem = f"the checkpoint {path} is gone"
        print(f"crescendo: {problem}, so the trial starts over", file=sys.stderr, flush=True)
        return None

    def _remove_leftovers(self) -> None:
        """Removes what a former process left half written. If all ranks save, none of them could remove it later."""
        if self.directory is None or self.rank != 0:
            return
        if self._saved is None and (self.directory / "saved.json").exists():
            return  # saved.json is damaged; a user may want the checkpoint that it named
        for path in self.directory.glob("saved-*"):
            if path.name[len("saved-") :].isdigit() and path.name != (self._saved or {}).get("file"):
                _remove(path)

    def _save(self, record: Dict[str, Any], save: Callable[[Path], Any], save_on: str) -> None:
        """Saves a checkpoint. saved.json always names a complete one, because the trial may be killed at any time."""
        assert self.directory is not None
        former = self.checkpoint
        name = f"saved-{record['resource']}"
        path = self.directory / name
        if save_on == "main":
            _remove(path)
        save(path)
        if self.rank != 0:
            self._saved = {**record, "file": name}
            return
        if not path.exists():
            raise FileNotFoundError(
                f"save wrote nothing to {path}, so the trial could not continue from it; write the file or folder at "
                "the path that save gets"
            )
        sync(path)
        self._saved = {**record, "file": name}
        replace_file(self.directory / "saved.json", json.dumps(self._saved).encode())
        if former is not None and former != path:
            _remove(former)


def _plain(resource: Any) -> Any:
    """A resource as JSON can represent it: frameworks also count in NumPy's integers, tensors and floats."""
    return without_point(number_of(resource))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
