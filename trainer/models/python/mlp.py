"""A multilayer perceptron, as crescendo-trainer trains it."""
import math

import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, input_shape, num_outputs, width, depth, activation, dropout, embeddings):
        super().__init__()
        self.activation = getattr(nn.functional, activation)
        self.depth = depth
        self.dropout = nn.Dropout(dropout)
        features = math.prod(input_shape)
        self.embeddings = embeddings  # for columns with category codes: [column, categories, width]
        for column, categories, size in embeddings:
            self.add_module(f"embedding{column}", nn.Embedding(categories + 1, size))
            features += size - 1
        for i in range(depth):
            self.add_module(f"hidden{i + 1}", nn.Linear(features, width))
            features = width
        self.output = nn.Linear(features, num_outputs)

    def with_vectors(self, rows: torch.Tensor) -> torch.Tensor:
        """Replaces codes with their vectors. Numbers that are not a code get the last vector."""
        parts, begin = [], 0
        for column, categories, _ in self.embeddings:
            codes = rows[:, column]
            known = (codes >= 0) & (codes < categories) & (codes == codes.floor())
            codes = torch.where(known, codes, float(categories)).long()
            parts += [rows[:, begin:column], self.get_submodule(f"embedding{column}")(codes)]
            begin = column + 1
        return torch.cat([*parts, rows[:, begin:]], 1)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = self.with_vectors(inputs.flatten(1))
        for i in range(self.depth):
            x = self.dropout(self.activation(self.get_submodule(f"hidden{i + 1}")(x)))
        return self.output(x)
