"""Runs a train function as a warm trainer: carries out crescendo's orders, one after another."""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

import torch

import crescendo
from crescendo.protocol import Channel, Interrupted, Message, numbers_of
from crescendo.torch.alone import Tested
from crescendo.torch.checkpoint import DamagedCheckpoint, SaveError, read_checkpoint, save_checkpoint
from crescendo.torch.control import Control, Interruption
from crescendo.torch.error_words import explained, says_out_of_memory
from crescendo.torch.group import Group, PeerLost
from crescendo.torch.leftovers import Compiled, LogHandlers, Settings, TrackerRuns
from crescendo.torch.settings import Arguments
from crescendo.torch.state import Progress, Replica, share
from crescendo.torch.step_clock import Step, StepClock
from crescendo.torch.store import ControlStore
from crescendo.torch.trial import Trial, seed_python
from crescendo.torch.trial_log import TrialLog

Train = Callable[[Trial], Any]
Test = Callable[[Trial], Mapping[str, Any]]
CHECKPOINT = "checkpoint.pt"
TIMED_STEPS = 8  # of a new group; other trials may wait to learn what more workers bring
WARM_UPS = 8  # steps before the timed ones, which may still prepare later steps
# Unlimited in practice: if a member dies, an order says so, and a member that hangs is killed.
MEETING_TIMEOUT = timedelta(days=365)
ALL, LOST = "all", "lost"  # results of a meeting
NO_TEST = "this program has no test function; pass one: crescendo.torch.run(train, parser, test=test)"


@dataclass
class Join:
    """The last `join` order, updated by the decisions since."""

    trial: int
    generation: int
    rank: int
    size: int
    max_resource: int
    seed: int
    settings: Dict[str, Any]
    directory: Path
    state: str
    batch_multiple: int = 1
    accumulation: int = 1
    checkpoint_at: Optional[int] = None
    reported: Optional[int] = None
    read_at: float = field(default_factory=time.monotonic)

    @property
    def place(self) -> Message:
        """Keys that each message about the group has."""
        return {"trial": self.trial, "generation": self.generation}

    @staticmethod
    def parse(message: Message) -> Join:
        given = {each.name: message[each.name] for each in fields(Join) if message.get(each.name) is not None}
        return Join(**{**given, "directory": Path(message["directory"])})


class Session:
    """A warm trainer's end of the trial protocol."""

    def __init__(
        self,
        channel: Channel,
        device: torch.device,
        *,
        arguments: Arguments,
        timeout: timedelta,
        checkpoint_every: float,
    ) -> None:
        self._channel = channel
        self._device = device
        self._arguments = arguments
        self._timeout = timeout
        self._checkpoint_every = checkpoint_every
        self._settings = Settings()
        self._log_handlers = LogHandlers()
        self._left_by_trials = (TrackerRuns(), self._log_handlers, Compiled())
        self._log: Optional[TrialLog] = None
        self._concerned: Optional[int] = None  # trial of the last order
        self.terms: Any = None  # the present trial's Join; None while idle
        self.group = Group(device)
        self._replica: Optional[Replica] = None  # the trial in memory; it outlives groups
        self._num_meetings = 0  # of the present group
        self._is_formed = False  # whether the present group has met and shared its state
        self._interrupted_by: Optional[Tuple[str, bool]] = None  # why this call of train must end
        self._sent: Optional[int] = None  # resource of the last report that this member sent
        self._steps = StepClock()
        self._num_steps = 0  # of the present group
        self._batch = 0  # samples of a full step
        self._epoch_samples = 0
        self._first_steps_told = False  # whether this member has sent the times of the trial's first steps
        self._measures: Message = {}  # step measurements for the next report
        self._steps_ended: Optional[float] = None  # when the steps of the epoch ended whose report is due
        self._phases: Dict[str, float] = {}  # seconds of the last regroup
        self._regroup_announced = True
        self._saved_at = 0.0
        self._save_seconds = 0.0

    def run(self, train: Train, test: Optional[Test]) -> int:
        """Says hello and serves until the channel closes. Returns the exit status."""
        self._channel.send(type="hello", pid=os.getpid(), version=crescendo.__version__)
        try:
            while True:
                order = self._channel.wait()
                if order is None:
                    return 0
                self._concerned = order.get("trial")
                if order["type"] == "join":
                    self._train(Join.parse(order), train)
                elif order["type"] == "leave":
                    self._leave(order)
                elif order["type"] == "evaluate":
                    self._evaluate(order, test)
                # a decision here answers a report of a group that has broken up since
        except Exception as error:
            traceback.print_exc()
            sys.stderr.flush()
            message = "".join(traceback.format_exception_only(type(error), error)).strip()
            place = _place_of(error)
            self._channel.send(
                type="failed", trial=self._concerned, kind=_kind_of(error), message=f"{place}{message}"
            )
            return 1
        finally:
            self._close_log()

    # The interface of Control.

    def enter(self, replica: Replica) -> None:
        is_again = self._replica is not None
        if self._is_formed and self._replica is not None:  # called again within a generation
            replica.restore(self._replica.capture())
            self._replica = replica
        else:
            self._form(replica)
        if is_again:
            gc.collect()  # reference cycles keep the former model and optimizer in memory
        self._await_answer(replica)

    def check(self) -> None:
        self.note_move()
        if self.terms is None or self._channel.interrupted():
            raise self._interrupt("an order came")

    def note_loss(self, cause: PeerLost) -> Interruption:
        terms = self.terms
        print(f"generation {terms.generation} ends: {cause}", file=sys.stderr, flush=True)
        if terms.size > 1:  # otherwise the others would wait for this member at the next meeting
            self._store(self._timeout).set(self._key_of_meeting(self._num_meetings + 1), LOST)
        self._drop_group()
        return self._interrupt("a peer is lost", is_stranded=True)

    def meet(self) -> None:
        terms = self.terms
        if terms.size == 1:
            return
        self._num_meetings += 1
        key = self._key_of_meeting(self._num_meetings)
        store = self._store(MEETING_TIMEOUT)
        try:
            if store.add(f"{key}/count", 1) == terms.size:
                store.set(key, ALL)
            with self._channel.waiting():
                met = store.get(key)
        except Interrupted:
            raise self._interrupt("an order came") from None
        if met == LOST.encode():
            raise self.note_loss(PeerLost("another member lost a peer"))

    def _interrupt(self, cause: str, is_stranded: bool = False) -> Interruption:
        """Returns the exception that ends the train function. If the program catches it, train ends at the latest when
        it returns."""
        self._interrupted_by = (cause, is_stranded)
        return Interruption(cause, is_stranded)

    def _store(self, timeout: timedelta) -> ControlStore:
        return ControlStore(self._channel, self.terms.trial, self.terms.generation, timeout)

    def _key_of_meeting(self, number: int) -> str:
        return f"meeting/{number}"

    def note_move(self) -> None:
        self._channel.num_moves += 1

    def note_step(self, replica: Replica, step: Step) -> None:
        self.note_move()
        replica.progress.count(seconds=step.seconds)
        if self.terms.rank != 0:
            return
        self._steps.add(step)
        self._num_steps += 1
        self._batch, self._epoch_samples = step.batch, step.epoch_samples
        if self._num_steps == 1:
            self._end_phase("step")
            self._phases["data"] = min(step.waited, self._phases["step"])
            self._phases["step"] -= self._phases["data"]
        has_regrouped = self.terms.state == "memory"
        begins = replica.progress.epoch == 0 and not self._first_steps_told
        if self._num_steps == WARM_UPS and (has_regrouped or begins):
            self._catch_up()
            self._steps.end_warm_up()
        are_timed = self._num_steps == WARM_UPS + TIMED_STEPS
        if are_timed or not has_regrouped:
            self._announce_regroup()
        if are_timed and begins:
            self._tell_first_steps()

    def save_if_due(self, replica: Replica) -> None:
        # The other members wait while this checkpoint is written, so saving may take at most 1 % of the time.
        pause = max(self._checkpoint_every, 100 * self._save_seconds)
        if self.terms.rank == 0 and time.monotonic() - self._saved_at > pause:
            self._save(replica)

    def end_steps(self) -> None:
        self._catch_up()
        if self.terms.rank == 0 and self._num_steps > 0:
            self._announce_regroup()
        self._steps_ended = time.monotonic()

    def report(self, replica: Replica, data_wait: float) -> None:
        self._sent = None
        self._add_clock(replica.progress)
        self._measures = {"data_wait": data_wait}
        step_seconds = self._steps.take()
        if step_seconds is not None:
            self._measures.update(step_seconds=step_seconds, group_batch=self._batch)
        noise_scale = replica.progress.noise_scale.value
        if noise_scale is not None:
            self._measures["noise_scale"] = noise_scale
        progress, terms = replica.progress, self.terms
        if terms.rank == 0:
            if terms.checkpoint_at is not None and progress.epoch >= terms.checkpoint_at:
                self._save(replica)
            self._send_report(replica)
        epoch = progress.epoch
        self._await_answer(replica)
        if (replica.progress.epoch, replica.progress.position) != (epoch, 0):
            raise Displaced()

    def wait_for_end(self, replica: Replica) -> None:
        while replica.progress.epoch >= self.terms.max_resource:
            self._obey(self._take_order(), replica)
            self._await_answer(replica)
        raise Displaced()

    # Carrying out orders.

    def _train(self, join: Join, train: Train) -> None:
        self._drop_group()
        if self.terms is None or self.terms.trial != join.trial:
            self._end_leftovers()
            self._replica = None
            self._close_log()
            self._log = TrialLog(join.directory)
            self._saved_at = time.monotonic()
        self.terms = join
        self._regroup_announced = False
        try:
            while self._is_displaced_by(train):
                pass
        except Interruption as interruption:
            self._drop_group()
            if self._replica is not None:
                self._replica.return_to_noted()
            if interruption.is_stranded:
                # Crescendo decides what to do: it knows which peer is dead.
                self._channel.send(type="stranded", **self.terms.place)
            return
        epoch = self._replica.progress.epoch if self._replica else 0
        raise RuntimeError(
            f"the train function returned after {epoch} of {self.terms.max_resource} epochs; crescendo decides when a "
            "trial is over: loop over trial.epochs() to its end, without break or return; to end trials that no longer "
            "improve, write `patience: {resource: 5}` in the sweep file"
        )

    def _is_displaced_by(self, train: Train) -> bool:
        """Calls the train function. Returns whether to call it again for the same group. Raises Interruption."""
        join = self.terms
        self._log_handlers.end()  # handlers of an earlier call would write each line twice
        trial = self._begin(self, join.settings, join.trial, join.seed, join.directory)
        self._interrupted_by = None
        try:
            _call(train, trial, "trained")
        except Displaced:
            return True
        except Exception:
            if self._interrupted_by is None:
                raise
            traceback.print_exc()  # replaced the interruption: raised in a `finally:` or after it was caught
        if self._interrupted_by is not None:
            raise Interruption(*self._interrupted_by)
        return False

    def _begin(self, control: Control, settings: Dict[str, Any], number: int, seed: int, directory: Path) -> Trial:
        """Makes the trial for a call of the program. First undoes what the program did to the process for other
        trials."""
        self._settings.restore()
        torch.manual_seed(seed)
        seed_python(seed)
        args = self._arguments.parse(settings)
        return Trial(control, args, device=self._device, number=number, seed=seed, directory=directory)

    def _end_leftovers(self) -> None:
        for each in self._left_by_trials:
            each.end()

    def _form(self, replica: Replica) -> None:
        """Meets the other members of the present generation, and shares rank 0's state."""
        self._drop_group()
        terms = self.terms
        self._regroup_announced = False
        self._num_meetings = 0
        self._steps, self._num_steps, self._phases = StepClock(), 0, {}
        if terms.state != "memory" or self._replica is None:
            # What this member has sent so far was about another trial, or about a state that is gone.
            self._sent, self._first_steps_told, self._measures = None, False, {}
        if terms.rank == 0:
            self._prepare(replica)
        if terms.size > 1:
            store = self._store(self._timeout)
            try:
                self.group = Group.meet(replica.device or self._device, store, terms.rank, terms.size, self._timeout)
                self._end_phase("group")
                share(replica, self.group)
            except PeerLost as lost:
                raise self.note_loss(lost) from None
        self._end_phase("state")
        if terms.state == "memory":
            replica.progress.count(seconds=sum(self._phases.values()))
        self._replica = replica
        self._is_formed = True
        if terms.rank == 0 and replica.progress.pending and not self._has_sent(replica.progress):
            self._send_report(replica)

    def _prepare(self, replica: Replica) -> None:
        """Gives rank 0 the state that it shares: from memory, from the checkpoint, or new."""
        terms, held = self.terms, self._replica
        if terms.state == "memory" and held is not None:
            if held is not replica:
                replica.restore(held.capture())
            self._settle_report(replica)
            return
        checkpoint = terms.directory / CHECKPOINT
        state = self._read_saved(checkpoint) if terms.state != "new" and checkpoint.exists() else None
        if terms.state == "memory":
            print(
                f"trial {terms.trial}: its state in memory was lost with the workers that held it; it "
                + ("starts over" if state is None else "continues from its checkpoint"),
                file=sys.stderr,
                flush=True,
            )
        if state is not None:
            replica.restore(state)
            progress = replica.progress
            progress.pending = progress.report is not None
            print(f"continues from its checkpoint after {progress.epoch} epochs and {progress.position} samples")
            sys.stdout.flush()
        self._replica = replica

    def _read_saved(self, checkpoint: Path) -> Optional[Dict[str, Any]]:
        """Reads a checkpoint. If it is damaged, renames it and returns None: the trial loses nothing, as every other
        attempt would fail to read it too."""
        try:
            return read_checkpoint(checkpoint, self._device)
        except DamagedCheckpoint as error:
            aside = checkpoint.with_name(f"{checkpoint.name}.damaged")
            checkpoint.replace(aside)
            print(f"{error}; it was renamed to {aside}, and the trial starts over", file=sys.stderr, flush=True)
            return None

    def _has_sent(self, progress: Progress) -> bool:
        """Whether this member has sent the trial's last report. The report may instead have come with rank 0's state,
        after this member's own last one."""
        return progress.report is not None and progress.report["resource"] == self._sent

    def _settle_report(self, replica: Replica) -> None:
        """Settles whether the last report is answered. A join answers every report that crescendo had when it gave the
        order. Others are still on their way, or were lost with the member that should have sent them."""
        progress, reported = replica.progress, self.terms.reported
        if reported is None:
            is_answered = self._has_sent(progress)
        else:
            is_answered = progress.report is not None and progress.report["resource"] <= reported
        if is_answered:
            progress.pending = False

    def _send_report(self, replica: Replica) -> None:
        report = replica.progress.report or {}
        self._channel.send(type="report", **self.terms.place, **report, **self._measures)
        self._sent = report.get("resource")
        self._measures = {}  # repeated reports have none

    def _await_answer(self, replica: Replica) -> None:
        while replica.progress.pending:
            self._obey(self._take_order(), replica)

    def _take_order(self) -> Message:
        order = self._channel.wait()
        if order is None:
            raise self._interrupt("the sweep is over")
        return order

    def _obey(self, order: Message, replica: Replica) -> None:
        """Carries out an order at a report, where a group may change in place. Raises Interruption for other orders."""
        if order["type"] == "decision":
            if order["trial"] == self.terms.trial and replica.progress.pending:
                replica.progress.pending = False
                self.terms.checkpoint_at = order.get("checkpoint_at")
                self.terms.batch_multiple = order.get("batch_multiple") or self.terms.batch_multiple
        elif order["type"] == "join" and order["trial"] == self.terms.trial:
            self.terms = Join.parse(order)
            self._form(replica)
        else:
            self._channel.put_back(order)
            raise self._interrupt("an order came")

    def _leave(self, order: Message) -> None:
        self._drop_group()
        replica, terms = self._replica, self.terms
        is_holder = replica is not None and replica.trial == order["trial"] and terms is not None and terms.rank == 0
        saves = bool(order.get("save")) and is_holder
        if saves and replica is not None:
            self._save(replica)
        replica = self._replica = self.terms = None
        self._end_leftovers()
        gc.collect()  # frees reference cycles, as in enter()
        self._close_log()
        self._channel.send(type="left", trial=order["trial"], saved=saves)

    def _evaluate(self, order: Message, test: Optional[Test]) -> None:
        if test is None:
            raise RuntimeError(f"the best trial cannot be tested: {NO_TEST}")
        checkpoint = Path(order["checkpoint"])
        control = Tested(read_checkpoint(checkpoint, self._device), order, self._device)
        seed = order.get("seed", 0)  # the same as for train, so that a random split gives the same test samples
        trial = self._begin(control, order["settings"], order["trial"], seed, checkpoint.parent)
        metrics = metrics_of_test(_call(test, trial, "was tested"))
        self._channel.send(type="evaluated", trial=order["trial"], metrics=metrics)
        self._end_leftovers()

    def _save(self, replica: Replica) -> None:
        begin = time.monotonic()
        save_checkpoint(replica, self.terms.directory / CHECKPOINT)
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - begin

    def _end_phase(self, name: str) -> None:
        """Ends a phase of the regroup: its seconds are those since the order, minus the previous phases."""
        self._phases[name] = time.monotonic() - self.terms.read_at - sum(self._phases.values())

    def _announce_regroup(self) -> None:
        if self._regroup_announced:
            return
        self._regroup_announced = True
        self._catch_up()
        measured = {} if self._steps.mean is None else {"step_seconds": self._steps.mean}
        self._channel.send(
            type="regrouped", **self.terms.place, seconds=sum(self._phases.values()), phases=self._phases, **measured
        )

    def _tell_first_steps(self) -> None:
        self._catch_up()
        if self._steps.mean is not None:
            self._first_steps_told = True
            self._channel.send(
                type="timed",
                **self.terms.place,
                step_seconds=self._steps.mean,
                group_batch=self._batch,
                samples_per_resource=self._epoch_samples,
            )

    def _catch_up(self) -> None:
        """Waits for the GPU, which may still be busy with queued steps, and adds that time to the clocks."""
        if self._device.type == "cuda":
            begin = time.monotonic()
            torch.cuda.synchronize(self._device)
            seconds = time.monotonic() - begin
            self._steps.wait(seconds)
            if self._replica is not None:
                self._replica.progress.count(seconds=seconds)

    def _add_clock(self, progress: Progress) -> None:
        """Adds the training clock to the report that is due."""
        if self._steps_ended is not None:
            progress.count(evaluated=time.monotonic() - self._steps_ended)
            self._steps_ended = None
        if progress.report is not None and progress.clock is not None:
            progress.report.update(asdict(progress.clock))

    def _close_log(self) -> None:
        if self._log is not None:
            self._settings.restore()  # sys.stdout may be a file of the trial, which may be closed
            self._log.close()
            self._log = None

    def _drop_group(self) -> None:
        self.group.close()  # peers that still wait in it get an error
        self.group = Group(self._device)
        self._is_formed = False


class Displaced(BaseException):
    """A regroup at a report brought a state from another place in the trial than that of the train function's loops."""


def _call(function: Callable[[Trial], Any], trial: Trial, doing: str) -> Any:
    """Calls a program's function. Turns sys.exit() into RuntimeError: the process would end like a crash, without a
    message."""
    try:
        with explained():
            return function(trial)
    except SystemExit as ended:
        words = "" if ended.code is None else repr(ended.code)
        raise RuntimeError(
            f"the program called sys.exit({words}) while its trial {doing}, which would have ended the worker; raise "
            "an exception if something is wrong: crescendo decides when a trial is over"
        ).with_traceback(ended.__traceback__) from None


def metrics_of_test(returned: Any) -> Dict[str, Optional[float]]:
    """Returns the numbers of a test function's result. Raises TypeError."""
    if not isinstance(returned, Mapping):
        raise TypeError(f"test returned {returned!r}; it must return numbers by name, such as {{'test_loss': 0.3}}")
    return numbers_of(returned)


def _kind_of(error: Exception) -> str:
    if isinstance(error, SaveError) and error.is_full:
        return "disk"
    is_memory = isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError))
    says_memory = isinstance(error, RuntimeError) and says_out_of_memory(str(error))
    return "out_of_memory" if is_memory or says_memory else "error"


def _place_of(error: Exception) -> str:
    """Where the error came from in the program, such as "train.py:12: "; empty if unknown."""
    here = str(Path(crescendo.__file__).parent)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(here)]
    # Skips code without a file, such as "<string>".
    own = [each for each in frames if "site-packages" not in each.filename and not each.filename.startswith("<")]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}: " if own else ""
