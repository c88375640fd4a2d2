#!/usr/bin/env python3
"""Tunes a Keras model. Only `Report` and the lines with `trial` are for Crescendo."""

import argparse

import keras
import numpy

import crescendo


class Report(keras.callbacks.Callback):
    """Reports after each epoch, and ends the training when the trial must stop."""

    def __init__(self, trial):
        super().__init__()
        self.trial = trial

    def on_epoch_end(self, epoch, logs=None):
        self.trial.report(logs, save=self.save)
        if self.trial.stopped:
            self.model.stop_training = True  # never set to False: an EarlyStopping may have set it

    def save(self, path):
        path.mkdir()  # Keras requires a name that ends in .keras
        self.model.save(path / "model.keras")


def samples(count, seed):
    x = numpy.random.default_rng(seed).normal(size=(count, 20)).astype("float32")
    return x, (x[:, 0] * x[:, 1] > 0).astype("int32")


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--width", type=int, default=64)
args = parser.parse_args()

trial = crescendo.trial()
keras.utils.set_random_seed(trial.seed)
if trial.checkpoint:
    model = keras.saving.load_model(trial.checkpoint / "model.keras")
else:
    model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(args.width, "relu"), keras.layers.Dense(2)])
    model.compile(keras.optimizers.Adam(args.lr), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
model.fit(*samples(1600, seed=1), batch_size=64, validation_data=samples(400, seed=2), verbose=0,
          initial_epoch=trial.resource, epochs=trial.max_resource or 9, callbacks=[Report(trial)])
