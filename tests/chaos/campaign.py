#!/usr/bin/env python3
"""Kills small sweeps in many ways, at moments that a seed chooses, and checks that nothing is lost."""

import argparse
import contextlib
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import rounds
import sweeps
import table
from cluster import MpiJob, SlurmCluster, SlurmJob
from faults import FAULTS


class Campaign:
    """The settings and programs that all rounds share."""

    def __init__(self, options, folder):
        self.folder, self.seed = folder, options.seed
        self.crescendo = Path(options.bin).resolve() / "crescendo"
        self.trainer = self.make_trainer(Path(options.bin).resolve())
        self.data = sweeps.make_data(self.crescendo, folder)
        self.slurm = None
        self.has_mpi = shutil.which("mpirun") is not None
        self.python, self.sweep = options.python, options.sweep

    def make_trainer(self, programs):
        """Makes a crescendo-trainer that records its steps."""
        path = self.folder / "trainer"
        path.write_text(f'#!/bin/sh\n[ "$1" = --check ] && exec "{programs}/crescendo-trainer" "$@"\n'
                        f'exec "{programs}/recording-trainer" "$@"\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def has(self, job):
        return self.slurm is not None if job is SlurmJob else self.has_mpi if job is MpiJob else True

    def sweeps_of(self, fault):
        return [each for each in fault.sweeps if self.sweep in (None, each) and (each != "growing" or self.python)]

    def jobs_of(self, fault, sweep):
        """The kinds of jobs for a fault. Starting PyTorch on every Slurm node takes too long for what it would show."""
        return [each for each in fault.jobs if self.has(each) and (sweep != "growing" or each != SlurmJob)]

    def can(self, fault):
        sweeps = self.sweeps_of(fault)
        return bool(sweeps) and all(self.jobs_of(fault, each) for each in sweeps) and (
            not fault.disk or os.geteuid() == 0)


def plan(campaign, options):
    """Rounds as (fault, number). Each fault is spread over the campaign, so all had a turn even if it ends early."""
    if options.round:
        fault, _, number = options.round.partition("/")
        return [(FAULTS[fault], int(number))]
    chosen = [fault for fault in FAULTS.values() if campaign.can(fault) and options.only in (None, fault.name)]
    total = sum(fault.rounds for fault in chosen)
    turns = []
    for fault in chosen:
        count = max(1, round(fault.rounds * options.rounds / total))
        turns += [((number + 0.5) / count, fault.name, number) for number in range(count)]
    return [(FAULTS[name], number) for _, name, number in sorted(turns)]


def run_round(campaign, fault, number, slurm_turn, deadline):
    """Runs one round. Returns None if there was no time left."""
    if time.monotonic() > deadline:
        return None
    round_ = rounds.Round(campaign, fault, number)
    with slurm_turn if isinstance(round_.job, SlurmJob) else contextlib.nullcontext():  # a job takes all nodes
        try:
            result = round_.run()
        except Exception:  # the printed command then repeats the round, as for any other trouble
            result = rounds.Result(round_.name, fault.name, "", False, [traceback.format_exc()])
    print(rounds.describe(result), flush=True)
    for complaint in result.complaints:
        print(f"    {complaint}", flush=True)
    if result.complaints:
        print(f"    repeat: --seed {campaign.seed} --round {result.name}; its files: {round_.folder}", flush=True)
    else:
        shutil.rmtree(round_.folder, ignore_errors=True)
    return result


def run(campaign, options, turns):
    deadline = time.monotonic() + options.seconds
    slurm_turn = threading.Lock()
    with ThreadPoolExecutor(options.parallel) as pool:
        pending = [pool.submit(run_round, campaign, fault, number, slurm_turn, deadline)
                   for fault, number in turns]
        results = [each.result() for each in pending]
    done = [result for result in results if result is not None]
    if len(done) < len(results):
        print(f"{len(results) - len(done)} of {len(results)} rounds were not begun: {options.seconds} s are over")
    return done


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="faults: " + ", ".join(FAULTS) + "\n\nExample:\n"
               "  tests/chaos/campaign.py --bin build/default/bin\n"
               "  tests/chaos/campaign.py --bin build/default/bin --seed 7 --round agent/3     one round, once more\n"
               "  tests/chaos/campaign.py --bin build/default/bin --only member --rounds 20 --markdown table.md\n"
               "  tests/chaos/campaign.py --bin build/default/bin --python \"$(scripts/install.sh python)\" "
               "--sweep growing --rounds 50")
    parser.add_argument("--bin", required=True, help="folder of crescendo, crescendo-trainer and recording-trainer")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of every choice; the time, unless given")
    parser.add_argument("--rounds", type=int, default=sum(fault.rounds for fault in FAULTS.values()))
    parser.add_argument("--only", choices=FAULTS, help="one fault")
    parser.add_argument("--sweep", choices=sorted({name for fault in FAULTS.values() for name in fault.sweeps}),
                        help="one kind of sweep")
    parser.add_argument("--python", help="interpreter that has torch, for sweeps of growing programs")
    parser.add_argument("--round", metavar="FAULT/N", help="one round")
    parser.add_argument("--seconds", type=float, default=540, help="no round begins later (540)")
    parser.add_argument("--parallel", type=int, default=3, help="rounds at a time (3)")
    parser.add_argument("--base-port", type=int, default=28817, help="of the campaign's own Slurm (28817)")
    parser.add_argument("--markdown", type=Path, help="file for the table, as docs/fault-campaign.md has it")
    return parser.parse_args()


def main():
    options = parse_arguments()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.chmod(0o755)
    print(f"seed {options.seed}, files in {folder}", flush=True)
    campaign = Campaign(options, folder)
    if not campaign.python:
        print("sweeps of growing programs are skipped: --python names no interpreter that has torch")
    with contextlib.ExitStack() as stack:
        if reason := SlurmCluster.missing():
            print(f"rounds under Slurm are skipped: {reason}")
        else:
            campaign.slurm = stack.enter_context(SlurmCluster(folder / "slurm", options.base_port))
        begun = time.monotonic()
        results = run(campaign, options, plan(campaign, options))
        # With few rounds, every sweep may happen to end before the fault.
        missed = [result.fault for result in results if result.fault in table.never_struck(results)]
        results += run(campaign, options, [(FAULTS[name], len(results) + i) for i, name in enumerate(missed)])
    print(f"\n{table.text(results)}\n\n{len(results)} rounds in {time.monotonic() - begun:.0f} s, seed {options.seed}")
    if options.markdown:
        options.markdown.write_text(table.markdown(results))
    if table.spares_too_many(results):
        print("more than a tenth of the rounds were over before the fault: sweeps are too short for this machine, or a "
              "fault finds no victims")
        return 1
    if missed := table.never_struck(results):
        print(f"never struck: {', '.join(missed)}")
        return 1
    if any(result.complaints for result in results):
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
