"""What does growing cost a learning curve? Trains each configuration to the end, once at a constant batch and once on
the ladder, with the same seed and order of samples. On the ladder, the batch doubles when RASDA doubles the workers.

    python benchmarks/rasda_quality/curves.py train build/demo/fashion.h5 build/flow/flow.h5    hours; resumable
    python benchmarks/rasda_quality/curves.py table                                             from the recorded curves

One worker trains. A group of any size has the same curve, because the batch of the ladder does not depend on the
number of workers. Curves are kept in curves.csv next to this file, one line per epoch, with their commit.
"""
import argparse
import collections
import math
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import QUICK, trainers  # noqa: E402
from recorded import commit, mean_and_half_width, read, writer  # noqa: E402

from crescendo.fake import Terms, Unexpected  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CURVES = os.path.join(HERE, "curves.csv")
COLUMNS = ["commit", "problem", "optimizer", "config", "seed", "batch", "scaling", "epoch", "group_batch",
           "train_loss", "val_loss", "val_accuracy", "test_loss", "test_accuracy"]

NUM_CONFIGS = 1 if QUICK else 10
NUM_SEEDS = 1 if QUICK else 3
EPOCHS = 4 if QUICK else 18
OPTIMIZERS = ("sgd",) if QUICK else ("sgd", "adamw")
GROWTH = {1: 2, 3: 4}  # resource of a rung -> workers after it: min 1, reduction_factor 3, scaling_factor 2

# Ways to train: the batch, and how the learning rate follows it. The first is the reference.
REFERENCE = ("constant", "none")
WAYS = [REFERENCE, ("ladder", "linear"), ("ladder", "sqrt"), ("ladder", "none")]


class Problem:
    """`configure` draws a configuration. `accuracy`: whether the metric is an accuracy, not the loss."""

    def __init__(self, name, base, configure, accuracy):
        self.name, self.base, self.configure, self.accuracy = name, base, configure, accuracy

    def settings(self, optimizer, config, scaling, data):
        rng = random.Random(f"{self.name}/{optimizer}/{config}")
        return {**self.base, **self.configure(rng, optimizer), "optimizer": optimizer, "lr_scaling": scaling,
                "data": {**{part: f"{data}:/{'train' if QUICK else part}" for part in ("train", "validation", "test")},
                         **self.base["data"]}}


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def rates(rng, optimizer, sgd, adamw):
    more = {"momentum": rng.uniform(0.5, 0.9), "nesterov": True} if optimizer == "sgd" else {}
    return {"lr": log_uniform(rng, *(sgd if optimizer == "sgd" else adamw)),
            "weight_decay": log_uniform(rng, 1e-6, 1e-3), **more}


def cnn(rng, optimizer):
    return {**rates(rng, optimizer, (0.003, 0.1), (3e-4, 1e-2)), "width": rng.choice([8, 16]),
            "dropout": rng.uniform(0, 0.4), "activation": rng.choice(["relu", "gelu", "tanh"])}


def mlp(rng, optimizer):
    return {**rates(rng, optimizer, (0.003, 0.2), (1e-4, 1e-2)), "width": rng.choice([64, 128, 256]),
            "depth": rng.choice([1, 2]), "activation": rng.choice(["relu", "gelu", "tanh"])}


def autoencoder(rng, optimizer):
    return {**rates(rng, optimizer, (0.003, 0.1), (3e-4, 0.03)), "width": rng.choice([8, 12]),
            "activation": rng.choice(["relu", "gelu", "tanh"])}


PROBLEMS = {problem.name: problem for problem in [
    Problem("cnn", {"model": "cnn", "batch_size": 64, "data": {}}, cnn, accuracy=True),
    Problem("mlp", {"model": "mlp", "batch_size": 64, "data": {}}, mlp, accuracy=True),
    Problem("autoencoder", {"model": "autoencoder", "depth": 3, "latent": 12, "batch_size": 16,
                            "data": {"normalize": "standard"}}, autoencoder, accuracy=False)]}


def cpu_seconds(trainer):
    with open(f"/proc/{trainer.process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def train(crescendo, folder, settings, seed, grows):
    """Trains a trial to its end. Returns a row per epoch with its CPU seconds and metrics. The last row also has those
    of the test data. A configuration may diverge; the trainer then ends, and a new crescendo is needed."""
    rows, before = [], cpu_seconds(crescendo.trainers[0])
    terms = Terms(Path(folder), settings, seed=seed, max_resource=EPOCHS, checkpoint_at=EPOCHS)
    crescendo.join([0], "new", terms)
    for epoch in range(1, EPOCHS + 1):
        metrics = crescendo.expect(0, "report")["metrics"]
        now = cpu_seconds(crescendo.trainers[0])
        rows.append({"epoch": epoch, "group_batch": settings["batch_size"] * terms.batch_multiple,
                     "seconds": now - before, **metrics})
        before = now
        if grows:
            terms.batch_multiple = GROWTH.get(epoch, terms.batch_multiple)
        if epoch < EPOCHS:
            crescendo.go_on([0], terms)
    crescendo.leave([0])
    checkpoint = os.path.join(folder, "checkpoint.pt")
    crescendo.send(0, type="evaluate", trial=0, settings=settings, resource=EPOCHS, checkpoint=checkpoint, data="test")
    rows[-1].update(crescendo.expect(0, "evaluated")["metrics"])
    os.remove(checkpoint)
    return [{key: f"{value:.5g}" if isinstance(value, float) else value for key, value in row.items()} for row in rows]


def train_all(jobs, write):
    """Trains each job, the arguments of train() after the folder, and calls write(number of the job, its rows)."""
    crescendo = trainers(1)
    with tempfile.TemporaryDirectory() as folder:
        for number, job in enumerate(jobs):
            try:
                rows = train(crescendo, folder, *job)
            except Unexpected as error:
                print(f"{job}: {error}", file=sys.stderr)
                crescendo.close()
                crescendo = trainers(1)
            else:
                write(number, rows)
    crescendo.close()


def identity(row):
    return (row["problem"], row["optimizer"], int(row["config"]), int(row["seed"]), row["batch"], row["scaling"])


def plan(problems):
    """Returns all trainings, in an order that keeps the numbers of each kind about equal."""
    for seed in range(1, NUM_SEEDS + 1):
        for config in range(NUM_CONFIGS):
            for problem in problems:
                for optimizer in OPTIMIZERS:
                    for batch, scaling in WAYS:
                        yield problem, optimizer, config, seed, batch, scaling


def record(arguments, path):
    data = {"cnn": arguments.images, "mlp": arguments.images, "autoencoder": arguments.fields}
    done = {identity(row) for row in read(path)}
    problems = [name for name in PROBLEMS if data[name]]
    todo = [each for each in plan(problems) if each not in done]
    mark = commit()

    def job(each):
        problem, optimizer, config, seed, batch, scaling = each
        settings = PROBLEMS[problem].settings(optimizer, config, scaling, os.path.abspath(data[problem]))
        return settings, seed, batch == "ladder"

    with writer(path, COLUMNS) as write:
        def keep(number, rows):
            problem, optimizer, config, seed, batch, scaling = todo[number]
            write({"commit": mark, "problem": problem, "optimizer": optimizer, "config": config, "seed": seed,
                   "batch": batch, "scaling": scaling, **row} for row in rows)
            print(f"{number + 1} of {len(todo)}: {problem}, {optimizer}, {config}, seed {seed}, {batch}, {scaling}",
                  flush=True)

        train_all(map(job, todo), keep)


def table(path):
    """Prints paired differences between each way and the reference, for the same configuration and seed."""
    curves = collections.defaultdict(dict)
    for row in read(path):
        curves[identity(row)][int(row["epoch"])] = row
    epochs = [epoch for epoch in (1, 2, 3, 4, 6, 9) if epoch < EPOCHS] + [EPOCHS]
    print("| problem | optimizer | rate | pairs |" + "".join(f" epoch {epoch} |" for epoch in epochs) + " test |")
    print("|---|---|---|---|" + "---|" * (len(epochs) + 1))
    for name, problem in PROBLEMS.items():
        metric, unit = ("accuracy", 100) if problem.accuracy else ("loss", None)
        for optimizer in OPTIMIZERS:
            for batch, scaling in WAYS[1:]:
                pairs = [(curve, curves[key[:4] + REFERENCE]) for key, curve in curves.items()
                         if key[0] == name and key[1] == optimizer and key[4:] == (batch, scaling)
                         and key[:4] + REFERENCE in curves]
                cells = []
                for epoch, column in [(epoch, f"val_{metric}") for epoch in epochs] + [(EPOCHS, f"test_{metric}")]:
                    differences = [difference(one[epoch][column], other[epoch][column], unit)
                                   for one, other in pairs if epoch in one and epoch in other]
                    differences = [each for each in differences if each is not None]
                    cells.append("{:+.2f} ± {:.2f}".format(*mean_and_half_width(differences)) if differences else "")
                if pairs:
                    print(f"| {name} | {optimizer} | {scaling} | {len(pairs)} | {' | '.join(cells)} |")


def difference(one, other, unit):
    """In percentage points of accuracy; for a loss, 100 times the log ratio. None if either value is not finite."""
    values = [float(each) if each else math.nan for each in (one, other)]
    if not all(map(math.isfinite, values)):
        return None
    return unit * (values[0] - values[1]) if unit else 100 * math.log(values[0] / values[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train what is not yet recorded")
    training.add_argument("images", help="file with the groups train, validation and test of Fashion-MNIST")
    training.add_argument("fields", nargs="?", help="file with the same groups of the flow example")
    training.add_argument("--curves", default=CURVES)
    printing = commands.add_parser("table", help="print the paired differences")
    printing.add_argument("--curves", default=CURVES)
    arguments = parser.parse_args()
    if arguments.command == "train":
        record(arguments, arguments.curves)
    else:
        table(arguments.curves)


if __name__ == "__main__":
    main()
