"""Records the trainings of a problem in recorded/NAME.csv: one line per trial, with its loss at each epoch.

    "$(scripts/install.sh python)" benchmarks/samplers/record.py cnn DIR

DIR has the data that its sweep names (fashion.h5 with 10,000 samples per group, or flow.h5 of examples/flow), and gets
the sweep. It takes some 20 minutes on one slot. An interrupted run continues where it stopped.
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
from recorded import read  # noqa: E402


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
    for report in read(os.path.join(folder, f"{name}-csv", "reports.csv")):
        curves.setdefault(report["trial"], []).append(f"{float(report['val_loss'] or 'nan'):.4g}")
        seconds[report["trial"]] = float(report["seconds"])  # since the trial began
    trials = [trial for trial in read(os.path.join(folder, f"{name}-csv", "trials.csv"))
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
