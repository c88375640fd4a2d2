#!/usr/bin/env python3
"""Tunes XGBoost. Only `Report` and the lines with `trial` are for Crescendo."""

import argparse

import numpy
import xgboost

import crescendo


class Report(xgboost.callback.TrainingCallback):
    """Reports after each tree, and ends the training when the trial must stop."""

    def __init__(self, trial):
        self.trial = trial

    def after_iteration(self, model, epoch, evals_log):
        metrics = {f"{data}_{name}": values[-1] for data, logs in evals_log.items() for name, values in logs.items()}
        self.trial.report(metrics, save=lambda path: path.write_bytes(model.save_raw()))
        return self.trial.stopped


def samples(count, seed):
    x = numpy.random.default_rng(seed).normal(size=(count, 20))
    return xgboost.DMatrix(x, x[:, 0] * x[:, 1] > 0)


parser = argparse.ArgumentParser()
parser.add_argument("--eta", type=float, default=0.3)
parser.add_argument("--max-depth", type=int, default=6)
args = parser.parse_args()

trial = crescendo.trial()
train, val = samples(1600, seed=1), samples(400, seed=2)
parameters = {"eta": args.eta, "max_depth": args.max_depth, "objective": "binary:logistic",
              "eval_metric": "logloss", "seed": trial.seed}
xgboost.train(parameters, train, num_boost_round=(trial.max_resource or 81) - trial.resource, evals=[(val, "val")],
              verbose_eval=False, callbacks=[Report(trial)],
              xgb_model=bytearray(trial.checkpoint.read_bytes()) if trial.checkpoint else None)
