"""A network with norms, as crescendo-trainer trains it. Layers have torchvision's names."""
import math

import torch
from torch import nn


def make_norm(norm, channels, batch_norm=nn.BatchNorm2d):
    if norm in ("batch", "sync_batch"):  # they differ only in training, in a group of workers
        return batch_norm(channels)
    return nn.GroupNorm(math.gcd(channels, 8), channels) if norm == "group" else nn.Identity()
