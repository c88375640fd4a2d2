"""Measures how long `crescendo simulate` takes for a large sweep, in CPU seconds, so that other work does not count.

    python3 benchmarks/simulate/measure.py [path of crescendo]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402

SWEEP = """
metric: {name: val_loss}
run_cap: 100000
parameters: {lr: {distribution: log_uniform_values, min: 1e-4, max: 1.0}, width: {values: [16, 32, 64]}}
scheduler: {min: 1, max: 81, reduction_factor: 3, scaling_factor: 2}
"""


def cpu_seconds():
    """CPU time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    crescendo = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else CRESCENDO)
    with tempfile.TemporaryDirectory() as folder:
        sweep = os.path.join(folder, "sweep.yaml")
        open(sweep, "w").write(SWEEP)
        for slots, trials in ((64, 1000),) if QUICK else ((1024, 10_000), (1024, 100_000), (16_384, 100_000)):
            for kind in ("asha", "rasda"):
                begin = cpu_seconds()
                out = subprocess.run([crescendo, "simulate", sweep, "--slots", str(slots), "--set", f"run_cap={trials}", "--set",
                                      f"scheduler.type={kind}", "--format", "json"], check=True, capture_output=True, text=True).stdout
                seconds = cpu_seconds() - begin
                reports = json.loads(out)["reports"]
                print(f"{kind}, {slots} slots, {trials} trials: {seconds:.2f} s, {reports} reports, {reports / seconds:,.0f} a second")


if __name__ == "__main__":
    main()
