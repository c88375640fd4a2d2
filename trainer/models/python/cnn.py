"""A convolutional network that halves height and width with each layer, as crescendo-trainer trains it."""
import torch
from torch import nn


class Cnn(nn.Module):
    def __init__(self, input_shape, num_outputs, width, depth, kernel_size, activation, dropout):
        super().__init__()
        self.activation = getattr(nn.functional, activation)
        self.depth = depth
        self.dropout = nn.Dropout(dropout)
        height, image_width = input_shape[-2:]
        channels = input_shape[0] if len(input_shape) == 3 else 1
        for i in range(depth):
            self.add_module(f"conv{i + 1}", nn.Conv2d(channels, width << i, kernel_size, padding=kernel_size // 2))
            channels = width << i
        self.hidden = nn.Linear(channels * (height >> depth) * (image_width >> depth), 8 * width)
        self.output = nn.Linear(8 * width, num_outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs.unsqueeze(1) if inputs.dim() == 3 else inputs  # images without channels get one
        for i in range(self.depth):
            x = nn.functional.max_pool2d(self.activation(self.get_submodule(f"conv{i + 1}")(x)), 2)
        return self.output(self.dropout(self.activation(self.hidden(x.flatten(1)))))
