"""A recurrent network over a series, as crescendo-trainer trains it."""
import math

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, kind, input_shape, num_outputs, width, depth, bidirectional, dropout):
        super().__init__()
        self.width = width
        self.bidirectional = bidirectional
        self.dropout = nn.Dropout(dropout)
        self.layers = getattr(nn, kind)(
            math.prod(input_shape[1:]), width, depth, bidirectional=bidirectional, batch_first=True)
        self.output = nn.Linear((2 if bidirectional else 1) * width, num_outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        steps, _ = self.layers(inputs.reshape(inputs.shape[0], inputs.shape[1], -1))
        last = steps[:, -1]
        if self.bidirectional:  # the backward pass ends at the first step
            last = torch.cat((last[:, :self.width], steps[:, 0, self.width:]), 1)
        return self.output(self.dropout(last))
