#!/usr/bin/env python3
"""A plain program for the tests. It saves before each report, and can be killed between the two."""

import argparse
import os
import signal
from pathlib import Path

import crescendo

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float, default=1.0)
parser.add_argument("--die-at", type=int)
args = parser.parse_args()

trial = crescendo.trial()
total = float(trial.checkpoint.read_text()) if trial.checkpoint else 0.0
for epoch in trial.epochs(limit=3):
    total += args.x

    def save(path, total=total):
        path.write_text(str(total))

    if epoch == args.die_at and not (trial.directory / "died").exists():
        (trial.directory / "died").touch()
        trial._send = lambda message: os.kill(os.getpid(), signal.SIGKILL)  # killed after the save, before the report
    trial.report(loss=total, save=save)
Path("ends.txt").open("a").write(f"{trial.number} stopped={trial.stopped}\n")
