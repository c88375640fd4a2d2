"""Measures how long `crescendo compare` takes for the curves of many trials, and for the journal of a large sweep.

    python3 benchmarks/compare/measure.py [path of crescendo]
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402

TRIALS = 1_000 if QUICK else 100_000
POINTS = 10
SWEEP = """
metric: {name: accuracy, goal: maximize}
run_cap: %d
parameters: {x: {min: 0.0, max: 1.0}}
scheduler: {type: fifo, max: 10}
command: [train]
"""


def write_curves(folder):
    """Writes 20 submissions on 10 workloads; a study has 5 trials."""
    draw = random.Random(1)
    with open(os.path.join(folder, "curves.csv"), "w") as curves:
        curves.write("submission,workload,study,trial,seconds,value\n")
        for trial in range(TRIALS):
            key = f"submission{trial % 20},workload{trial // 20 % 10},{trial // 1000},{trial // 200 % 5}"
            seconds, value = 0.0, 0.0
            for _ in range(POINTS):
                seconds, value = seconds + draw.uniform(1, 60), value + draw.uniform(0, 0.12)
                curves.write(f"{key},{seconds:.3f},{value:.5f}\n")
    with open(os.path.join(folder, "workloads.csv"), "w") as workloads:
        workloads.write("workload,target,goal,max_seconds,base\n")
        for i in range(10):
            workloads.write(f"workload{i},0.5,maximize,500,{'workload0' if i == 1 else ''}\n")


def write_sweep(folder):
    """Writes a sweep whose trials all run at once, each on its own slot, and report in turn."""
    directory = os.path.join(folder, "sweep")
    os.makedirs(directory)
    open(os.path.join(directory, "sweep.yaml"), "w").write(SWEEP % TRIALS)
    json.dump({"sweep": "sweep"}, open(os.path.join(directory, "run.json"), "w"))
    draw = random.Random(2)
    slots = [{"slot": i, "node": 0} for i in range(TRIALS)]
    records = [{"journal": "crescendo", "version": 2},
               {"note": "session", "time": 1000.0, "host": "here", "slots": TRIALS},
               {"event": "slots_joined", "time": 1000.0, "slots": slots}]
    for epoch in range(1, POINTS + 1):
        for trial in range(TRIALS):
            accuracy = round(1 - draw.uniform(0.5, 1) / epoch, 5)
            records.append({"event": "trial_reported", "trial": trial, "resource": epoch, "loss": -accuracy,
                            "time": round(1000 + epoch + trial / TRIALS, 6), "metrics": {"accuracy": accuracy}})
    with open(os.path.join(directory, "journal.jsonl"), "w") as journal:
        for n, record in enumerate(records):
            text = json.dumps({"n": n, **record}, separators=(",", ":"))[:-1]
            journal.write(f'{text},"crc":"{zlib.crc32(text.encode()):08x}"}}\n')


def measure(what, crescendo, folder, *arguments):
    begin = time.perf_counter()
    subprocess.run([crescendo, "compare", *arguments], check=True, capture_output=True, cwd=folder)
    seconds = time.perf_counter() - begin
    print(f"{what}: {seconds:.2f} s", flush=True)


def main():
    crescendo = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else CRESCENDO)
    with tempfile.TemporaryDirectory() as folder:
        write_curves(folder)
        write_sweep(folder)
        size = os.path.getsize(os.path.join(folder, "curves.csv")) / 1e6
        print(f"{TRIALS} trials of {POINTS} points; curves.csv has {size:.0f} MB")
        curves = ("--curves", "curves.csv", "--workloads", "workloads.csv", "--format", "csv")
        measure("times to the targets", crescendo, folder, *curves)
        measure("performance profiles", crescendo, folder, *curves, "--profiles", "--baseline", "submission0")
        measure("a sweep, with its report", crescendo, folder, "sweep", "--target", "0.9", "--out", "report")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"peak memory of any of them: {peak:.0f} MB")


if __name__ == "__main__":
    main()
