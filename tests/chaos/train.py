#!/usr/bin/env python3
"""A trainer with checkpoints for the fault campaign: it pretends to learn and records every step.

usage: train.py --steps=N --seconds=S --x=X        under crescendo only

If a trial has several processes, rank 0 trains, and the others leave when they are told to.

Its state is a chain: after a step that is repeated, left out, or continued from another trial's checkpoint, all losses
differ from losses(seed, …). The account is one file per process in TEST_RECORD, with one line per step.
"""

import json
import os
import socket
import sys
import time
from pathlib import Path


def advance(state, seed):
    return (state * 6364136223846793005 + 1442695040888963407 + seed) % 2**64


def loss_of(state):
    return state / 2**64


def losses(seed, num_epochs, steps_per_epoch):
    """The losses that an undisturbed trial reports, by epoch from 1."""
    state, result = 0, []
    for _ in range(num_epochs):
        for _ in range(steps_per_epoch):
            state = advance(state, seed)
        result.append(loss_of(state))
    return result


def write_checkpoint(path, epoch, state):
    temporary = path.with_suffix(".new")
    with open(temporary, "w") as file:
        json.dump({"epoch": epoch, "state": state}, file)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)


def main():
    options = dict(word[2:].split("=") for word in sys.argv[1:])
    steps, seconds = int(options["steps"]), float(options["seconds"])
    trial, seed = int(os.environ["CRESCENDO_TRIAL"]), int(os.environ["CRESCENDO_SEED"])
    channel = socket.socket(fileno=int(os.environ["CRESCENDO_FD"])).makefile("rw", buffering=1)
    if int(os.environ["RANK"]) > 0:
        while "continue" in channel.readline():
            pass
        return
    account = open(Path(os.environ["TEST_RECORD"]) / str(os.getpid()), "w", buffering=1)
    checkpoint = Path(os.environ["CRESCENDO_TRIAL_DIR"]) / "checkpoint.json"

    def report(epoch, state):
        channel.write(json.dumps({"resource": epoch, "metrics": {"loss": loss_of(state)}}) + "\n")
        channel.flush()
        answer = channel.readline()
        if "continue" not in answer:
            sys.exit(0)

    epoch, state = 0, 0
    if checkpoint.exists():
        last = json.loads(checkpoint.read_text())
        epoch, state = last["epoch"], last["state"]
        report(epoch, state)  # it may have been lost between the checkpoint and the journal
    while epoch < int(os.environ["CRESCENDO_MAX_RESOURCE"]):
        for step in range(steps):
            time.sleep(seconds)
            state = advance(state, seed)
            account.write(json.dumps({"trial": trial, "epoch": epoch, "step": epoch * steps + step + 1, "samples": [step],
                                      "seed": seed, "time": time.time()}) + "\n")
        epoch += 1
        write_checkpoint(checkpoint, epoch, state)
        report(epoch, state)


if __name__ == "__main__":
    main()
