"""Records the trainings of a problem as recorded/NAME.csv: a line a trial, with its losses at each epoch.

    "$(scripts/install.sh python)" benchmarks/samplers/record.py cnn DIR

DIR has the data that its sweep names (fashion.h5 of 10,000 samples a group, or flow.h5 of examples/flow), and gets
the sweep, on one slot: some 20 minutes. What is broken off goes on where it stopped.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO  # noqa: E402
from problems import RECORDED, SWEEPS  # noqa: E402


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=list(SWEEPS))
    parser.add_argument("folder")
    arguments = parser.parse_args()
    name, folder = arguments.problem, os.path.abspath(arguments.folder)
    if not os.path.exists(os.path.join(folder, name)):
        with open(os.path.join(folder, f"{name}.yaml"), "w") as file:
            json.dump(SWEEPS[name], file)  # JSON is YAML
        what = ["run", f"{name}.yaml", "--dir", name]
    else:
        what = ["resume", name]
    subprocess.run([CRESCENDO, *what, "--slots", "1"], cwd=folder, check=True)
    subprocess.run([CRESCENDO, "export", name, "--to", "csv", "--out", f"{name}-csv"], cwd=folder, check=True)

    curves, seconds = {}, {}
    for report in rows(os.path.join(folder, f"{name}-csv", "reports.csv")):
        curves.setdefault(report["trial"], []).append(f"{float(report['val_loss'] or 'nan'):.4g}")
        seconds[report["trial"]] = float(report["seconds"])  # since the trial began
    trials = [trial for trial in rows(os.path.join(folder, f"{name}-csv", "trials.csv"))
              if trial["status"] == "finished"]
    parameters = list(SWEEPS[name]["parameters"])
    with open(os.path.join(RECORDED, f"{name}.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        epochs = max(map(len, curves.values()))
        writer.writerow([*parameters, "epoch_seconds", *(f"loss_{epoch + 1}" for epoch in range(epochs))])
        for trial in trials:
            curve = curves[trial["trial"]]
            values = [f"{float(trial[key]):.5g}" if trial[key][:1].isdigit() else trial[key] for key in parameters]
            writer.writerow([*values, f"{seconds[trial['trial']] / len(curve):.3g}", *curve,
                             *["nan"] * (epochs - len(curve))])


if __name__ == "__main__":
    main()
