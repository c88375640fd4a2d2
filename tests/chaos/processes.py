"""The processes of one round, wherever they run: all inherit an environment variable that names the round."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

MARK = "CRESCENDO_CHAOS_ROUND"


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    kind: str  # rank, guard, trainer, other (launchers and shells)
    rank: int | None  # of a rank
    trial: int | None  # of a trainer other than crescendo-trainer
    node: str | None  # of Slurm
    command: str


def kind_of(words):
    program = os.path.basename(words[0]) if words else ""
    if program == "crescendo" and words[1:2] in (["run"], ["resume"]):
        return "rank"
    if program == "crescendo-guard":
        return "guard"
    if program in ("crescendo-trainer", "recording-trainer") or any(
            word.endswith(("/train.py", "/grow.py")) for word in words):
        return "trainer"
    return "other"


def read_process(pid, mark):
    """The process, or None if it is gone or belongs to another round."""
    folder = Path("/proc") / str(pid)
    try:
        environment = (folder / "environ").read_bytes()
        if f"{MARK}={mark}".encode() not in environment.split(b"\0"):
            return None
        words = [word.decode(errors="replace") for word in (folder / "cmdline").read_bytes().split(b"\0")[:-1]]
        state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    if state in "ZX":
        return None
    variables = dict(each.decode(errors="replace").partition("=")[::2] for each in environment.split(b"\0"))
    kind = kind_of(words)
    rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMIX_RANK", "0")) if kind == "rank" else None
    trial = variables.get("CRESCENDO_TRIAL") if kind == "trainer" else None
    return Process(pid, int(parent), kind, None if rank is None else int(rank), None if trial is None else int(trial),
                   variables.get("SLURMD_NODENAME"), " ".join(words))


def find(mark):
    """Every living process of the round `mark`."""
    found = (read_process(int(name), mark) for name in os.listdir("/proc") if name.isdigit())
    return [process for process in found if process]


def descendants(processes, ancestor):
    """The processes that descend from `ancestor`."""
    below, added = {ancestor.pid}, True
    while added:
        more = {process.pid for process in processes if process.parent in below} - below
        below |= more
        added = bool(more)
    return [process for process in processes if process.pid in below and process != ancestor]


def kill(process, number=signal.SIGKILL):
    """Sends the signal. Returns whether it reached the process."""
    try:
        os.kill(process.pid, number)
        return True
    except ProcessLookupError:
        return False


def await_none(mark, patience):
    """Waits until the round has no processes. Returns those that are left after `patience` seconds."""
    deadline = time.monotonic() + patience
    while (left := find(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def unattached_segments(pids):
    """System V shared memory that one of `pids` made and that nobody is attached to."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    columns = lines[0].split()
    segments = (dict(zip(columns, line.split())) for line in lines[1:])
    return [each["shmid"] for each in segments if each["nattch"] == "0" and int(each["cpid"]) in pids]
