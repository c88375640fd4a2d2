#!/usr/bin/env python3
"""Compares how well the sweep's best autoencoder and other codes of the same size reconstruct the test fields.

usage: compare.py FLOW.H5 CHECKPOINT.PT [PLOT.PNG]

Needs h5py, numpy and torch. PLOT.PNG, with fields of the first test sample, also needs matplotlib.
"""
import json
import sys

import h5py
import torch
import torch.nn.functional as F


def autoencoder(checkpoint):
    """Returns the model of `model: autoencoder` as a function."""
    weights, settings = checkpoint["model"], json.loads(checkpoint["settings"])
    activate = getattr(F, settings["activation"], None) or getattr(torch, settings["activation"])

    def convolution(name, x, **options):
        return F.conv2d(x, weights[name + ".weight"], weights[name + ".bias"], **options)

    @torch.no_grad()
    def reconstruct(x):
        for i in range(1, settings["depth"] + 1):
            x = activate(convolution(f"down{i}", x, stride=2, padding=1))
        x = convolution("decode", convolution("code", x), padding=1)
        for i in range(settings["depth"], 0, -1):
            x = convolution(f"up{i}", F.interpolate(activate(x), scale_factor=2), padding=1)
        return x

    return reconstruct


def principal_components(train, count):
    """Returns the projection onto the main directions of the training samples. Needs only their inner products."""
    mean = train.mean(0)
    away = (train - mean).flatten(1)
    _, mixtures = torch.linalg.eigh((away @ away.T).double())
    basis = F.normalize(mixtures[:, -count:].T.float() @ away, dim=1)
    return lambda x: mean + ((x - mean).flatten(1) @ basis.T @ basis).view_as(x)


def plot(file, fields):
    import matplotlib.pyplot as plt

    names = ["u", "v", "vorticity"]
    figure, axes = plt.subplots(3, len(fields), figsize=(2 * len(fields), 6), layout="constrained")
    for column, (title, sample) in enumerate(fields.items()):
        for row, name in enumerate(names):
            limit = float(next(iter(fields.values()))[row].abs().max())
            axes[row, column].imshow(sample[row], cmap="RdBu_r", vmin=-limit, vmax=limit, origin="lower")
            axes[row, column].set(xticks=[], yticks=[])
            axes[row, 0].set_ylabel(name)
        axes[0, column].set_title(title)
    figure.savefig(file, dpi=80)


def main(data, checkpoint, picture=None):
    with h5py.File(data) as file:
        train, test = (torch.from_numpy(file[group]["inputs"][:]) for group in ("train", "test"))
    mean, std = train.mean((0, 2, 3), keepdim=True), train.std((0, 2, 3), keepdim=True)
    train, test = (train - mean) / std, (test - mean) / std
    checkpoint = torch.load(checkpoint)
    settings = json.loads(checkpoint["settings"])
    channels, points, _ = test[0].shape
    code = settings["latent"] * (points >> settings["depth"]) ** 2
    side = round((channels * points**2 / code) ** 0.5)
    if channels * points**2 != code * side**2 or points % side:
        sys.exit(f"no field of means over squares has {code} numbers, so the code cannot be compared with one; "
                 f"choose depth and latent so that {channels * points**2} / {code} is the square of a divisor of "
                 f"{points}")
    means = f"means of {side} x {side}"
    answers = {
        "original": test,
        "mean field": train.mean(0).expand_as(test),
        means: F.interpolate(F.avg_pool2d(test, side), scale_factor=side, mode="bicubic"),
        "autoencoder": autoencoder(checkpoint)(test),
        "PCA": principal_components(train, code)(test),
    }
    for name, answer in answers.items():
        print(f"{name:16} {F.mse_loss(answer, test):.4f}")
    if picture:
        plot(picture, {name: answers[name][0] for name in ("original", means, "autoencoder")})


if __name__ == "__main__":
    main(*sys.argv[1:])
