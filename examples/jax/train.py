#!/usr/bin/env python3
"""Trains a small JAX network to tell the arms of two spirals apart. Reports each epoch, and can be resumed."""

import argparse

import jax
import jax.numpy as jnp
import numpy as np

import crescendo

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--width", type=int, default=32)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--epochs", type=int, default=9)
args = parser.parse_args()


def spirals(count, seed):
    rng = np.random.default_rng(seed)
    arm = rng.integers(2, size=count)
    radius = rng.random(count)
    angle = 6 * radius + np.pi * arm
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return (points + 0.02 * rng.normal(size=points.shape)).astype("float32"), arm


def make_layers(key, *sizes):
    return [{"weight": jax.random.normal(each, (fan_in, fan_out)) * jnp.sqrt(2 / fan_in), "bias": jnp.zeros(fan_out)}
            for each, fan_in, fan_out in zip(jax.random.split(key, len(sizes)), sizes, sizes[1:])]


def scores(layers, x):
    *hidden, last = layers
    for layer in hidden:
        x = jax.nn.relu(x @ layer["weight"] + layer["bias"])
    return x @ last["weight"] + last["bias"]


def loss_of(layers, x, arm):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores(layers, x)), arm[:, None], axis=1).mean()


@jax.jit
def train_an_epoch(state, batches):
    """Gradient descent with momentum; the state is the layers and their velocity."""

    def step(state, batch):
        layers, velocity = state
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, jax.grad(loss_of)(layers, *batch))
        return (jax.tree.map(lambda w, v: w - args.lr * v, layers, velocity), velocity), None

    return jax.lax.scan(step, state, batches)[0]


@jax.jit
def validate(layers, x, arm):
    return (scores(layers, x).argmax(axis=1) == arm).mean()


def save(path):
    with open(path, "wb") as file:
        np.savez(file, *jax.tree.leaves(state))


trial = crescendo.trial()
layers = make_layers(jax.random.key(trial.seed), 2, args.width, args.width, 2)
state = layers, jax.tree.map(jnp.zeros_like, layers)
if trial.checkpoint:
    with np.load(trial.checkpoint) as saved:
        state = jax.tree.unflatten(jax.tree.structure(state), saved.values())
training, validation = spirals(4000, seed=1), spirals(1000, seed=2)
for epoch in trial.epochs(args.epochs):
    order = np.random.default_rng([trial.seed, epoch]).permutation(4000)
    order = order[: 4000 // args.batch_size * args.batch_size].reshape(-1, args.batch_size)
    state = train_an_epoch(state, tuple(values[order] for values in training))
    trial.report(val_accuracy=validate(state[0], *validation), save=save)
