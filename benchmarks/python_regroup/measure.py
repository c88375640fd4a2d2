"""Times a PyTorch program that grows from one worker to two to four: by crescendo.torch, and by torchrun's restart.

Each time is from the decision to the end of the first step at the new width; the ways take turns in one run. The
interpreter needs torch.

    $(scripts/install.sh python) benchmarks/python_regroup/measure.py
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
QUICK = "--quick" in sys.argv  # small numbers, to check that it still runs
TURNS = 1 if QUICK else 7
WIDTHS = (2,) if QUICK else (2, 4)
sys.path[:0] = [str(HERE.parent.parent / "python"), str(HERE.parent)]
os.environ["PYTHONPATH"] = sys.path[0]
os.environ["OMP_NUM_THREADS"] = "1"

import usage  # noqa: E402, F401
from crescendo.fake import FakeCrescendo, Terms  # noqa: E402


def in_memory(crescendo, folder, trial):
    """Trains an epoch on one worker, then lets others join, through all of WIDTHS. Returns the seconds of each growth
    by number of workers, and the path of a checkpoint."""
    terms = Terms(folder, trial=trial, checkpoint_at=1)
    crescendo.train([0], "new", terms, until=1)
    crescendo.expect(0, "regrouped")
    terms.reported, terms.checkpoint_at = 1, 1000
    seconds = {}
    for workers in WIDTHS:
        terms.batch_multiple = workers
        decision = time.monotonic()
        crescendo.join(list(range(workers)), "memory", terms)
        crescendo.expect(0, "regrouped")
        seconds[workers] = arrival_of(crescendo, "regrouped") - decision
        crescendo.expect(0, "report")
        terms.reported += 1
    crescendo.leave(list(range(WIDTHS[-1])), trial=trial)
    return seconds, folder / "checkpoint.pt"


def arrival_of(crescendo, kind):
    return next(at for at, _, message in reversed(crescendo.arrivals) if message["type"] == kind)


def torchrun(checkpoint, workers):
    """Times new processes that continue from the checkpoint."""
    decision = time.time()
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={workers}"]
    script = [str(HERE / "grow.py"), "--restart", str(checkpoint)]
    out = subprocess.run([*command, *script], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"first step at ([\d.]+)", out).group(1)) - decision


def main():
    times = {(way, workers): [] for workers in WIDTHS for way in ("in memory", "torchrun")}
    program = [sys.executable, str(HERE / "grow.py")]
    with tempfile.TemporaryDirectory() as name, FakeCrescendo(WIDTHS[-1], program) as crescendo:
        in_memory(crescendo, Path(name), trial=0)  # each process has trained once, as in a sweep
        for turn in range(1, TURNS + 1):
            seconds, checkpoint = in_memory(crescendo, Path(name), trial=turn)
            for workers in WIDTHS:
                times["in memory", workers].append(seconds[workers])
                times["torchrun", workers].append(torchrun(checkpoint, workers))
    print(f"{'workers':<10} {'way':<12} {'min':>8} {'median':>8} {'max':>8}   "
          f"seconds, decision to end of first step, {TURNS} turns")
    for (way, workers), seconds in times.items():
        print(f"{workers // 2} -> {workers:<5} {way:<12} "
              f"{min(seconds):>8.3f} {statistics.median(seconds):>8.3f} {max(seconds):>8.3f}")
    for workers in WIDTHS:
        ratio = statistics.median(b / a for a, b in zip(times["in memory", workers], times["torchrun", workers]))
        print(f"{workers // 2} -> {workers} in memory is {ratio:.0f} times faster than torchrun's restart")


if __name__ == "__main__":
    main()
