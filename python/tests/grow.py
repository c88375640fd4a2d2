#!/usr/bin/env python3
"""A growing program for the tests: it records which samples each worker has trained on."""

import argparse
import contextlib
import json
import os
import random
import time

import numpy
import torch
from torch.utils.data import DataLoader, TensorDataset

import crescendo.torch

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--optimizer", choices=["sgd", "adam"], default="sgd")
parser.add_argument("--samples", type=int, default=256)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--dropout", type=float, default=0.0)
parser.add_argument("--loaders", type=int, default=0)
parser.add_argument("--gate-step", type=int, help="wait there for a file `gate`; -1: behind the steps")
parser.add_argument("--head-only", action="store_true", help="train the last layer, and do not freeze the others")
parser.add_argument("--exchange", choices=["plain", "finally"], help="evaluate with other weights; put back how")
parser.add_argument("--by-step", action="store_true", help="a schedule, and an average of weights, by the step")
parser.add_argument("--pause", type=float, default=0.0, help="seconds a step takes longer")
parser.add_argument("--evaluation-pause", type=float, default=0.0, help="seconds an evaluation takes longer")
parser.add_argument("--main-pause", type=float, default=0.0, help="seconds that rank 0 alone takes longer for it")


def draw():
    return [random.random(), numpy.random.rand(), torch.rand(1).item()]


DRAWN = draw()


def note(trial, name, entry):
    if trial.directory:
        with open(trial.directory / name, "a") as file:
            file.write(json.dumps(entry) + "\n")


def make_data(count):
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, 10, generator=generator)
    targets = (inputs.sum(1) + torch.randn(count, generator=generator) > 0).long()
    return TensorDataset(inputs, targets, torch.arange(count))


def make_model(dropout):
    layers = [torch.nn.Linear(10, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)]
    if dropout:
        layers[2:2] = [torch.nn.BatchNorm1d(16), torch.nn.Dropout(dropout)]
    return torch.nn.Sequential(*layers)


@contextlib.contextmanager
def exchanged(model, how):
    """Gives the model other weights for a while, like an evaluation with averaged weights."""
    kept = [parameter.detach().clone() for parameter in model.parameters()]
    is_left = how is not None
    try:
        for parameter in model.parameters():
            parameter.data.mul_(0.5 if how else 1.0)
        yield
        is_left = False
    finally:
        if not is_left or how == "finally":
            for parameter, values in zip(model.parameters(), kept):
                parameter.data = values


def wait_at_gate(trial, args, step):
    if args.gate_step is None or step != args.gate_step:
        return
    (trial.directory / f"at-gate-{trial.rank}").touch()
    while not (trial.directory / "gate").exists():
        time.sleep(0.01)


def train(trial):
    args = trial.args
    if trial.directory:
        (trial.directory / "split").write_text(str(random.random()))  # like a program that splits its data at random
        (trial.directory / f"drawn-{os.getpid()}").write_text(str(DRAWN))
    note(trial, "calls.jsonl", {"rank": trial.rank, "size": trial.size, "is_main": trial.is_main})
    data = make_data(args.samples)
    model = make_model(args.dropout).to(trial.device)
    kind = torch.optim.SGD if args.optimizer == "sgd" else torch.optim.Adam
    optimizer = kind((model[-1] if args.head_only else model).parameters(), lr=args.lr)
    schedulers = torch.optim.lr_scheduler
    more = {}
    if args.by_step:
        scheduler = schedulers.LinearLR(optimizer, 1.0, 0.1, total_iters=20)
        average = more["average"] = torch.optim.swa_utils.AveragedModel(model)
    else:
        scheduler = schedulers.StepLR(optimizer, 2, gamma=0.5)
    trial.attach(model=model, optimizer=optimizer, scheduler=scheduler, **more)
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True, num_workers=args.loaders)
    validation = DataLoader(data, batch_size=64)
    loss_of = torch.nn.functional.cross_entropy
    for epoch in trial.epochs(limit=2):
        note(trial, "epochs.jsonl", {"epoch": epoch, "rank": trial.rank, "drawn": draw()})
        model.train()
        for step, (x, y, numbers) in enumerate(trial.batches(loader)):
            model.zero_grad()
            loss = loss_of(model(x.to(trial.device)), y.to(trial.device))
            wait_at_gate(trial, args, step)
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
            optimizer.step()
            if args.by_step:
                scheduler.step()
                average.update_parameters(model)
            entry = {"epoch": epoch, "rank": trial.rank, "pid": os.getpid(), "samples": numbers.tolist()}
            note(trial, "samples.jsonl", {**entry, "norm": norm, "updated": trial.stepped})
            time.sleep(args.pause)
        if not args.by_step:
            scheduler.step()
        wait_at_gate(trial, args, -1)
        model.eval()
        time.sleep(args.evaluation_pause + trial.is_main * args.main_pause)
        with torch.no_grad(), exchanged(model, args.exchange):
            count, total = 0, 0.0
            for x, y, _ in trial.share(validation):
                total += loss_of(model(x.to(trial.device)), y.to(trial.device)).item() * len(x)
                count += len(x)
            count, total = trial.sum(count, total)
        numbers = {"average": average.module[0].weight.sum()} if args.by_step else {}
        trial.report(val_loss=total / count, rate=optimizer.param_groups[0]["lr"], **numbers)


def test(trial):
    split = random.random()
    same_split = trial.directory is None or split == float((trial.directory / "split").read_text())
    model = make_model(trial.args.dropout).to(trial.device)
    trial.attach(model=model)
    model.eval()
    x, y, _ = (each.to(trial.device) for each in make_data(trial.args.samples).tensors)
    with torch.no_grad():
        return {"test_loss": torch.nn.functional.cross_entropy(model(x), y), "same_split": same_split}


if __name__ == "__main__":
    crescendo.torch.run(train, parser, test=test)
