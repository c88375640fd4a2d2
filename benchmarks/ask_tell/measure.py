"""Measures how many lines a second `crescendo ask-tell` answers, with and without a journal.

    python3 benchmarks/ask_tell/measure.py [path of crescendo]

A first conversation finds out what a launcher would write. Then crescendo reads those lines from a file, so that
Python takes no part in the measurement. Equal lines give equal answers.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402

SLOTS, MAX = 256, 81
TRIALS, TURNS = (500, 1) if QUICK else (20_000, 5)
SWEEP = f"""
metric: {{name: val_loss}}
run_cap: {TRIALS}
parameters: {{lr: {{distribution: log_uniform_values, min: 1e-4, max: 1.0}}, width: {{values: [16, 32, 64]}}}}
scheduler: {{type: asha, min: 3, max: {MAX}, reduction_factor: 3}}
"""


def hold_conversation(crescendo):
    """Returns the lines of a launcher whose trials take turns."""
    process = subprocess.Popen([crescendo, "ask-tell", "sweep.yaml"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines, epochs = [], {}

    def tell(events):
        batch = [json.dumps(event) for event in events]
        lines.extend(batch)
        process.stdin.write("\n".join(batch) + "\n")
        process.stdin.flush()
        for _ in batch:
            for action in json.loads(process.stdout.readline())["actions"]:
                if action["action"] == "start_trial":
                    epochs[action["trial"]] = 0
                elif action["action"] == "stop_trial":
                    del epochs[action["trial"]]

    tell([{"event": "slots_joined", "slots": SLOTS}])
    while epochs:
        reports = []
        for trial in epochs:
            epochs[trial] += 1
            loss = (trial * 7919 % 10_007) / 10_007 + 1 / epochs[trial]
            reports.append({"event": "trial_reported", "trial": trial, "resource": epochs[trial], "metrics": {"val_loss": loss}})
        tell(reports)
    process.stdin.close()
    process.wait()
    return lines


def seconds(crescendo, arguments):
    begin = time.perf_counter()
    with open("lines") as lines:
        subprocess.run([crescendo, "ask-tell", "sweep.yaml", *arguments], stdin=lines, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main():
    crescendo = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else CRESCENDO)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        os.chdir(folder)
        open("sweep.yaml", "w").write(SWEEP)
        lines = hold_conversation(crescendo)
        open("lines", "w").write("\n".join(lines) + "\n")
        for name, arguments in (("without a journal", []), ("with a journal", ["--journal", "journal"])):
            times = []
            for turn in range(TURNS):
                times.append(seconds(crescendo, arguments and [arguments[0], f"{arguments[1]}{turn}"]))
            print(f"{name}: {len(lines)} lines, {len(lines) / statistics.median(times):,.0f} a second")
        os.chdir("..")


if __name__ == "__main__":
    main()
