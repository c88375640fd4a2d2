#!/usr/bin/env python3
"""Tunes a Hydra application. Parameters arrive as key=value, Hydra's own format."""

from dataclasses import dataclass, field

import hydra
import torch
from hydra.core.config_store import ConfigStore
from torch import nn

import crescendo


@dataclass
class OptimizerConfig:
    lr: float = 0.1
    momentum: float = 0.9


@dataclass
class Config:
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    width: int = 32


ConfigStore.instance().store("config", Config)


def samples(count, seed):
    x = torch.randn(count, 20, generator=torch.Generator().manual_seed(seed))
    return x, (x[:, 0] * x[:, 1] > 0).long()


@hydra.main(version_base=None, config_name="config")
def main(config):
    trial = crescendo.trial()
    torch.manual_seed(trial.seed)
    model = nn.Sequential(nn.Linear(20, config.width), nn.ReLU(), nn.Linear(config.width, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=config.optimizer.lr, momentum=config.optimizer.momentum)
    (x, y), (val_x, val_y) = samples(1600, seed=1), samples(400, seed=2)
    for epoch in trial.epochs():
        for batch in torch.randperm(len(x)).split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
        trial.report(val_accuracy=(model(val_x).argmax(1) == val_y).float().mean())


if __name__ == "__main__":
    main()
