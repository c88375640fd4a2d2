"""One round: a sweep with one or several faults, resumed until it is finished, and then checked."""

import os
import random
import shutil
import subprocess
import time
from dataclasses import dataclass, field

import checks
import journal
import processes
import sweeps
from cluster import SlurmJob

LONGEST_ROUND = 150  # seconds; a longer round hangs
GROUP_IS_AT_WORK = 1.0  # a member has recorded a step within this many seconds


@dataclass
class Result:
    name: str
    fault: str
    where: str
    struck: bool
    complaints: list = field(default_factory=list)
    steps_lost: int | None = None
    recovery: float | None = None  # seconds


class Round:
    """`rng` belongs to the round, so that a round can be repeated whatever else runs."""

    def __init__(self, campaign, fault, number):
        self.crescendo = campaign.crescendo
        self.fault, self.number, self.name = fault, number, f"{fault.name}/{number}"
        self.rng = random.Random(f"{campaign.seed}/{self.name}")
        self.folder = campaign.folder / f"{fault.name}-{number}"
        self.mark = str(self.folder)
        self.strikes = []  # (time, trials hit)
        self.complaints = []
        self.pids = set()
        sweep = self.rng.choice(campaign.sweeps_of(fault))
        kind = self.rng.choice(campaign.jobs_of(fault, sweep))
        self.prepare_folder()
        self.sweep = self.make_sweep(sweep, kind.slots, campaign)
        (self.folder / "sweep.yaml").write_text(self.sweep.text)
        self.job = kind(self.crescendo, self.folder, self.sweep_folder, self.environment(campaign.trainer))
        if isinstance(self.job, SlurmJob):
            self.job.cluster = campaign.slurm
            self.job.environment["SLURM_CONF"] = campaign.slurm.environment["SLURM_CONF"]

    def prepare_folder(self):
        for name in ("account", "nccl", "tmp", "shm"):
            (self.folder / name).mkdir(parents=True)
        self.sweep_folder = self.folder / "s"
        if self.fault.disk:
            disk = self.folder / "disk"
            disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "crescendo-chaos", disk], check=True)
            self.sweep_folder = disk / "s"

    def make_sweep(self, name, slots, campaign):
        more = "hang_timeout: 5s\n" if self.fault.needs_patience else ""
        if name == "growing":
            return sweeps.growing(self.rng, slots, campaign.python, more)
        if name in ("programs", "restarts"):
            return getattr(sweeps, name)(self.rng, slots, more)
        of_trainers = {"trainers": sweeps.trainers, "groups": sweeps.groups, "nccl": sweeps.groups_over_nccl}
        return of_trainers[name](self.rng, slots, campaign.data, more)

    def environment(self, trainer):
        """Open MPI's files go to the round's folder, where leftovers are noticed."""
        launchers = ("SLURM_", "OMPI_", "PMIX")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(launchers)}
        return {**inherited, **self.sweep.environment,
                processes.MARK: self.mark,
                "TEST_RECORD": str(self.folder / "account"),
                "FAKE_NCCL": str(self.folder / "nccl"),
                "CRESCENDO_TRAINER": str(trainer),
                "CRESCENDO_HEARTBEAT_TIMEOUT": "3",
                "TMPDIR": str(self.folder / "tmp"),
                "OMPI_MCA_btl_vader_backing_directory": str(self.folder / "shm"),
                "OMPI_MCA_mpi_yield_when_idle": "1"}

    # For the faults.

    def processes(self):
        found = processes.find(self.mark)
        self.pids |= {process.pid for process in found}
        return found

    def is_over(self):
        """Whether there is nothing left to strike, or no time."""
        return self.job.has_ended() or time.monotonic() > self.deadline

    def num_reports(self):
        return len(journal.reports(self.records()))

    def records(self):
        return journal.read(self.sweep_folder / "journal.jsonl")

    def await_moment(self):
        """Waits for a moment in the first part of the sweep's remaining work, and somewhere within an epoch."""
        already = self.num_reports()
        goal = already + self.rng.randrange(0, max(1, int(0.6 * self.sweep.least_reports - already)))
        while not self.is_over() and (self.num_reports() < goal or not self.records()):
            time.sleep(0.01)
        time.sleep(self.rng.uniform(0, self.sweep.seconds_per_epoch))

    def groups(self):
        """Trial → the crescendo-trainer processes that train it right now."""
        since = time.time() - GROUP_IS_AT_WORK
        return {trial: [pid for pid, steps in members.items() if steps[-1]["time"] > since]
                for trial, members in sweeps.read_account(self.folder / "account").items()}

    def note_strike(self, victims):
        """Notes that the fault is about to strike these processes."""
        pids = {process.pid for process in victims}
        trials = {process.trial for process in victims} - {None}
        trials |= {trial for trial, members in self.groups().items() if pids & set(members)}
        self.strikes.append((time.time(), trials))

    def note_mending(self):
        """Notes that the damage of the fault is repaired; from now on crescendo can recover."""
        self.strikes[-1] = (time.time(), self.strikes[-1][1])

    def complain(self, complaint):
        self.complaints.append(complaint)

    # The round itself.

    def run(self):
        try:
            return self.play()
        finally:
            self.clear_away()
            self.release_disk()

    def play(self):
        begun = time.monotonic()
        self.deadline = begun + LONGEST_ROUND
        self.job.start()
        struck = bool(self.fault.strike(self))
        self.job.thread.join(max(0.0, self.deadline - time.monotonic()))
        if not self.job.has_ended():
            self.complain(f"it hangs: not finished after {LONGEST_ROUND} s")
            self.clear_away()
        self.check()
        where = f"{type(self.job).__name__.removesuffix('Job').lower()}, {self.sweep.name}"
        result = Result(self.name, self.fault.name, where, struck, self.complaints)
        if struck:
            self.measure(result)
        return result

    def check(self):
        if not (self.sweep_folder / "results.csv").exists():
            self.complain(f"the sweep was not finished; sessions ended with {self.job.codes}")
        else:
            account = self.folder / "account"
            self.complaints += checks.check_sweep(self.crescendo, self.sweep_folder, self.sweep, account)
        if isinstance(self.job, SlurmJob) and len(self.job.codes) > 1 and not self.job.may_give_up:
            self.complain(f"it took several jobs, which ended as {self.job.codes}: a job gave up, or was not requeued")
        self.complaints += self.leftovers()

    def measure(self, result):
        account = sweeps.read_account(self.folder / "account")
        hit = set().union(*(trials for _, trials in self.strikes))
        result.steps_lost = max((sweeps.steps_trained_twice(account[trial]) for trial in hit), default=0)
        result.recovery = self.recovery(account)
        if self.went_on_in_memory() and result.steps_lost > 1:
            result.complaints.append(f"others of its group survived, and {result.steps_lost} steps were trained twice, "
                                     "where one is the most")

    def recovery(self, account):
        """Seconds from the last fault to the next new report of a trial that it hit, or of any trial if it hit none.

        Epochs trained before the fault but not yet in the journal do not count.
        """
        struck_at, hit = self.strikes[-1]
        trained = {(trial, step["epoch"] + 1) for trial, members in account.items()
                   for steps in members.values() for step in steps if step["time"] > struck_at}
        later = [report["time"] for report in journal.reports(self.records())
                 if report["time"] > struck_at and (not hit or report["trial"] in hit) and
                 (report["trial"], report["resource"]) in trained]
        return min(later) - struck_at if later else None

    def went_on_in_memory(self):
        """Whether the journal names the lost worker, as it does if other workers of its group remained."""
        return self.fault.name == "member" and self.sweep.name != "restarts" and any(
            record.get("event") == "trial_failed" and record.get("slot") is not None for record in self.records())

    def leftovers(self):
        complaints = [f"process {left.pid} is left: {left.command}" for left in processes.await_none(self.mark, 15)]
        complaints += [f"shared memory is left: {path}" for path in (self.folder / "shm").iterdir()]
        complaints += [f"Open MPI's {path} is left" for path in (self.folder / "tmp").rglob("*") if not path.is_dir()]
        complaints += [f"System V segment {each} is left" for each in processes.unattached_segments(self.pids)]
        return complaints

    def clear_away(self):
        """Makes sure that nothing of a failed round disturbs the next."""
        self.job.given_up.set()
        self.job.may_resume.set()
        for process in processes.find(self.mark):
            processes.kill(process)
        self.job.thread.join(20)

    def release_disk(self):
        """Keeps a copy of the sweep's folder next to its disk, and unmounts the disk."""
        if self.fault.disk:
            if self.sweep_folder.exists():
                shutil.copytree(self.sweep_folder, self.folder / "s")
            subprocess.run(["umount", "--lazy", self.folder / "disk"], check=False)


def describe(result):
    numbers = [] if result.steps_lost is None else [f"{result.steps_lost} steps lost"]
    numbers += [] if result.recovery is None else [f"recovered in {result.recovery:.2f} s"]
    state = "FAILED" if result.complaints else "ok" if result.struck else "ok, but over before the fault"
    return f"{result.name:18} {result.where:18} {state}{''.join(', ' + each for each in numbers)}"
