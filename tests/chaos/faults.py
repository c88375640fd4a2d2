"""The faults. Each strikes a round's sweep at moments that its seed and the sweep's progress choose.

A fault is a function of the round. It returns a true value if it struck; the sweep may end before.
"""

import json
import math
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass
from typing import Callable

import checks
import processes
import sweeps
from cluster import AloneJob, MpiJob, NUM_NODES, SlurmJob

PATIENCE = 60  # seconds, for things that take a few


@dataclass(frozen=True)
class Fault:
    name: str
    strike: Callable
    jobs: tuple
    sweeps: tuple
    rounds: int  # of a hundred or so
    disk: bool = False  # whether the sweep is on a small disk of its own
    needs_patience: bool = False  # whether it ends by time-outs, which are short then


def strike_one(round_, candidates, number=signal.SIGKILL):
    """Sends a signal to one process, which the seed chooses among those that `candidates` finds, once there is one.
    Returns the process, or None if it was gone or never appeared."""
    while not round_.is_over():
        found = round_.processes()
        victims = sorted(candidates(found), key=lambda process: process.pid)
        if victims:
            victim = round_.rng.choice(victims)
            round_.note_strike([victim, *processes.descendants(found, victim)])
            return victim if processes.kill(victim, number) else None
        time.sleep(0.02)
    return None


def at_work(round_, found):
    """Trainers that have a trial."""
    busy = {pid for pids in round_.groups().values() for pid in pids}
    return [each for each in found if each.kind == "trainer" and (each.trial is not None or each.pid in busy)]


def trainer(round_):
    round_.await_moment()
    return strike_one(round_, lambda found: at_work(round_, found))


def guard(round_):
    round_.await_moment()
    return strike_one(round_, lambda found: [each for each in found if each.kind == "guard"])


def members(round_, found):
    """Trainers whose trial has other workers too."""
    groups = round_.groups()
    shared = {pid for pids in groups.values() if len(pids) > 1 for pid in pids}
    processes_of = Counter(each.trial for each in found if each.trial is not None)  # all ranks of a program
    return [each for each in found if each.pid in shared or processes_of[each.trial] > 1]


def member(round_):
    """Kills one worker of a group, which must lose one step at most."""
    round_.await_moment()
    return strike_one(round_, lambda found: members(round_, found))


def tell_nccl(round_, call, order, hit):
    """Gives the library in NCCL's place an order. It obeys once, in the next worker of rank 1 that makes this call."""
    path = round_.folder / "nccl" / f"{call}.1"
    path.write_text(f"once {order}")
    while path.exists():
        if round_.is_over():
            return False
        time.sleep(0.005)
    round_.note_strike(hit(round_, round_.processes()))
    return True


def nccl_hang(round_):
    """Strikes when the first group of the sweep forms: few groups form, and a later moment may be too late. It may hit
    any trial, so the result is the largest loss of any trial, and the time of the first report of any trial."""
    return tell_nccl(round_, "init", "hang", at_work)


def nccl_error(round_):
    round_.await_moment()
    return tell_nccl(round_, "collective", "fail 6 socketProgress: Connection closed by remote peer", members)


def agent(round_):
    round_.await_moment()
    return strike_one(round_, lambda found: [each for each in found if each.kind == "rank" and each.rank > 0])


def coordinator(round_):
    round_.await_moment()
    return strike_one(round_, lambda found: [each for each in found if each.kind == "rank" and each.rank == 0])


def kill_all(round_):
    """Kills all processes of crescendo and all trainers. The launcher lives on, like a batch system."""
    found = [each for each in round_.processes() if each.kind != "other"]
    if not any(each.kind == "rank" for each in found):
        return False
    round_.note_strike(found)
    round_.rng.shuffle(found)
    for process in found:
        processes.kill(process)
    return True


def everything(round_):
    round_.await_moment()
    return kill_all(round_)


def stopped_trainer(round_):
    """Stops a trainer for good: crescendo has to notice by itself."""
    round_.await_moment()
    return strike_one(round_, lambda found: at_work(round_, found), signal.SIGSTOP)


def drain(round_):
    """Sends the warning of a time limit in the middle of a rung. Under Slurm the job is requeued."""
    round_.await_moment()
    found = round_.processes()
    if not any(each.kind == "rank" for each in found):
        return False
    round_.note_strike(found)
    round_.job.drain(found)
    return True


def node_down(round_):
    """A node dies with everything that runs on it, including Slurm's daemon, and comes back. The job script dies with
    the first node. That ends the job if there are no other ranks yet to take care of it."""
    round_.await_moment()
    node = f"n{round_.number % NUM_NODES + 1}"
    while node == "n1" and round_.num_reports() == 0 and not round_.is_over():
        time.sleep(0.01)
    if round_.is_over():
        return False
    round_.note_strike([process for process in round_.processes() if process.node == node])
    round_.job.cluster.fail(node)
    if node == "n1" and round_.job.is_finished():  # its script may not have told Slurm: nothing else ends the job
        round_.job.cancel()
    time.sleep(round_.rng.uniform(0, 6))
    round_.job.cluster.mend(node)
    return True


def full_disk(round_):
    """Fills the sweep's disk completely, and frees it after the session has ended."""
    round_.await_moment()
    if round_.is_over():
        return False
    ended = len(round_.job.codes)
    round_.job.may_resume.clear()
    filler = round_.sweep_folder.parent / "filler"
    round_.note_strike(round_.processes())
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    if not round_.job.await_session_end(ended + 1, PATIENCE):
        round_.complain("the session did not end on a full disk")
    filler.unlink()
    round_.note_mending()
    round_.job.may_resume.set()
    return True


def cut_tail(lines, account):
    """How many of the last lines, at most three, may not have reached the disk before a crash.

    A report is on the disk before it is answered. So it cannot be lost after its trial has trained the next epoch.
    """
    trained = {trial: max(step["epoch"] for steps in members.values() for step in steps)
               for trial, members in account.items()}
    count = 0
    for line in reversed(lines[1:]):
        record = json.loads(line)
        is_answered = trained.get(record.get("trial"), 0) >= record.get("resource", math.inf)
        if count == 3 or is_answered:
            break
        count += 1
    return count


def journal_cut(round_):
    """Kills everything and cuts the journal: at some bytes of its last record to read it, and at one of the last three
    records to resume it."""
    round_.await_moment()
    ended = len(round_.job.codes)
    round_.job.may_resume.clear()
    if not kill_all(round_):
        round_.job.may_resume.set()
        return False
    round_.job.await_session_end(ended + 1, PATIENCE)
    path = round_.sweep_folder / "journal.jsonl"
    content = path.read_bytes()
    whole = content[:content.rfind(b"\n") + 1]
    lines = whole.splitlines(keepends=True)
    check_cuts(round_, whole, lines)
    account = sweeps.read_account(round_.folder / "account")
    tail = sum(len(line) for line in lines[len(lines) - cut_tail(lines, account):])
    path.write_bytes(whole[:len(whole) - round_.rng.randrange(0, tail + 1)])
    round_.note_mending()
    round_.job.may_resume.set()
    return True


def check_cuts(round_, whole, lines):
    """Cuts at a few bytes of the last record; tests/launch/journal/journal.cpp cuts at every byte."""
    copy = round_.folder / "cut"
    copy.mkdir()
    for name in ("sweep.yaml", "run.json"):
        shutil.copy(round_.sweep_folder / name, copy)
    commands = checks.Commands(round_.crescendo, copy)
    last = range(1, len(lines[-1]) + 1 if len(lines) > 1 else 1)
    for cut in round_.rng.sample(last, min(len(last), 8)):
        (copy / "journal.jsonl").write_bytes(whole[:-cut])
        code, _, error = commands.run("status", str(copy), "--format", "json")
        if code != 0:
            round_.complain(f"cut {cut} bytes before its end, the journal cannot be read: {error}")
            return


def several(round_):
    """Two or three of the other faults, one after another or at once."""
    round_.job.may_give_up = True  # a job script gives up after three deaths of rank 0 within a minute each
    choices = [trainer, everything, drain]
    if not isinstance(round_.job, AloneJob):
        choices += [agent, coordinator]
    struck = [round_.rng.choice(choices)(round_) for _ in range(round_.rng.choice([2, 3]))]
    return any(struck)


def weighted(**weights):
    """Kinds of sweeps for Fault.sweeps, each as often as its weight says."""
    return tuple(name for name, weight in weights.items() for _ in range(weight))


# Growing programs take half a minute to start PyTorch everywhere, so they are rare. weekly.sh runs more of them.
FAULTS = {fault.name: fault for fault in [
    Fault("trainer", trainer, (AloneJob, MpiJob, SlurmJob),
          weighted(programs=7, trainers=4, restarts=2, growing=1), 11),
    Fault("member", member, (AloneJob, MpiJob), weighted(groups=4, nccl=4, restarts=2, growing=2), 11),
    Fault("guard", guard, (AloneJob, MpiJob), weighted(programs=4, restarts=2), 6),
    Fault("agent", agent, (MpiJob, MpiJob, SlurmJob),
          weighted(programs=6, groups=2, nccl=2, restarts=2, growing=1), 10),
    Fault("coordinator", coordinator, (AloneJob, MpiJob, SlurmJob),
          weighted(programs=6, trainers=3, restarts=2, growing=1), 9),
    Fault("everything", everything, (AloneJob, MpiJob, SlurmJob),
          weighted(programs=6, groups=2, nccl=2, restarts=2, growing=1), 10),
    Fault("stopped", stopped_trainer, (AloneJob, MpiJob), ("programs", "trainers", "nccl"), 6, needs_patience=True),
    Fault("nccl_hang", nccl_hang, (AloneJob, MpiJob), ("nccl",), 4, needs_patience=True),
    Fault("nccl_error", nccl_error, (AloneJob, MpiJob), ("nccl",), 4),
    Fault("drain", drain, (AloneJob, MpiJob, SlurmJob, SlurmJob),
          weighted(programs=6, groups=2, nccl=2, restarts=1), 9),
    Fault("node_down", node_down, (SlurmJob,), ("programs",), 4),
    Fault("full_disk", full_disk, (AloneJob, MpiJob), ("programs",), 6, disk=True),
    Fault("journal_cut", journal_cut, (AloneJob,), ("programs", "programs", "trainers"), 8),
    Fault("several", several, (AloneJob, MpiJob, MpiJob, SlurmJob),
          weighted(programs=6, groups=2, nccl=2, restarts=1), 8),
]}
