#!/usr/bin/env python3
"""Trains one trial: logistic regression by stochastic gradient descent, with one report per epoch.

`crescendo run sweep.yaml` starts it once per trial, as train.py --lr=0.1 --l2=0.001 --batch_size=32.
Without a sweep, `python3 train.py --lr=0.1` prints its reports and trains for 27 epochs.
"""

import argparse
import json
import math
import os
import random
import socket

FEATURES = 20


class Crescendo:
    """The program's end of the trial protocol."""

    def __init__(self):
        fd = os.environ.get("CRESCENDO_FD")
        self.connection = socket.socket(fileno=int(fd)) if fd else None
        self.answers = self.connection.makefile() if fd else None

    def report(self, epoch, metrics):
        """Returns whether the trial continues."""
        line = json.dumps({"resource": epoch, "metrics": metrics})
        if self.connection is None:
            print(line)
            return True
        self.connection.sendall((line + "\n").encode())
        answer = self.answers.readline()  # empty when the sweep is over
        return bool(answer) and json.loads(answer)["decision"] == "continue"


def make_data(count, seed):
    """Makes samples of two classes that a plane separates, except for noise."""
    plane = random.Random(0)
    normal = [plane.gauss(0, 1) for _ in range(FEATURES)]
    rng = random.Random(seed)
    data = []
    for _ in range(count):
        x = [rng.gauss(0, 1) for _ in range(FEATURES)]
        score = sum(a * b for a, b in zip(normal, x)) + rng.gauss(0, 2)
        data.append((x, 1 if score > 0 else 0))
    return data


def predict(weights, x):
    score = sum(w * value for w, value in zip(weights, x))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def train_epoch(weights, data, args, rng):
    order = rng.sample(data, len(data))
    for begin in range(0, len(order), args.batch_size):
        batch = order[begin : begin + args.batch_size]
        gradient = [args.l2 * w for w in weights]
        for x, label in batch:
            error = (predict(weights, x) - label) / len(batch)
            for i, value in enumerate(x):
                gradient[i] += error * value
        for i, slope in enumerate(gradient):
            weights[i] -= args.lr * slope


def evaluate(weights, data):
    loss = correct = 0
    for x, label in data:
        p = predict(weights, x)
        loss -= math.log(p if label else 1 - p)
        correct += (p > 0.5) == bool(label)
    return {"val_loss": loss / len(data), "val_accuracy": correct / len(data)}


def load(path):
    """Returns where an earlier start of this trial stopped: (epoch, weights)."""
    if path is None or not os.path.exists(path):
        return 0, [0.0] * FEATURES
    with open(path) as file:
        return json.load(file)


def save(path, epoch, weights):
    """Saves completely or not at all: the trial may be killed at any time."""
    if path is None:
        return
    with open(path + ".tmp", "w") as file:
        json.dump([epoch, weights], file)
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--l2", type=float, default=0.0)
    parser.add_argument("--batch_size", type=int, default=32)
    args = parser.parse_args()
    seed = os.environ.get("CRESCENDO_SEED", "0")
    max_epochs = int(os.environ.get("CRESCENDO_MAX_RESOURCE", "27"))
    directory = os.environ.get("CRESCENDO_TRIAL_DIR")
    checkpoint = os.path.join(directory, "checkpoint.json") if directory else None

    training, validation = make_data(1000, seed=1), make_data(500, seed=2)
    crescendo = Crescendo()
    epoch, weights = load(checkpoint)
    while True:
        # The first report after a restart repeats the last one: the program may have been killed after it saved its
        # checkpoint and before its report arrived, and nothing else has that report.
        if epoch > 0 and not crescendo.report(epoch, evaluate(weights, validation)):
            break
        if epoch >= max_epochs:
            break
        epoch += 1
        train_epoch(weights, training, args, random.Random(f"{seed}/{epoch}"))
        save(checkpoint, epoch, weights)


if __name__ == "__main__":
    main()
