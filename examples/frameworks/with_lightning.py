#!/usr/bin/env python3
"""Tunes a Lightning module. Only `Report` and the lines with `trial` are for Crescendo."""

import argparse
import os

import lightning.pytorch as pl
import torch
from lightning.pytorch.plugins.environments import LightningEnvironment, TorchElasticEnvironment
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import crescendo


class Report(pl.Callback):
    """Reports after each validation, and ends the training when the trial must stop."""

    def __init__(self, trial):
        self.trial = trial

    def on_validation_end(self, trainer, module):
        if not trainer.sanity_checking:
            # Lightning's workers wait for each other while they save.
            self.trial.report(trainer.callback_metrics, save=trainer.save_checkpoint, save_on="all")
            trainer.should_stop |= self.trial.stopped  # an EarlyStopping may have set it


class Classifier(pl.LightningModule):
    def __init__(self, lr, width):
        super().__init__()
        self.lr = lr
        self.network = nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Linear(width, 2))

    def training_step(self, batch, _):
        x, y = batch
        return nn.functional.cross_entropy(self.network(x), y)

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_accuracy", (self.network(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


def loader(seed, count, shuffle):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 20, generator=generator)
    return DataLoader(TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long()), batch_size=64, shuffle=shuffle)


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--width", type=int, default=64)
args = parser.parse_args()

trial = crescendo.trial()
pl.seed_everything(trial.seed)
# With `workers:` in the sweep file, a trial's processes get torchrun's variables.
world, local = (int(os.environ.get(name, 1)) for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"))
# By default, Lightning would take a Slurm job's tasks for workers.
environment = TorchElasticEnvironment() if world > 1 else LightningEnvironment()
trainer = pl.Trainer(max_epochs=trial.max_resource or 9, callbacks=[Report(trial)], logger=False,
                     default_root_dir=trial.directory,  # for files of loggers and profilers
                     devices=local, num_nodes=world // local, plugins=[environment],
                     enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Classifier(args.lr, args.width), loader(1, 1600, True), loader(2, 400, False), ckpt_path=trial.checkpoint)
