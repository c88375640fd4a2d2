"""Runs sweeps for benchmarks, and reads their costs."""
import json
import os
import re
import subprocess
import time

from harness import CRESCENDO


def run(sweep_file, directory):
    """Returns the wall seconds of `crescendo run`."""
    begin = time.perf_counter()
    subprocess.run([CRESCENDO, "run", sweep_file, "--dir", directory], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def read(command, directory):
    out = subprocess.run([CRESCENDO, command, directory, "--format", "json"], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def training_slot_seconds(directory):
    """Returns workers times seconds in epochs and their evaluations, from the trainers' logs."""
    total = 0.0
    for trial in os.listdir(os.path.join(directory, "trials")):
        log = open(os.path.join(directory, "trials", trial, "trainer.log")).read()
        for workers, training, evaluating in re.findall(r"(\d+) workers.* ([\d.]+) s training, ([\d.]+) s evaluating", log):
            total += int(workers) * (float(training) + float(evaluating))
    return total
