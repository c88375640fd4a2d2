"""A network with norms, as crescendo-trainer trains it. Layers have the names of torchvision's network of this kind."""
import math

import torch
from torch import nn


def make_norm(norm, channels, batch_norm=nn.BatchNorm2d):
    if norm in ("batch", "sync_batch"):  # they differ in training, and only in a group of workers
        return batch_norm(channels)
    return nn.GroupNorm(math.gcd(channels, 8), channels) if norm == "group" else nn.Identity()
