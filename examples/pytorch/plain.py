#!/usr/bin/env python3
"""A plain PyTorch script that trains a small network to tell the arms of two spirals apart."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--width", type=int, default=32)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--epochs", type=int, default=9)


def spirals(count, seed):
    generator = torch.Generator().manual_seed(seed)
    arm = torch.randint(2, (count,), generator=generator)
    radius = torch.rand(count, generator=generator)
    angle = 6 * radius + torch.pi * arm
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return points + 0.02 * torch.randn(count, 2, generator=generator), arm


training, validation = spirals(4000, seed=1), spirals(1000, seed=2)


def validate(model, device):
    model.eval()
    points, arm = (each.to(device) for each in validation)
    with torch.no_grad():
        return (model(points).argmax(1) == arm).float().mean().item()


def train(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(2, args.width), nn.ReLU(), nn.Linear(args.width, args.width), nn.ReLU(),
                          nn.Linear(args.width, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    loader = DataLoader(TensorDataset(*training), batch_size=args.batch_size, shuffle=True)
    for epoch in range(1, args.epochs + 1):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: val_accuracy {validate(model, device)}")


if __name__ == "__main__":
    train(parser.parse_args())
