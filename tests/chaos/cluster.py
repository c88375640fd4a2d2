"""Where a round's sweep runs: alone, on four ranks of mpirun, or on four nodes of its own Slurm.

A Job plays the role of a job script: whatever ends a session of the sweep, it calls `crescendo resume` until the
sweep is finished.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import processes

NUM_NODES = 4
MOST_SESSIONS = 12
ACTIVE = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "REQUEUED", "SUSPENDED")
HERE = Path(__file__).resolve().parent


class Job:
    """Sessions of one sweep, one after the other, in a thread."""

    def __init__(self, crescendo, folder, sweep_folder, environment):
        self.crescendo, self.folder, self.sweep_folder, self.environment = crescendo, folder, sweep_folder, environment
        self.codes = []  # how sessions ended: exit codes or Slurm states
        self.may_resume = threading.Event()
        self.may_resume.set()
        self.given_up = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def start(self):
        self.thread.start()

    def has_ended(self):
        return not self.thread.is_alive()

    def work(self):
        while len(self.codes) < MOST_SESSIONS and not self.given_up.is_set():
            begun = (self.sweep_folder / "journal.jsonl").exists()
            sweep = str(self.sweep_folder)
            words = ["resume", sweep] if begun else ["run", "sweep.yaml", "--dir", sweep]
            if self.session(words) == 0 and self.is_finished():
                return
            while not self.may_resume.wait(0.1) and not self.given_up.is_set():
                pass

    def session(self, words):
        with open(self.folder / "output.log", "ab") as output:
            process = subprocess.Popen(self.command(words), cwd=self.folder, env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
            code = process.wait()
            output.write(f"-- {' '.join(words)}: exit code {code}\n".encode())
        self.codes.append(code)
        return code

    def is_finished(self):
        """Exit codes do not show it: mpirun with --enable-recovery ends with 0 whatever happens to its ranks."""
        shown = subprocess.run([self.crescendo, "status", self.sweep_folder, "--format", "json"], capture_output=True)
        return shown.returncode == 0 and json.loads(shown.stdout)["state"] == "finished"

    def await_session_end(self, count, patience):
        """Whether `count` sessions have ended within `patience` seconds."""
        deadline = time.monotonic() + patience
        while len(self.codes) < count and time.monotonic() < deadline and not self.has_ended():
            time.sleep(0.02)
        return len(self.codes) >= count

    def drain(self, found):
        """Sends the warning signal to every rank, like a batch system before the time limit."""
        for process in found:
            if process.kind == "rank":
                processes.kill(process, signal.SIGUSR2)


class AloneJob(Job):
    """One node, no launcher."""

    slots = NUM_NODES

    def command(self, words):
        return [self.crescendo, *words]


class MpiJob(Job):
    """Four ranks; a rank that dies does not end the others."""

    slots = 1

    def command(self, words):
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--enable-recovery", "-n", str(NUM_NODES),
                self.crescendo, *words]


class SlurmJob(Job):
    """Batch jobs of four nodes, from `crescendo submit`. A job resumes in its own allocation and is requeued after a
    drain; another job follows only if one gave up."""

    slots = 1
    cluster = None  # a SlurmCluster
    may_give_up = False  # a job may end before the sweep does

    def work(self):
        while len(self.codes) < MOST_SESSIONS and not self.given_up.is_set():
            self.id = self.submit()
            while (state := self.cluster.state_of(self.id)) in ACTIVE:
                if self.given_up.is_set():
                    self.cancel()
                time.sleep(0.2)
            self.codes.append(state)
            if self.is_finished():
                return

    def submit(self):
        begun = (self.sweep_folder / "journal.jsonl").exists()
        options = [str(self.sweep_folder)] if begun else [
            "sweep.yaml", "--dir", str(self.sweep_folder), "--nodes", str(NUM_NODES), "--time", "15m"]
        words = [self.crescendo, "submit", *options]
        submitted = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                   check=True)
        return re.search(r"\d+", submitted.stdout)[0]

    def cancel(self):
        subprocess.run(["scancel", self.id], env=self.cluster.environment, check=False, capture_output=True)

    def drain(self, found):
        """Sends the warning of the time limit. slurmctld itself would send it up to half a minute late."""
        subprocess.run(["scancel", "--batch", "--signal=USR2", self.id], env=self.cluster.environment, check=False,
                       capture_output=True)


class SlurmCluster:
    """Four emulated nodes on this machine. A context manager that stops the daemons at its end."""

    def __init__(self, folder, base_port):
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf", "BASEPORT": str(base_port)}
        self.script = HERE.parent / "slurm" / "local_slurm.sh"

    @staticmethod
    def missing():
        """Why Slurm cannot run here; None if it can."""
        if os.geteuid() != 0:
            return "Slurm's daemons need root here"
        absent = [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if not shutil.which(name)]
        return f"not installed: {', '.join(absent)}" if absent else None

    def __enter__(self):
        self.call("start", str(NUM_NODES), check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["scancel", "--user=root"], env=self.environment, check=False, capture_output=True)
        self.call("stop")

    def fail(self, node):
        """Kills the node with everything that runs on it."""
        self.call("fail", node)

    def mend(self, node):
        self.call("mend", node)

    def call(self, verb, *words, check=False):
        subprocess.run(["bash", self.script, verb, self.folder, *words], env=self.environment, check=check,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)

    def state_of(self, job):
        shown = subprocess.run(["squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T"],
                               env=self.environment, capture_output=True, text=True, check=False)
        return shown.stdout.strip() or "GONE"
