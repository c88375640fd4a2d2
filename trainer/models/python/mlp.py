"""A multilayer perceptron, as crescendo-trainer trains it."""
import math

import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, input_shape, num_outputs, width, depth, activation, dropout):
        super().__init__()
        self.activation = getattr(nn.functional, activation)
        self.depth = depth
        self.dropout = nn.Dropout(dropout)
        features = math.prod(input_shape)
        for i in range(depth):
            self.add_module(f"hidden{i + 1}", nn.Linear(features, width))
            features = width
        self.output = nn.Linear(features, num_outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs.flatten(1)
        for i in range(self.depth):
            x = self.dropout(self.activation(self.get_submodule(f"hidden{i + 1}")(x)))
        return self.output(x)
