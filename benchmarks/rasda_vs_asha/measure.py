"""RASDA against ASHA: the same sweep, the same seed, the same slots, one after the other in turn.

    python benchmarks/rasda_vs_asha/measure.py [TURNS]

Uses the demo's data (`make demo` prepares them) on two slots, one a core. "simulated" is the makespan that `crescendo simulate --replay` gives
for the sweep that was just measured, and the share by which it is off.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import sweep  # noqa: E402
from harness import CRESCENDO, ROOT  # noqa: E402

SLOTS = 2


def main():
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    os.chdir(ROOT)
    text = open("examples/fashion-mnist/sweep.yaml").read().replace("slots: 4", f"slots: {SLOTS}")
    asha = re.sub(r"\n  (scaling_factor|priority):.*", "", text.replace("type: rasda", "type: asha"))
    walls = {"rasda": [], "asha": []}
    print(f"{'':>6} {'wall s':>8} {'slots held':>11} {'training':>9} {'epochs':>7} {'best':>7} {'simulated s':>16}   share of {SLOTS} slots x wall")
    with tempfile.TemporaryDirectory(dir="build") as folder:
        for turn in range(turns):
            for kind in walls:
                path = os.path.join(folder, f"{kind}.yaml")
                open(path, "w").write(text if kind == "rasda" else asha)
                directory = os.path.join(folder, f"{kind}-{turn}")
                wall = sweep.run(path, directory)
                walls[kind].append(wall)
                trials = sweep.read("trials", directory)
                replay = json.loads(subprocess.run([CRESCENDO, "simulate", "--replay", directory, "--format", "json"],
                                                   check=True, capture_output=True, text=True).stdout)
                held = 3600 * sum(trial["slot_hours"] for trial in trials)
                print(f"{kind:>6} {wall:>8.1f} {100 * held / wall / SLOTS:>10.0f}% "
                      f"{100 * sweep.training_slot_seconds(directory) / wall / SLOTS:>8.0f}% "
                      f"{sum(trial['resource'] for trial in trials):>7} {max(t['val_accuracy'] or 0 for t in trials):>7.4f} "
                      f"{replay['makespan']:>8.1f} {100 * (replay['makespan'] / replay['measured_makespan'] - 1):>+5.1f} %",
                      flush=True)
    ratio = statistics.median(a / b for a, b in zip(walls["asha"], walls["rasda"]))
    print(f"rasda takes {1 / ratio:.2f} of asha's wall time")


if __name__ == "__main__":
    main()
