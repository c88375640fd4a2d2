class DoubleConvolution(nn.Module):
    def __init__(self, inputs, outputs, norm, activation):
        super().__init__()
        self.activation = activation
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1, bias=norm == "none")
        self.norm1 = make_norm(norm, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=norm == "none")
        self.norm2 = make_norm(norm, outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = self.activation(self.norm1(self.conv1(inputs)))
        return self.activation(self.norm2(self.conv2(x)))


class Unet(nn.Module):
    def __init__(self, input_shape, target_shape, width, depth, norm, activation, dropout):
        super().__init__()
        activation = getattr(nn.functional, activation)
        self.depth = depth
        self.dropout = nn.Dropout(dropout)
        inputs = input_shape[0] if len(input_shape) == 3 else 1
        for i in range(depth + 1):
            self.add_module(f"down{i}", DoubleConvolution(inputs, width << i, norm, activation))
            inputs = width << i
        for i in range(depth, 0, -1):
            outputs = width << (i - 1)
            self.add_module(f"wider{i}", nn.ConvTranspose2d(2 * outputs, outputs, 2, stride=2))
            self.add_module(f"up{i}", DoubleConvolution(2 * outputs, outputs, norm, activation))
        self.output = nn.Conv2d(width, target_shape[0] if len(target_shape) == 3 else 1, 1)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs.unsqueeze(1) if inputs.dim() == 3 else inputs  # images without channels get one
        x = self.down0(x)
        passed = []
        for i in range(1, self.depth + 1):
            passed.append(x)
            x = self.get_submodule(f"down{i}")(nn.functional.max_pool2d(x, 2))
        x = self.dropout(x)
        for i in range(self.depth, 0, -1):
            x = torch.cat((passed[i - 1], self.get_submodule(f"wider{i}")(x)), 1)
            x = self.get_submodule(f"up{i}")(x)
        return self.output(x).flatten(1)
