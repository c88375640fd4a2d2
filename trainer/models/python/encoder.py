"""A transformer, as crescendo-trainer trains it. The encoder's layers have torchvision's names."""
import math

import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, activation):
        super().__init__()
        self.activation = activation
        self.ln_1 = nn.LayerNorm(width, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.ModuleDict({"0": nn.Linear(width, 4 * width), "3": nn.Linear(4 * width, width)})

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.ln_1(tokens)
        x = tokens + self.self_attention(x, x, x, need_weights=False)[0]
        return x + self.mlp["3"](self.activation(self.mlp["0"](self.ln_2(x))))


class Encoder(nn.Module):
    def __init__(self, num_tokens, width, depth, heads, activation):
        super().__init__()
        activation = getattr(nn.functional, activation)
        self.pos_embedding = nn.Parameter(0.02 * torch.randn(1, num_tokens, width))
        self.layers = nn.ModuleDict(
            {f"encoder_layer_{i}": EncoderLayer(width, heads, activation) for i in range(depth)})
        self.ln = nn.LayerNorm(width, eps=1e-6)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = tokens + self.pos_embedding
        for layer in self.layers.values():
            x = layer(x)
        return self.ln(x)
