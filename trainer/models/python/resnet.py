def convolution(inputs, outputs, size, stride, norm):
    return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=norm == "none")


class Block(nn.Module):
    def __init__(self, inputs, channels, stride, bottleneck, norm, activation):
        super().__init__()
        self.activation = activation
        outputs = 4 * channels if bottleneck else channels
        if bottleneck:
            layers = [(inputs, channels, 1, 1), (channels, channels, 3, stride), (channels, outputs, 1, 1)]
        else:
            layers = [(inputs, channels, 3, stride), (channels, outputs, 3, 1)]
        self.num_layers = len(layers)
        for i, layer in enumerate(layers, start=1):
            self.add_module(f"conv{i}", convolution(*layer, norm))
            self.add_module(f"bn{i}", make_norm(norm, layer[1]))
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(convolution(inputs, outputs, 1, stride, norm), make_norm(norm, outputs))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs
        for i in range(1, self.num_layers + 1):
            x = self.get_submodule(f"bn{i}")(self.get_submodule(f"conv{i}")(x))
            if i < self.num_layers:
                x = self.activation(x)
        return self.activation(x + (inputs if self.downsample is None else self.downsample(inputs)))


class Resnet(nn.Module):
    def __init__(self, input_shape, num_outputs, num_blocks, bottleneck, width, stem, norm, activation, dropout):
        super().__init__()
        self.activation = getattr(nn.functional, activation)
        self.dropout = nn.Dropout(dropout)
        self.has_large_stem = stem == "large"
        channels = input_shape[0] if len(input_shape) == 3 else 1
        size, stride = (7, 2) if self.has_large_stem else (3, 1)
        self.conv1 = convolution(channels, width, size, stride, norm)
        self.bn1 = make_norm(norm, width)
        inputs = width
        for stage, number in enumerate(num_blocks):
            blocks = []
            for i in range(number):
                stride = 2 if i == 0 and stage > 0 else 1
                blocks.append(Block(inputs, width << stage, stride, bottleneck, norm, self.activation))
                inputs = (width << stage) * (4 if bottleneck else 1)
            self.add_module(f"layer{stage + 1}", nn.Sequential(*blocks))
        self.num_stages = len(num_blocks)
        self.fc = nn.Linear(inputs, num_outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs.unsqueeze(1) if inputs.dim() == 3 else inputs  # images without channels get one
        x = self.activation(self.bn1(self.conv1(x)))
        if self.has_large_stem:
            x = nn.functional.max_pool2d(x, kernel_size=3, stride=2, padding=1)
        for stage in range(self.num_stages):
            x = self.get_submodule(f"layer{stage + 1}")(x)
        return self.fc(self.dropout(x.mean((2, 3))))
