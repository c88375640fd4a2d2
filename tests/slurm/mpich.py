#!/usr/bin/env python3
"""Sweeps with MPICH instead of Open MPI between nodes, under the same real Slurm: other launchers, the same promises.

usage: mpich.py CRESCENDO [TEST ...]       a crescendo that was built with MPICH
"""
import os
import shutil
import signal
import sys
from pathlib import Path

import sweeps
from sweeps import (  # noqa: F401: submit starts the step with PMI2 by itself
    test_a_coordinator_that_is_killed_is_launched_again_in_the_same_job, test_a_node_that_dies_costs_its_slots,
    test_a_sweep_is_queued_runs_on_all_nodes_and_finishes,
    test_the_first_node_dies_with_the_job_script_and_the_job_is_queued_again)


def ranks(sweep):
    """Process ids by rank."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.joinpath("exe").resolve() == sweep.crescendo and process.joinpath("cwd").resolve() == sweep.folder:
                variables = dict(word.split("=", 1) for word in (process / "environ").read_text().split("\0") if "=" in word)
                found[int(variables["PMI_RANK"])] = int(process.name)
        except (OSError, KeyError):  # it has just ended, or is not a rank
            pass
    return found


def test_launchers_that_speak_another_language_are_refused(sweep):
    assert sweep.call("validate", "sweep.yaml").returncode == 0
    launchers = [["srun", "--mpi=pmix", "-N2"], ["srun", "--mpi=none", "-N2"]]
    if shutil.which("mpirun.openmpi"):
        launchers.append(["mpirun.openmpi", "--oversubscribe", "-n", 2])
    for launcher in launchers:
        result = sweeps.run(*launcher, sweep.crescendo, "run", "sweep.yaml", cwd=sweep.folder)

        advice = "start it with that MPI's launcher, or with `srun --mpi=pmi2 "
        assert result.returncode == 2 and advice in result.stderr, (launcher, result.stderr)
        assert not sweep.path.exists()


def test_the_doctor_sees_the_ranks_of_srun_and_of_hydra(sweep):
    for launcher in (["srun", "--mpi=pmi2", "-N4"], ["mpiexec.hydra", "-n", 4]):
        result = sweeps.run(*launcher, sweep.crescendo, "doctor", "--slots", 1, cwd=sweep.folder)

        assert result.returncode == 0 and "; 4 ranks; a message to the last one and back takes" in result.stdout, result


def test_hydra_ends_all_ranks_when_one_dies_and_the_job_launches_them_again(sweep):
    (sweep.folder / "site.yaml").write_text("launcher: mpiexec.hydra -ppn 1 -n $count -hosts $nodes\n")
    job = sweep.submit("sweep.yaml", "--nodes", 4, "--time", "1h", "--site", "site.yaml")
    sweep.await_reports(6)

    os.kill(ranks(sweep)[2], signal.SIGKILL)

    sweep.await_end()
    assert sweep.job() == job
    assert sweep.status()["slots"] == 4
    assert len(sweep.sessions()) == 2
    assert "launching it again" in sweep.log()


if __name__ == "__main__":
    sys.exit(sweeps.main(sys.argv[1], sweeps.tests_in(globals(), sys.argv[2:])))
