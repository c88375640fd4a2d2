"""How well does the scheduler predict the step time of a group that is larger than any before?

    python benchmarks/step_model/measure.py measure IMAGES.h5 FIELDS.h5    some minutes; needs root
    python benchmarks/step_model/measure.py table                          from the recorded times

Groups of 1, 2, 4 and 8 workers train on slow cores of equal speed (../slow_cores.py), so that eight workers do not slow
each other down. The group's batch is constant (global), or constant per worker. Each time is the mean of an epoch's
steps, as in reports. Times of widths up to W predict the next width. Times are kept in times.csv.
"""
import argparse
import collections
import contextlib
import csv
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import BIN, CRESCENDO, QUICK, trainers  # noqa: E402
from recorded import commit, read  # noqa: E402
from slow_cores import SlowCores  # noqa: E402

from crescendo.fake import Terms  # noqa: E402

TIMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "times.csv")
COLUMNS = ["commit", "model", "turn", "workers", "group_batch", "step_seconds"]
WIDTHS = [1, 2, 4] if QUICK else [1, 2, 4, 8]
MLP = {"model": "mlp", "width": 256, "depth": 2}
MODELS = {"cnn": {"model": "cnn", "width": 16, "batch_size": 256}, "mlp": {**MLP, "batch_size": 512},
          "mlp, larger batch": {**MLP, "batch_size": 2048},
          "autoencoder": {"model": "autoencoder", "width": 12, "depth": 3, "latent": 12, "batch_size": 32}}
if QUICK:
    MODELS = {"cnn": {"model": "cnn", "width": 16, "batch_size": 64}}


def measure(arguments):
    if arguments.fields:
        subprocess.run([CRESCENDO, "data", "stats", f"{arguments.fields}:/train"], check=True, stdout=subprocess.DEVNULL)
    with contextlib.nullcontext([]) if QUICK else SlowCores(WIDTHS[-1]) as slots, trainers(WIDTHS[-1]) as crescendo:
        for slot, trainer in zip(slots, crescendo.trainers):
            slot.add(trainer.process.pid)
        record(arguments, crescendo)


def record(arguments, crescendo):
    kept = [row for row in read(arguments.times) if row["model"] not in arguments.models] if arguments.models else []
    unfinished = arguments.times + ".new"
    with open(unfinished, "w", newline="") as file, tempfile.TemporaryDirectory() as folder:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        for turn in range(arguments.turns):
            for model in arguments.models or MODELS:
                choices = MODELS[model]
                data = f"{os.path.abspath(arguments.fields if model == 'autoencoder' else arguments.images)}:/train"
                settings = {**choices, "optimizer": "sgd", "lr": 0.01,
                            "data": {"train": data, "validation": data,
                                     **({"normalize": "standard"} if model == "autoencoder" else {})}}
                for workers in WIDTHS:
                    for multiple in sorted({1, workers}):
                        crescendo.join(range(workers), "new", Terms(Path(folder), settings, multiple, checkpoint_at=1))
                        report = crescendo.expect(0, "report")
                        crescendo.leave(range(workers))
                        writer.writerow({"commit": commit(), "model": model, "turn": turn, "workers": workers,
                                         "group_batch": choices["batch_size"] * multiple,
                                         "step_seconds": f"{report['step_seconds']:.5g}"})
                        file.flush()
                print(f"turn {turn + 1} of {arguments.turns}: {model}", flush=True)
    os.replace(unfinished, arguments.times)


def predicted(known, asked):
    """Predicts the seconds of a step at `asked`, (workers, batch), from `known`, (workers, batch) -> seconds."""
    lines = [f"{workers} {batch} {seconds}" for (workers, batch), seconds in sorted(known.items())]
    lines.append(f"{asked[0]} {asked[1]}")
    return float(subprocess.run([os.path.join(BIN, "step_model")], input="\n".join(lines), capture_output=True, text=True,
                                check=True).stdout)


def table(arguments):
    times = collections.defaultdict(list)
    for row in read(arguments.times):
        times[row["model"], int(row["workers"]), int(row["group_batch"])].append(float(row["step_seconds"]))
    times = {key: statistics.median(values) for key, values in times.items()}
    print("| model | batch | known widths | predicted | seconds | measured | ratio |")
    print("|---|---|---|---|---|---|---|")
    for model in [model for model in MODELS if any(model == name for name, _, _ in times)]:
        of_model = {(workers, batch): seconds for (name, workers, batch), seconds in times.items() if name == model}
        least = min(batch for _, batch in of_model)
        for mode, multiple in [("global", lambda workers: 1), ("per worker", lambda workers: workers)]:
            for before, width in zip(WIDTHS[1:], WIDTHS[2:]):
                known = {(workers, batch): seconds for (workers, batch), seconds in of_model.items()
                         if workers <= before and batch == least * multiple(workers)}
                asked = width, least * multiple(width)
                seconds = predicted(known, asked)
                print(f"| {model} | {mode} | {', '.join(str(workers) for workers, _ in sorted(known))} | {width} "
                      f"| {seconds:.3g} | {of_model[asked]:.3g} | {seconds / of_model[asked]:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="measure step times")
    measuring.add_argument("images", help="file with the group train of Fashion-MNIST")
    measuring.add_argument("fields", nargs="?", help="file with the same group of the flow example")
    measuring.add_argument("--models", nargs="+", choices=MODELS, help="measure only these; times of others are kept")
    measuring.add_argument("--turns", type=int, default=1 if QUICK else 4)
    measuring.add_argument("--times", default=TIMES)
    printing = commands.add_parser("table", help="print predictions")
    printing.add_argument("--times", default=TIMES)
    arguments = parser.parse_args()
    (measure if arguments.command == "measure" else table)(arguments)


if __name__ == "__main__":
    main()
