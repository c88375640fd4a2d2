#!/usr/bin/env python3
"""A PyTorch program that grows in place, for the fault campaign. Each member records its steps, like
train.py."""

import argparse
import json
import os
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

import crescendo.torch

NUM_SAMPLES = 64
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int)
parser.add_argument("--seconds", type=float, help="a step takes")
parser.add_argument("--x", type=float)
inputs = torch.randn(NUM_SAMPLES, 4, generator=torch.Generator().manual_seed(1))
data = TensorDataset(inputs, inputs.sum(1, keepdim=True), torch.arange(NUM_SAMPLES))


class Steps:
    """The number of the trial's steps, as a part of its state."""

    def __init__(self):
        self.count = 0

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state):
        self.count = state["count"]


def train(trial):
    account = open(Path(os.environ["TEST_RECORD"]) / str(os.getpid()), "a", buffering=1)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01 + 0.1 * trial.args.x, momentum=0.9)
    steps = Steps()
    trial.attach(model=model, optimizer=optimizer, steps=steps)
    loader = DataLoader(data, batch_size=trial.args.batch_size, shuffle=True)
    for epoch in trial.epochs():
        for x, y, samples in trial.batches(loader):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            steps.count += 1
            account.write(json.dumps({"trial": trial.number, "epoch": epoch - 1, "step": steps.count,
                                      "samples": samples.tolist(), "time": time.time()}) + "\n")
            time.sleep(trial.args.seconds)
        with torch.no_grad():
            trial.report(loss=torch.nn.functional.mse_loss(model(inputs), data.tensors[1]))


if __name__ == "__main__":
    crescendo.torch.run(train, parser)
