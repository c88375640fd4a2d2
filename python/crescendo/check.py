"""Checks whether a program is a warm trainer as docs/trial-protocol.md specifies it.

    python -m crescendo.check [--settings JSON] PROGRAM [ARGUMENT …]

Starts the program several times, as crescendo would, and does to it all that a sweep may do. Prints each violation with
its section of the specification. The exit status is 0 if all checks pass, else 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from crescendo.fake import FakeCrescendo, Terms, Unexpected
from crescendo.protocol import Message

WHOLE = "whole number"
NUMBER = "number"
TEXT = "text"
BOOL = "boolean"
_TYPES: Dict[str, Callable[[Any], bool]] = {
    WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool),
    NUMBER: lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    TEXT: lambda value: isinstance(value, str),
    BOOL: lambda value: isinstance(value, bool),
}
KEYS: Dict[str, Dict[str, str]] = {
    "hello": {"pid": WHOLE, "version": TEXT},
    "report": {"trial": WHOLE, "generation": WHOLE, "resource": WHOLE},
    "regrouped": {"trial": WHOLE, "generation": WHOLE, "seconds": NUMBER},
    "timed": {"trial": WHOLE, "generation": WHOLE, "step_seconds": NUMBER, "group_batch": NUMBER},
    "stranded": {"trial": WHOLE, "generation": WHOLE},
    "left": {"trial": WHOLE, "saved": BOOL},
    "store": {"id": WHOLE, "trial": WHOLE, "generation": WHOLE, "op": TEXT},
    "progress": {},
}
"""Required keys of each message from a trainer, with their types."""
TIME_TO_START = 300.0  # seconds; crescendo waits as long for 'hello', and for the answer to --check


def expect(holds: bool, message: str) -> None:
    if not holds:
        raise Unexpected(message)


def expect_repeated(report: Message, again: Message) -> None:
    expect(
        (again["resource"], again["metrics"]) == (report["resource"], report["metrics"]),
        f"rank 0 died after its report {report['resource']} {report['metrics']}; the survivor must repeat it, but "
        f"reports {again['resource']} {again['metrics']}",
    )


def check_keys(message: Message) -> None:
    kind = message["type"]
    expect(kind in KEYS, f"it sends a message of unknown type {kind!r}: {json.dumps(message)}")
    for key, what in KEYS[kind].items():
        expect(key in message, f"{kind!r} lacks the key {key!r}: {json.dumps(message)}")
        expect(_TYPES[what](message[key]), f"{key!r} of {kind!r} is not a {what}: {json.dumps(message)}")
    if kind == "report":
        metrics = message.get("metrics")
        expect(isinstance(metrics, dict) and len(metrics) > 0, f"a report has no metrics: {json.dumps(message)}")
        for name, value in (metrics or {}).items():
            is_known = value is None or isinstance(value, str) or _TYPES[NUMBER](value)
            expect(is_known, f"metric {name!r} is neither a number, null nor a text: {value!r}")


class Crescendo(FakeCrescendo):
    """Checks every message, and adds an unknown key to each message that it sends: trainers must ignore such keys."""

    def send(self, trainer: int, **message: Any) -> None:
        super().send(trainer, **message, key_of_the_future=1)

    def kill(self, trainer: int) -> None:
        """Also kills the processes that the trainer started, as crescendo-guard does."""
        self._signal_all(self.trainers[trainer], signal.SIGKILL)
        super().kill(trainer)

    def _take(self, trainer: Any, line: bytes) -> None:
        super()._take(trainer, line)
        message = self.arrivals[-1][2]
        if message["type"] != "failed":
            check_keys(message)


class Conformance:
    """Runs the checks. Uses four trainers, because each of the last checks ends one."""

    def __init__(self, command: List[str], settings: Message, patience: float) -> None:
        self.command = command
        self.settings = settings
        self.patience = patience
        self.patience_at_start = max(patience, TIME_TO_START)
        self.times_steps = False
        """Whether a report of the trainers so far had step times. Updated when trainers are replaced."""
        self._crescendo: Optional[Crescendo] = None
        self._folder = tempfile.TemporaryDirectory(prefix="crescendo-check-")
        self._num_trials = 0

    @property
    def crescendo(self) -> Crescendo:
        if self._crescendo is None:
            self._crescendo = Crescendo(4, self.command, patience=self.patience_at_start)
            self._crescendo.patience = self.patience
        return self._crescendo

    def living(self, count: int) -> List[int]:
        """Returns `count` idle trainers. Starts new ones if too few are left."""
        living = [each.number for each in self.crescendo.trainers if each.process.poll() is None and not each.ended]
        if len(living) < count:
            self.restart()
            living = [each.number for each in self.crescendo.trainers]
        return living[:count]

    def restart(self) -> None:
        """Ends the trainers, so that the next check gets new ones."""
        if self._crescendo is not None:
            self.times_steps = self.times_steps or any(
                message.get("type") == "report" and "step_seconds" in message
                for _, _, message in self._crescendo.arrivals
            )
            self._crescendo.close()
            self._crescendo = None

    def close(self) -> None:
        self.restart()
        self._folder.cleanup()

    def terms(self, **more: Any) -> Terms:
        """Returns the terms of a new trial."""
        for trainer in self.crescendo.trainers:
            for message in [each for each in trainer.messages if each["type"] != "failed"]:
                trainer.messages.remove(message)  # of the former trial
        self._num_trials += 1
        directory = Path(self._folder.name) / str(self._num_trials)
        directory.mkdir()
        return Terms(directory=directory, settings=self.settings, trial=self._num_trials, **more)

    def report(self, trainer: int, terms: Terms) -> Message:
        """Waits for the present group's next report. Raises Unexpected if it names another trial or generation."""
        found = self.crescendo.expect(trainer, "report")
        expect(
            (found["trial"], found["generation"]) == (terms.trial, self.crescendo.generation),
            f"the report is for trial {found['trial']}, generation {found['generation']}, but the trainer trains "
            f"trial {terms.trial} in generation {self.crescendo.generation}",
        )
        terms.reported = found["resource"]
        self.crescendo.look_for(trainer, "timed", 0)  # a trial may send it before its first report
        return found

    def begin(self, **more: Any) -> Tuple[int, Terms]:
        """Starts a new trial on one trainer. Returns that trainer and the trial's terms."""
        (trainer,) = self.living(1)
        terms = self.terms(**more)
        self.crescendo.join([trainer], "new", terms)
        return trainer, terms

    def regrouped(self, trainer: int) -> Message:
        found = self.crescendo.expect(trainer, "regrouped")
        expect(
            found["generation"] == self.crescendo.generation,
            f"'regrouped' names generation {found['generation']}, but the group is of generation "
            f"{self.crescendo.generation}",
        )
        return found

    def leave(self, members: List[int], terms: Terms, save: bool = False) -> bool:
        return self.crescendo.leave(members, save, terms.trial)

    def expect_silence(self, trainer: int, seconds: float, why: str) -> None:
        """Raises Unexpected if anything but `progress` arrives within `seconds`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.crescendo.serve(until - time.monotonic())
            for message in self.crescendo.trainers[trainer].messages:
                raise Unexpected(f"it sends {message['type']!r} {why}: {json.dumps(message)}")


Check = Callable[[Conformance], None]
CHECKS: List[Tuple[str, str, Check]] = []


def check(title: str, section: str) -> Callable[[Check], Check]:
    def add(function: Check) -> Check:
        CHECKS.append((title, section, function))
        return function

    return add


@check("--check accepts these settings", "checking-the-settings")
def check_settings(conformance: Conformance) -> None:
    try:
        done = subprocess.run(
            [*conformance.command, "--check"],
            input=json.dumps({"settings": conformance.settings, "parameters": {}}),
            capture_output=True,
            text=True,
            timeout=conformance.patience_at_start,
            env=_without_socket(),
        )
    except subprocess.TimeoutExpired:
        raise Unexpected(f"--check does not end within {conformance.patience_at_start:g} s") from None
    expect(done.returncode == 0, f"--check ends with status {done.returncode}: {done.stderr[-1000:]}")
    try:
        problems = json.loads(done.stdout.strip().rpartition("\n")[2])["problems"]  # after a script's other output
    except (ValueError, KeyError, TypeError):
        raise Unexpected(
            f"the last line that --check prints must be an object with the key 'problems'; it prints {done.stdout!r}"
        ) from None
    expect(problems == [], f"--check rejects the settings: {json.dumps(problems)}; pass others with --settings")


@check("it sends 'hello', then a sign of life each second", "warm-trainers")
def check_hello(conformance: Conformance) -> None:
    crescendo = conformance.crescendo
    (first,) = conformance.living(1)
    conformance.expect_silence(first, 2.5, "while it is idle")
    signs = [m for _, trainer, m in crescendo.arrivals if trainer == first and m["type"] == "progress"]
    expect(len(signs) > 0, "no 'progress' in 2.5 s while idle: crescendo would consider it hung")


@check("it trains a new trial and reports it", "join")
def check_new(conformance: Conformance) -> None:
    a, terms = conformance.begin()
    conformance.regrouped(a)
    conformance.report(a, terms)
    conformance.leave([a], terms)


@check("after a report it waits for the decision, then continues", "decision")
def check_decision(conformance: Conformance) -> None:
    a, terms = conformance.begin()
    first = conformance.report(a, terms)
    conformance.crescendo.look_for(a, "regrouped", 0.1)
    conformance.expect_silence(a, 1.5, "before the decision about its report")
    conformance.crescendo.go_on([a], terms)
    second = conformance.report(a, terms)
    expect(
        second["resource"] > first["resource"],
        f"a report at resource {first['resource']} is followed by one at {second['resource']}; the resource must grow",
    )
    conformance.leave([a], terms)


@check("it stops training at max_resource", "join")
def check_end(conformance: Conformance) -> None:
    a, terms = conformance.begin(max_resource=1)
    conformance.report(a, terms)
    conformance.crescendo.look_for(a, "regrouped", 0.1)
    conformance.crescendo.go_on([a], terms)
    conformance.expect_silence(a, 1.5, "after max_resource, when it must wait for an order")
    conformance.leave([a], terms)


@check("it leaves within an epoch, and is idle again", "leave")
def check_leave(conformance: Conformance) -> None:
    a, terms = conformance.begin()
    conformance.regrouped(a)
    expect(not conformance.leave([a], terms), "'left' says saved: true, but 'leave' did not ask for it")
    conformance.terms()  # a report may have crossed with the order
    conformance.expect_silence(a, 1.0, "after 'left'")
    check_new(conformance)


@check("a group grows and shrinks in memory; only rank 0 reports", "join")
def check_regroup(conformance: Conformance) -> None:
    a, b = conformance.living(2)
    crescendo, terms = conformance.crescendo, conformance.terms()
    crescendo.join([a], "new", terms)
    first = conformance.report(a, terms)
    conformance.regrouped(a)
    terms.batch_multiple = 2
    crescendo.join([a, b], "memory", terms)
    conformance.regrouped(a)
    second = conformance.report(a, terms)
    expect(second["resource"] > first["resource"], "the group that grew does not continue: its resource does not grow")
    conformance.expect_silence(b, 0.5, "as rank 1, but only rank 0 speaks for the group")
    requests = [message for _, _, message in crescendo.arrivals if message["type"] == "store"]
    expect(
        all((m["trial"], m["generation"]) == (terms.trial, crescendo.generation) for m in requests),
        "a store request and the join name different trials or generations",
    )
    crescendo.join([b], "memory", terms)  # rank 0 leaves; the other member has the state
    conformance.leave([a], terms)
    third = conformance.report(b, terms)
    expect(third["resource"] > second["resource"], "rank 1 did not have the state: the trial started over on it")
    crescendo.look_for(b, "regrouped", 0.1)
    conformance.leave([b], terms)


@check("the checkpoint is written before the report at checkpoint_at", "join")
def check_checkpoint_at(conformance: Conformance) -> None:
    a, terms = conformance.begin(checkpoint_at=1)
    conformance.report(a, terms)
    expect((terms.directory / "checkpoint.pt").exists(), "there is no checkpoint.pt in the trial's directory")
    conformance.leave([a], terms)


@check("it saves when it leaves, and repeats the report when it resumes elsewhere", "checkpoints-of-a-warm-trainer")
def check_resume(conformance: Conformance) -> None:
    a, b = conformance.living(2)
    terms = conformance.terms()
    conformance.crescendo.join([a], "new", terms)
    first = conformance.report(a, terms)
    expect(conformance.leave([a], terms, save=True), "'left' must say saved: true after 'leave' with save")
    expect((terms.directory / "checkpoint.pt").exists(), "there is no checkpoint.pt in the trial's directory")
    conformance.crescendo.join([b], "checkpoint", terms)
    again = conformance.report(b, terms)
    expect(
        (again["resource"], again["metrics"]) == (first["resource"], first["metrics"]),
        f"the first report of a resumed trial must be that of its checkpoint, {first['resource']} {first['metrics']}; "
        f"it is {again['resource']} {again['metrics']}",
    )
    conformance.crescendo.go_on([b], terms)
    expect(conformance.report(b, terms)["resource"] > first["resource"], "the resumed trial does not continue")
    conformance.leave([b], terms)


@check("without a checkpoint, or with nothing in memory, the trial starts over", "join")
def check_begin_anew(conformance: Conformance) -> None:
    (a,) = conformance.living(1)
    for state in ("checkpoint", "memory"):
        terms = conformance.terms()
        conformance.crescendo.join([a], state, terms)
        conformance.regrouped(a)
        conformance.report(a, terms)
        conformance.leave([a], terms)


@check("it ignores SIGTERM and SIGUSR2", "leave")
def check_signals(conformance: Conformance) -> None:
    a, terms = conformance.begin()
    conformance.report(a, terms)
    for number in (signal.SIGTERM, signal.SIGUSR2):
        conformance.crescendo.signal(a, number)
    conformance.crescendo.go_on([a], terms)
    conformance.report(a, terms)
    conformance.leave([a], terms)


@check("it survives the loss of a peer, and repeats the report that may be lost with it", "stranded")
def check_lost_peer(conformance: Conformance) -> None:
    a, b = conformance.living(2)
    crescendo, terms = conformance.crescendo, conformance.terms()
    crescendo.join([a, b], "new", terms)
    report = conformance.report(a, terms)
    terms.reported = None
    crescendo.kill(a)
    crescendo.join([b], "memory", terms)
    expect_repeated(report, conformance.report(b, terms))
    crescendo.go_on([b], terms)
    expect(conformance.report(b, terms)["resource"] > report["resource"], "the survivor does not continue")
    conformance.leave([b], terms)


@check("a member that joined later also repeats that report, whatever it sent in other trials", "stranded")
def check_lost_report(conformance: Conformance) -> None:
    # A newcomer does not report that it got the state, so the check waits, and waits longer if that was too short.
    got_state = any(_repeats_as_newcomer(conformance, seconds) for seconds in (1.0, 5.0, 25.0))
    expect(got_state, "a member that joined did not have the state after 25 s")


def _repeats_as_newcomer(conformance: Conformance, seconds: float) -> bool:
    """Kills rank 0, with its report, `seconds` after a newcomer joined. Returns whether the newcomer got the state."""
    a, b = conformance.living(2)
    crescendo, other = conformance.crescendo, conformance.terms()
    crescendo.join([b], "new", other)
    conformance.report(b, other)
    conformance.leave([b], other)
    terms = conformance.terms()
    crescendo.join([a], "new", terms)
    conformance.report(a, terms)
    crescendo.go_on([a], terms)
    report = crescendo.expect(a, "report")  # still unanswered when the join is sent
    crescendo.join([a, b], "memory", terms)
    conformance.expect_silence(b, seconds, "as rank 1, but only rank 0 speaks for the group")
    crescendo.kill(a)
    crescendo.join([b], "memory", terms)
    again = conformance.report(b, terms)
    conformance.leave([b], terms)
    if again["resource"] < report["resource"]:
        return False  # it began the trial anew
    expect_repeated(report, again)
    return True


@check("it says when it is stranded, and continues in the next group", "stranded")
def check_stranded(conformance: Conformance) -> None:
    a, b = conformance.living(2)
    crescendo, terms = conformance.crescendo, conformance.terms()
    crescendo.join([a, b], "new", terms)
    conformance.report(a, terms)
    crescendo.kill(b)
    crescendo.go_on([a], terms)
    stranded = crescendo.expect(a, "stranded")
    expect(
        (stranded["trial"], stranded["generation"]) == (terms.trial, crescendo.generation),
        f"'stranded' names trial {stranded['trial']}, generation {stranded['generation']}",
    )
    crescendo.join([a], "memory", terms)
    conformance.report(a, terms)
    conformance.leave([a], terms)


@check("it ends with status 0 when the channel closes", "warm-trainers")
def check_channel_end(conformance: Conformance) -> None:
    a, terms = conformance.begin()
    conformance.report(a, terms)
    conformance.crescendo.hang_up(a)
    status = conformance.crescendo.wait_for_end(a)
    expect(status == 0, f"it ends with status {status}")


def check_group(conformance: Conformance) -> None:
    words = [["--check-group", str(rank), "2"] for rank in (0, 1)]
    with FakeCrescendo(2, conformance.command, words=words, patience=conformance.patience_at_start) as crescendo:
        for member in (0, 1):
            result = crescendo.expect(member, "group_checked")
            expect(result.get("sum") == 3.0, f"'group_checked' must have the sum 3.0: {json.dumps(result)}")


def _without_socket() -> Dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("CRESCENDO_")}


def run(command: List[str], settings: Message, patience: float = 60.0) -> int:
    """Runs all checks and prints their results. Returns how many failed."""
    conformance = Conformance(command, settings, patience)
    num_failed = 0
    notes: List[Tuple[str, str]] = []  # what is no violation, each with its section
    try:
        for title, section, function in CHECKS:
            try:
                function(conformance)
                print(f"ok      {title}", flush=True)
            except Unexpected as error:
                num_failed += 1
                text = str(error).replace("\n", "\n        ")
                print(f"FAILED  {title}\n        {text}\n        see docs/trial-protocol.md#{section}", flush=True)
                conformance.restart()
        try:
            check_group(conformance)
        except Unexpected:
            notes.append(("it has no --check-group, so CRESCENDO_TRAINER must not name it", "checking-a-group"))
    finally:
        conformance.close()
    if not conformance.times_steps:
        notes.append(("no report has step_seconds, so trials get more workers at each rung, useful or not", "reports"))
    for text, section in notes:
        print(f"note    {text}\n        see docs/trial-protocol.md#{section}")
    print(f"{len(CHECKS) - num_failed} of {len(CHECKS)} checks pass")
    return num_failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m crescendo.check", description=__doc__.split("\n")[0])
    parser.add_argument("--settings", default="{}", help="a trial's settings as JSON, or a file with it")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for anything but the start (60)")
    parser.add_argument("program", help="the trainer, as in `command:`: a file, or a name along PATH")
    parser.add_argument("argument", nargs=argparse.REMAINDER, help="its arguments: python3 train.py --epochs=9")
    args = parser.parse_args()
    program = shutil.which(args.program)
    if program is None:
        parser.error(f"{args.program} is not a program; name one on PATH, or make the file executable")
    text = Path(args.settings).read_text() if os.path.exists(args.settings) else args.settings
    try:
        settings = json.loads(text)
    except ValueError as error:
        parser.error(f"--settings is not JSON: {error}")
    return 1 if run([os.path.abspath(program), *args.argument], settings, args.patience) else 0


if __name__ == "__main__":
    sys.exit(main())
