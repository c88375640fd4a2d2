#!/usr/bin/env python3
"""Sweeps on a real Slurm: four nodes on this machine, real jobs, real kills.

usage: sweeps.py CRESCENDO [TEST ...]

Exits with 77 and the reason if no Slurm can be started. No test depends on the speed of the machine: each waits for
what it tests, and a watchdog names what did not happen.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOCAL_SLURM = Path(__file__).resolve().parent / "local_slurm.sh"
EPOCHS = 12
TRIALS = 8
SWEEP = f"""name: s
metric: {{name: loss}}
run_cap: {TRIALS}
slots: 1
parameters: {{x: {{min: 0.0, max: 1.0}}}}
scheduler: {{type: fifo, max: {EPOCHS}}}
max_retries: 9
command: [bash, train.sh]
"""
SHORT = SWEEP.replace(f"max: {EPOCHS}", "max: 1")
# Continues where it was and repeats its last report, as the trial protocol requires: the report may have been lost. A
# signal meant for crescendo would kill it.
TRAIN = f"""cd "$CRESCENDO_TRIAL_DIR"
for ((epoch = $(cat done 2>/dev/null || echo 1); epoch <= {EPOCHS}; ++epoch)); do
    sleep 0.2
    echo $epoch > done
    echo '{{"resource":'$epoch',"metrics":{{"loss":1}}}}' >&$CRESCENDO_FD
    read -r answer <&$CRESCENDO_FD
    case $answer in *stop*) exit 0 ;; esac
done
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=180, **options)


def tool(*command):
    result = run(*command)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout.strip()


def wait_for(what, condition, seconds=180):
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.1)
    return result


def job_state(job):
    return run("squeue", "-h", "-j", job, "-o", "%T").stdout.strip()


class Sweep:
    """A folder with a sweep file, its program and the resulting sweep."""

    def __init__(self, crescendo, folder, sweep=SWEEP):
        self.crescendo = crescendo
        self.folder = folder
        self.folder.mkdir()
        self.path = folder / "s"
        (folder / "sweep.yaml").write_text(sweep)
        (folder / "train.sh").write_text(TRAIN)

    def call(self, *arguments, **variables):
        return run(self.crescendo, *arguments, cwd=self.folder, env={**os.environ, **variables})

    def submit(self, *arguments, **variables):
        result = self.call("submit", *arguments, **variables)
        assert result.returncode == 0, result.stderr
        return self.job()

    def job(self):
        return json.loads((self.path / "run.json").read_text())["job"]

    def journal(self):
        """The complete records so far."""
        try:
            lines = (self.path / "journal.jsonl").read_text().split("\n")[:-1]
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def reports(self):
        return [(r["trial"], r["resource"]) for r in self.journal() if r.get("event") == "trial_reported"]

    def sessions(self):
        return [r for r in self.journal() if r.get("note") == "session"]

    def status(self):
        return json.loads(self.call("status", "s", "--format", "json").stdout)

    def log(self):
        return "".join(path.read_text() for path in sorted(self.path.glob("job-*.log")))

    def await_reports(self, count):
        wait_for(f"{count} reports are in the journal", lambda: len(self.reports()) >= count)

    def coordinator(self):
        """The coordinator's process, according to the lock."""
        return int(wait_for("somebody holds the lock", lambda: (self.path / "lock").read_text()).split()[1])

    def await_end(self):
        """Waits until the sweep is finished, with each resource of each trial in the journal once and in order."""
        wait_for("the sweep is over", lambda: self.status()["state"] in ("finished", "failed", "stopped"))
        assert self.status()["state"] == "finished", self.status()
        wait_for("its job is over", lambda: job_state(self.job()) in ("", "COMPLETED"))
        of = {trial: [r for t, r in self.reports() if t == trial] for trial in range(TRIALS)}
        for trial, resources in of.items():
            assert resources == list(range(1, EPOCHS + 1)), f"trial {trial} reported {resources}"


def test_a_sweep_is_queued_runs_on_all_nodes_and_finishes(sweep):
    job = sweep.submit("sweep.yaml", "--nodes", 4, "--time", "1h", "--gpus-per-node", 2)
    assert sweep.status()["state"] in ("queued", "running")
    again = sweep.call("submit", "s")
    assert again.returncode == 2 and f"job {job} of this sweep is" in again.stderr, again.stderr

    sweep.await_end()

    assert sweep.status()["slots"] == 4
    assert len(sweep.sessions()) == 1
    over = sweep.call("submit", "s")
    assert over.returncode == 2 and "this sweep is over" in over.stderr, over.stderr


def test_a_dry_run_prints_what_would_be_submitted_and_leaves_nothing(sweep):
    before = sorted(sweep.folder.iterdir())

    result = sweep.call("submit", "sweep.yaml", "--nodes", 3, "--partition", "it's $(touch x); y", "--dry-run")

    assert result.returncode == 0, result.stderr
    assert "#SBATCH --nodes=3\n" in result.stdout
    assert run("bash", "-n", input=result.stdout).returncode == 0
    assert sorted(sweep.folder.iterdir()) == before


def test_what_sbatch_refuses_leaves_nothing_and_is_said(sweep):
    result = sweep.call("submit", "sweep.yaml", "--partition", "nowhere")

    assert result.returncode == 2 and "invalid partition" in result.stderr, result.stderr
    assert not sweep.path.exists()


def test_names_are_quoted_for_sbatch_and_for_bash(sweep):
    name = "it's \"$x\" \\ `y`"
    (sweep.folder / "sweep.yaml").write_text(SWEEP.replace("name: s", f"name: {json.dumps(name)}").replace(
        f"max: {EPOCHS}", "max: 1"))
    sweep.path = sweep.folder / "a b'$c"

    job = sweep.submit("sweep.yaml", "--dir", sweep.path, "--sbatch", "--comment=x #y", "--sbatch", "--exclude n4")

    assert f"JobName={name}" in tool("scontrol", "show", "job", job)
    assert "Comment=x #y" in tool("scontrol", "show", "job", job)
    wait_for("the sweep is over", lambda: job_state(job) in ("", "COMPLETED"))
    assert len(sweep.reports()) == TRIALS, sweep.log()


def test_the_users_variables_change_neither_the_job_nor_what_its_ranks_see(sweep):
    (sweep.folder / "sweep.yaml").write_text(SHORT)
    (sweep.folder / "site.yaml").write_text("environment: {MARK: site}\n")
    (sweep.folder / "train.sh").write_text('echo "MARK=$MARK"\n' + TRAIN)

    job = sweep.submit("sweep.yaml", "--time", "1h", "--site", "site.yaml", SBATCH_TIMELIMIT="5", SBATCH_EXPORT="NONE",
                       SBATCH_OUTPUT=str(sweep.folder / "stray"), SBATCH_MEM_PER_NODE="123")

    shown = tool("scontrol", "show", "job", job)
    assert "TimeLimit=01:00:00" in shown and "MinMemoryNode=123M" in shown, shown
    wait_for("the job is over", lambda: job_state(job) in ("", "COMPLETED"))
    assert "MARK=site" in (sweep.path / "trials/000000/trainer.log").read_text(), sweep.log()
    assert not (sweep.folder / "stray").exists()


def test_a_hook_in_a_job_of_two_nodes_continues_the_sweep(sweep):
    hook = 'on_finish: [sh, -c, \'"$0" resume "$CRESCENDO_SWEEP_DIR" --run-cap 3\', ' + str(sweep.crescendo) + "]\n"
    (sweep.folder / "sweep.yaml").write_text(SHORT.replace(f"run_cap: {TRIALS}", "run_cap: 2") + hook)

    job = sweep.submit("sweep.yaml", "--nodes", 2, "--time", "1h")

    wait_for("the job is over", lambda: job_state(job) in ("", "COMPLETED"))
    assert len(sweep.reports()) == 3, sweep.log() + (sweep.path / "hooks.log").read_text()


def test_a_sweep_that_was_moved_is_continued_where_it_is_now(sweep):
    (sweep.folder / "sweep.yaml").write_text(SHORT)
    sweep.submit("sweep.yaml", "--time", "1h", "--sbatch=--hold")
    assert sweep.call("stop", "s").returncode == 0
    sweep.path = sweep.path.rename(sweep.folder / "moved")

    job = sweep.submit("moved")
    tool("scontrol", "release", job)

    wait_for("the job is over", lambda: job_state(job) in ("", "COMPLETED"))
    assert len(sweep.reports()) == TRIALS, sweep.log()


def test_a_time_limit_in_mid_rung_costs_nothing_and_another_job_goes_on(sweep):
    job = sweep.submit("sweep.yaml", "--nodes", 4, "--time", "1h")
    sweep.await_reports(10)

    tool("scancel", "-b", "-s", "USR2", job)  # as Slurm does before the time limit, which it checks only twice a minute
    wait_for("the job is queued again", lambda: job_state(job) == "PENDING")
    assert sweep.status()["state"] == "queued"

    sweep.await_end()
    assert len(sweep.sessions()) == 2
    failed = [r for r in sweep.journal() if r.get("event") == "trial_failed"]
    assert not failed, failed  # the signal hit no program


def test_a_node_that_dies_costs_its_slots(sweep):
    job = sweep.submit("sweep.yaml", "--nodes", 4, "--time", "1h")
    sweep.await_reports(6)

    local_slurm("fail", "n4")
    try:
        sweep.await_end()
    finally:
        local_slurm("mend", "n4")
        wait_for("n4 is back", lambda: tool("sinfo", "-h", "-n", "n4", "-o", "%t") in ("idle", "mix", "alloc"))

    assert sweep.job() == job
    assert sweep.status()["slots"] == 3, sweep.log()


def test_the_first_node_dies_with_the_job_script_and_the_job_is_queued_again(sweep):
    job = sweep.submit("sweep.yaml", "--nodes", 4, "--time", "1h")
    sweep.await_reports(6)

    local_slurm("fail", "n1")
    try:
        wait_for("the other ranks queue the job again", lambda: job_state(job) == "PENDING")
    finally:
        local_slurm("mend", "n1")

    sweep.await_end()
    assert sweep.job() == job
    assert len(sweep.sessions()) == 2
    assert f"n1 died with the script of job {job}" in sweep.log()


def test_a_coordinator_that_is_killed_is_launched_again_in_the_same_job(sweep):
    job = sweep.submit("sweep.yaml", "--nodes", 4, "--time", "1h")
    sweep.await_reports(6)

    os.kill(sweep.coordinator(), signal.SIGKILL)

    sweep.await_end()
    assert sweep.job() == job
    assert len(sweep.sessions()) == 2
    assert "launching it again" in sweep.log()


def test_a_sweep_that_is_stopped_from_outside_stays_stopped_until_it_is_submitted_again(sweep):
    job = sweep.submit("sweep.yaml", "--nodes", 2, "--time", "1h")
    sweep.await_reports(3)

    result = sweep.call("stop", "s")

    assert result.returncode == 0 and "crescendo submit s" in result.stdout, result.stdout + result.stderr
    assert job_state(job) in ("", "FAILED")
    assert sweep.status()["state"] == "stopped"
    assert sweep.submit("s", "--nodes", 4) != job
    sweep.await_end()
    assert sweep.status()["slots"] == 4


def test_a_queued_sweep_is_taken_back(sweep):
    job = sweep.submit("sweep.yaml", "--time", "1h", "--sbatch=--hold")

    result = sweep.call("stop", "s")

    assert result.returncode == 0 and f"cancelled job {job}, which was queued" in result.stdout, result.stdout
    assert sweep.status()["state"] == "stopped"


def test_srun_without_pmix_is_refused(sweep):
    result = sweep.call("validate", "sweep.yaml")
    assert result.returncode == 0, result.stderr

    result = run("srun", "--mpi=none", "-N2", sweep.crescendo, "run", "sweep.yaml", cwd=sweep.folder)

    assert result.returncode == 2 and "srun --mpi=pmix" in result.stderr, result.stderr
    assert not sweep.path.exists()


def reason_to_skip():
    for program in ("munged", "slurmctld", "slurmd", "sbatch", "mpirun"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin"):
            return f"{program} is not installed"
    return "" if os.geteuid() == 0 else "slurmd runs jobs as root only"


def local_slurm(verb, *words):
    tool(LOCAL_SLURM, verb, Path(os.environ["SLURM_CONF"]).parent, *words)


def tests_in(namespace, names):
    return {name: test for name, test in namespace.items() if name.startswith("test_") and (not names or name in names)}


def main(crescendo, tests):
    if reason := reason_to_skip():
        print(f"skipped: {reason}")
        return 77
    crescendo = Path(crescendo).resolve()
    folder = Path(tempfile.mkdtemp(prefix="crescendo-slurm-"))
    folder.chmod(0o755)  # munge requires it
    os.environ.update(SLURM_CONF=str(folder / "slurm/slurm.conf"), BASEPORT=os.environ.get("BASEPORT", "28817"),
                      CRESCENDO_HEARTBEAT_TIMEOUT="5",
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_btl_tcp_if_include="127.0.0.0/8")  # Open MPI 5 takes the nodes for separate machines
    failed = 0
    try:
        local_slurm("start", 4)
        for number, (name, test) in enumerate(tests.items()):
            sweep = Sweep(crescendo, folder / str(number))
            began = time.monotonic()
            try:
                test(sweep)
                print(f"ok      {name} ({time.monotonic() - began:.0f} s)", flush=True)
            except Exception as error:  # the next test is still useful
                failed += 1
                print(f"FAILED  {name}: {error!r}\n{sweep.log()}", flush=True)
            finally:
                run("scancel", "--full", "--user", "root")
    finally:
        local_slurm("stop")
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], tests_in(globals(), sys.argv[2:])))
