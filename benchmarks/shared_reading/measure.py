"""Measures bytes and CPU of trials on one node that read the same compressed set, next to those of a single trial.

    $PYTHON benchmarks/shared_reading/measure.py

The set, 128 MiB of fields in deflated chunks, is eight times as large as a trainer's memory. Each trainer is a process
that trains its own trial. Its reading threads are all of its threads except the first. With the small network an epoch
is little more than reading: a trial that starts a tenth of a second late is out of the others' reach.
"""
import os
import statistics
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import QUICK, trainers  # noqa: E402

SAMPLES = 2048 if QUICK else 32_768
TURNS = 1 if QUICK else 5
EPOCHS = 2
WIDTHS = (4,) if QUICK else (4, 512)  # of the network
TICK = os.sysconf("SC_CLK_TCK")


def write_fields(path):
    """Makes samples of 4 KiB: smooth fields of 32 x 32, rounded to 13 bits."""
    x = np.linspace(0, 6, 32, dtype=np.float32)
    random = np.random.default_rng(1)
    with h5py.File(path, "w") as file:
        inputs = file.create_dataset("inputs", (SAMPLES, 32, 32), np.float32, chunks=(32, 32, 32), compression="gzip")
        for begin in range(0, SAMPLES, 2048):
            row, column = random.random((2, 2048, 1, 1), dtype=np.float32)
            inputs[begin:begin + 2048] = np.round(np.sin(x[:, None] + row) * np.cos(x + column) * 4096) / 4096
        file["targets"] = random.random(SAMPLES, dtype=np.float32)


def bytes_read(pid):
    return int(open(f"/proc/{pid}/io").readline().split()[1])


def reading_seconds(pid):
    ticks = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        if int(thread) != pid:
            fields = open(f"/proc/{pid}/task/{thread}/stat").read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICK


def measure(path, width, count, shared):
    """Returns the bytes and CPU seconds that `count` parallel trials need to read the set twice."""
    memory = os.memfd_create("crescendo")
    variables = {"CRESCENDO_SHARED_MEMORY": f"/proc/{os.getpid()}/fd/{memory}"} if shared else {}
    settings = {"model": "mlp", "width": width, "depth": 1, "batch_size": 256, "lr": 0.001,
                "data": {"train": f"{path}:/", "memory": "512KiB" if QUICK else "16MiB"}}
    with tempfile.TemporaryDirectory() as folder, trainers(count, **variables) as crescendo:
        pids = [each.process.pid for each in crescendo.trainers]
        before = [bytes_read(pid) for pid in pids]
        for trial in range(count):
            crescendo.send(trial, type="join", trial=trial, generation=0, rank=0, size=1, batch_multiple=1,
                           max_resource=EPOCHS, seed=trial, sweep_seed=1, settings=settings, directory=folder,
                           state="new")
        for epoch in range(EPOCHS):
            for trial in range(count):
                crescendo.expect(trial, "report")
                if epoch + 1 < EPOCHS:
                    crescendo.send(trial, type="decision", trial=trial, decision="continue")
        total = (sum(bytes_read(pid) - old for pid, old in zip(pids, before)), sum(map(reading_seconds, pids)))
    os.close(memory)
    return total


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fields.h5")
        write_fields(path)
        size = os.path.getsize(path)
        rows = {"one trial": (1, True), "four trials, shared": (4, True), "four trials, each for itself": (4, False)}
        results = {(width, name): [] for width in WIDTHS for name in rows}
        for _ in range(TURNS):
            for width, name in results:
                results[width, name].append(measure(path, width, *rows[name]))
    print(f"{'width':>5} {'':30} {'bytes / set':>12} {'CPU, s':>8} {'beside one trial: bytes':>24} {'CPU':>6}   bytes of turns")
    for (width, name), values in results.items():
        alone = results[width, "one trial"]
        read, seconds = (statistics.median(column) for column in zip(*values))
        ratios = [statistics.median(each[i] / max(one[i], 1e-9) for each, one in zip(values, alone)) for i in (0, 1)]
        turns = " ".join(f"{each / size / EPOCHS:.2f}" for each in sorted(each for each, _ in values))
        print(f"{width:>5} {name:30} {read / size / EPOCHS:12.2f} {seconds:8.2f} {ratios[0]:24.2f} {ratios[1]:6.2f}   {turns}")


if __name__ == "__main__":
    main()
