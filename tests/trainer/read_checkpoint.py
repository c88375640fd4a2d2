"""Loads a checkpoint of the tests' small CNN, or of their model with buffers, as a user would."""

import json
import sys

import torch

checkpoint = torch.load(sys.argv[1])
assert type(checkpoint) is dict, type(checkpoint)

model = json.loads(checkpoint["settings"])["model"]
network = torch.nn.ModuleDict({
    "conv1": torch.nn.Conv2d(1, 4, 3, padding=1),
    "hidden": torch.nn.Linear(4 * 4 * 4, 32),
    "output": torch.nn.Linear(32, 4),
} if model == "cnn" else {
    "conv": torch.nn.Conv2d(1, 4, 3, padding=1),
    "norm": torch.nn.BatchNorm2d(4),
    "output": torch.nn.Linear(4 * 8 * 8, 4),
})
print(network.load_state_dict(checkpoint["model"]))
if model == "normed":
    assert network["norm"].num_batches_tracked.item() == 12  # 96 samples / batches of 8
    assert network["norm"].running_mean.abs().sum() > 0

assert set(checkpoint["optimizer"]) == {name for name, _ in network.named_parameters()}
momentum = checkpoint["optimizer"]["output.weight"]["momentum_buffer"]
assert momentum.shape == checkpoint["model"]["output.weight"].shape
assert momentum.abs().sum() > 0
assert json.loads(checkpoint["progress"])["epoch"] == 1
