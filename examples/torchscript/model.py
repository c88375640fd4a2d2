"""Saves your own network as TorchScript for crescendo-trainer.

usage: model.py FILE.pt [CHANNELS]
"""
import sys

import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.slope = 0.01  # a plain attribute: `constants.slope` of a sweep file sets it
        self.share = 0.2
        self.conv1 = nn.Conv2d(1, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, 2 * channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(2 * channels)
        self.output = nn.Linear(2 * channels * 7 * 7, 10)

    def forward(self, x):
        x = x.unsqueeze(1)  # samples come as they are stored: height x width
        x = F.max_pool2d(F.leaky_relu(self.norm1(self.conv1(x)), self.slope), 2)
        x = F.max_pool2d(F.leaky_relu(self.norm2(self.conv2(x)), self.slope), 2)
        x = F.dropout(x.flatten(1), self.share, self.training)
        return self.output(x)


torch.manual_seed(1)
torch.jit.script(Net(int(sys.argv[2]) if len(sys.argv) > 2 else 8)).save(sys.argv[1])
