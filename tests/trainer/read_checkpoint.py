"""Loads a checkpoint of the tests' small cnn as a user would."""

import json
import sys

import torch

checkpoint = torch.load(sys.argv[1])
assert type(checkpoint) is dict, type(checkpoint)

network = torch.nn.ModuleDict({
    "conv1": torch.nn.Conv2d(1, 4, 3, padding=1),
    "hidden": torch.nn.Linear(4 * 4 * 4, 32),
    "output": torch.nn.Linear(32, 4),
})
print(network.load_state_dict(checkpoint["model"]))

assert set(checkpoint["optimizer"]) == set(checkpoint["model"])
momentum = checkpoint["optimizer"]["conv1.weight"]["momentum_buffer"]
assert momentum.shape == checkpoint["model"]["conv1.weight"].shape
assert momentum.abs().sum() > 0
assert json.loads(checkpoint["progress"])["epoch"] == 1
assert json.loads(checkpoint["settings"])["model"] == "cnn"
