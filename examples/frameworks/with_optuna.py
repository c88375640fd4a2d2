#!/usr/bin/env python3
"""Tunes an unchanged Optuna objective. Its trial has the sweep's parameters, and reports to the sweep."""

import json
import sys

import optuna

import crescendo


def objective(trial):
    """Unchanged, as for study.optimize()."""
    lr = trial.suggest_float("lr", 1e-3, 1, log=True)
    momentum = trial.suggest_float("momentum", 0, 0.95) if trial.suggest_categorical("heavy", [True, False]) else 0.0
    x, speed = 4.0, 0.0
    for epoch in range(9):
        speed = momentum * speed - lr * 2 * x
        x += speed
        trial.report(x * x, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return x * x


class Trial(optuna.trial.FixedTrial):  # suggest_float() and the others return what the sweep has chosen
    def report(self, value, step):
        crescendo.trial().report(loss=value, resource=step + 1)

    def should_prune(self):
        return crescendo.trial().stopped


if __name__ == "__main__":
    try:
        loss = objective(Trial(json.load(open(sys.argv[1]))))
        if crescendo.trial().resource == 0:  # an objective without trial.report()
            crescendo.trial().report(loss=loss)
    except optuna.TrialPruned:
        pass
