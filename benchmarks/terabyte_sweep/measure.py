"""Runs a sweep over a file of a terabyte: rungs at fractions of an epoch, and trials that grow within an epoch.

    python benchmarks/terabyte_sweep/measure.py [FOLDER]

The file is 1 TiB of holes, except for a dense part in its middle with all samples. RASDA runs eight trials over it on
two slots. Prints the memory of the workers, next to that for a small file with the same samples, and the share of time
that they waited for data. The samples of each step are recorded, and each must come once per epoch, whatever regroups
happen. If a requirement does not hold, the exit code is 1.

FOLDER (default: build) must be on a file system with sparse files of 1 TiB.
"""
import collections
import errno
import glob
import json
import os
import shutil
import sys
import tempfile
import threading

import h5py
import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import sweep  # noqa: E402
from harness import BIN, QUICK, ROOT, TRAINER  # noqa: E402

ROWS = 1 << 28  # of 1,024 float32: 1 TiB
NUMBERS = 1024
CLASSES = 4
SAMPLES = 1 << 12 if QUICK else 1 << 17  # to train on, all in the dense part
VALIDATION = 256
FIRST = ROWS // 2  # row at which the dense part begins
MEMORY = 8 if QUICK else 64  # MiB for the data of a worker, less than the samples need
SLOTS = 2
TRIALS = 8


def write(path, rows, first):
    """Writes a set of this many rows, dense from `first` on: classes that differ in their mean."""
    random = numpy.random.default_rng(1)
    centers = random.standard_normal((CLASSES, NUMBERS), dtype=numpy.float32)
    with h5py.File(path, "w") as file:
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        settings.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        fields = (("inputs", h5py.h5t.IEEE_F32LE, (rows, NUMBERS)), ("targets", h5py.h5t.STD_U8LE, (rows,)))
        for name, kind, shape in fields:
            h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple(shape), settings)
        count = SAMPLES + VALIDATION
        targets = random.integers(0, CLASSES, count, dtype=numpy.uint8)
        file["targets"][first:first + count] = targets
        for begin in range(0, count, 1 << 12):
            end = min(begin + (1 << 12), count)
            noise = random.standard_normal((end - begin, NUMBERS), dtype=numpy.float32)
            file["inputs"][first + begin:first + end] = centers[targets[begin:end]] + 4 * noise
    return os.stat(path)


def sweep_file(path, data, first, seed):
    """Reports every eighth of an epoch; rungs at 1/8, 1/4, 1/2, 1 and 2 epochs."""
    eighth = SAMPLES // 8
    with open(path, "w") as file:
        file.write(f"""\
metric: {{name: val_accuracy, goal: maximize}}
run_cap: {TRIALS}
seed: {seed}
slots: {SLOTS}
parameters:
  lr: {{distribution: log_uniform_values, min: 0.0001, max: 0.01}}
scheduler:
  type: rasda
  min: {eighth}
  max: {16 * eighth}
  reduction_factor: 2
  priority: promotions_first
  grow_when: always  # this measures regroups
trainer:
  model: mlp
  width: 32
  batch_size: 32
  report: {{every: {eighth}, unit: samples}}
  data:
    train: "{data}:/[{first}:{first + SAMPLES}]"
    validation: "{data}:/[{first + SAMPLES}:{first + SAMPLES + VALIDATION}]"
    memory: {MEMORY}MiB
""")


class PeakMemory:
    """Measures the peak memory of any process of this program, while other code runs."""

    def __init__(self, program):
        self.program, self.bytes, self.ended = program, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.ended.wait(0.05):
            for process in glob.glob("/proc/[0-9]*"):
                try:
                    if os.readlink(f"{process}/exe") == self.program:
                        status = open(f"{process}/status").read()
                        self.bytes = max(self.bytes, 1024 * int(status.split("VmHWM:")[1].split()[0]))
                except (OSError, IndexError):
                    pass  # it has ended, or belongs to another user

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def recording_trainer(folder):
    """Writes a program for CRESCENDO_TRAINER that records the samples of its steps in folder/record."""
    recorder = os.path.realpath(os.path.join(folder, "recording-trainer"))
    shutil.copy2(os.path.join(BIN, "recording-trainer"), recorder)  # a unique path, by which to find its processes
    os.mkdir(os.path.join(folder, "record"))
    path = os.path.join(folder, "trainer")
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\n[ "$1" = --check ] && exec "{TRAINER}" "$@"\n'
                   f'TEST_RECORD="{folder}/record" exec "{recorder}"\n')
    os.chmod(path, 0o755)
    os.environ["CRESCENDO_TRAINER"] = path
    return recorder


def run(folder, data, first, seed=1):
    """Runs the sweep over a file. Returns the directory, the peak memory of a worker, and the wall time."""
    os.mkdir(folder)
    program = recording_trainer(folder)
    sweep_file(os.path.join(folder, "sweep.yaml"), data, first, seed)
    directory = os.path.join(folder, "sweep")
    with PeakMemory(program) as memory:
        wall = sweep.run(os.path.join(folder, "sweep.yaml"), directory)
    return directory, memory.bytes, wall


def steps_of(folder):
    """Returns the recorded steps of all members, by trial and epoch."""
    steps = collections.defaultdict(list)
    for path in glob.glob(os.path.join(folder, "record", "*")):
        for line in open(path):
            step = json.loads(line)
            steps[step["trial"], step["epoch"]].append(step)
    return steps


def regroups_of(directory):
    """Returns trial and resource of each regroup in memory."""
    resource, regroups = {}, []
    for line in open(os.path.join(directory, "journal.jsonl")):
        record = json.loads(line)
        if record.get("event") == "trial_reported":
            resource[record["trial"]] = record["resource"]
        elif record.get("event") == "trial_regrouped" and record["generation"] > 0:
            regroups.append((record["trial"], resource[record["trial"]]))
    return regroups


def require(holds, what):
    print(f"{'ok' if holds else 'FAILED':>6}  {what}", flush=True)
    if not holds:
        sys.exit(1)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    dense = (SAMPLES + VALIDATION) * NUMBERS * 4
    free, needed = shutil.disk_usage(folder).free, 3 * dense + (1 << 30)
    require(free > needed, f"{folder} has {free >> 20} MiB free, and {needed >> 20} MiB are needed")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        scratch = os.path.realpath(scratch)
        large, small = os.path.join(scratch, "large.h5"), os.path.join(scratch, "small.h5")
        try:
            size = write(large, ROWS, FIRST)
        except OSError as error:
            if error.errno == errno.EFBIG or "File too large" in str(error):
                print(f"skipped: {folder} does not support files of 1 TiB")
                return
            raise
        write(small, SAMPLES + VALIDATION, 0)
        require(size.st_size > 1 << 40 and size.st_blocks * 512 < 1.1 * dense + (16 << 20),
                f"the file has {size.st_size / 2**40:.2f} TiB, {size.st_blocks * 512 >> 20} MiB of them on the disk")
        _, least, _ = run(os.path.join(scratch, "of-small"), small, 0)
        for seed in 1, 2, 3:  # the order of growth depends on the times of reports
            recorded = os.path.join(scratch, f"of-large-{seed}")
            directory, peak, wall = run(recorded, large, FIRST, seed)
            inside = [resource for _, resource in regroups_of(directory) if resource % SAMPLES != 0]
            if inside:
                break

        trials = sweep.read("trials", directory)
        waits = [trial["data_wait"] for trial in trials]
        print(f"{len(trials)} trials in {wall:.1f} s, best val_accuracy {max(t['val_accuracy'] for t in trials):.3f}, "
              f"waiting for data {100 * sum(waits) / len(waits):.1f} % of their time, {100 * max(waits):.1f} % at most")
        require(len(trials) == TRIALS and all(trial["status"] in ("finished", "stopped") for trial in trials),
                f"{sum(t['status'] == 'finished' for t in trials)} of {TRIALS} trials finished, the others were stopped")
        require(peak - least < (32 << 20),
                f"a worker has at most {peak >> 20} MiB, and {least >> 20} MiB with a file of {dense >> 20} MiB")
        require(inside and max(trial["workers"] for trial in trials) == SLOTS,
                f"{len(inside)} regroups were within an epoch, and trials grew to {SLOTS} workers")
        whole = 0
        for (trial, epoch), steps in steps_of(recorded).items():
            samples = [sample for step in steps for sample in step["samples"]]
            trained = min(trials[trial]["resource"] - epoch * SAMPLES, SAMPLES)
            if len(set(samples)) != len(samples) or len(samples) < trained or not set(samples) <= set(range(SAMPLES)):
                require(False, f"trial {trial}, epoch {epoch}: {len(samples)} samples, {len(set(samples))} different, "
                               f"of {trained} that it reported")
            whole += len(samples) == SAMPLES
        require(whole >= 2, f"each sample came once in an epoch; {whole} epochs were whole")


if __name__ == "__main__":
    main()
