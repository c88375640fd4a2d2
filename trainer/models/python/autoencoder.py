"""A convolutional autoencoder, as crescendo-trainer trains it."""
import torch
from torch import nn


class Autoencoder(nn.Module):
    """Returns an image of shape `target_shape` per sample, flattened to one row."""

    def __init__(self, input_shape, target_shape, width, depth, latent, activation, dropout):
        super().__init__()
        self.activation = getattr(nn.functional, activation)
        self.depth = depth
        self.dropout = nn.Dropout(dropout)
        channels = input_shape[0] if len(input_shape) == 3 else 1
        for i in range(depth):
            self.add_module(f"down{i + 1}", nn.Conv2d(channels, width << i, 3, stride=2, padding=1))
            channels = width << i
        self.code = nn.Conv2d(channels, latent, 1)
        self.decode = nn.Conv2d(latent, channels, 3, padding=1)
        for i in range(depth, 0, -1):
            last = target_shape[0] if len(target_shape) == 3 else 1
            following = width << (i - 2) if i > 1 else last
            self.add_module(f"up{i}", nn.Conv2d(channels, following, 3, padding=1))
            channels = following

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs.unsqueeze(1) if inputs.dim() == 3 else inputs  # images without channels get one
        for i in range(self.depth):
            x = self.activation(self.get_submodule(f"down{i + 1}")(x))
        x = self.decode(self.dropout(self.code(x)))
        for i in range(self.depth, 0, -1):
            x = nn.functional.interpolate(self.activation(x), scale_factor=2, mode="nearest")
            x = self.get_submodule(f"up{i}")(x)
        return x.flatten(1)
