def convolution(inputs, outputs, time, space, stride_of_time, stride_of_space, norm):
    return nn.Conv3d(inputs, outputs, (time, space, space), stride=(stride_of_time, stride_of_space, stride_of_space),
                     padding=(time // 2, space // 2, space // 2), bias=norm == "none")


class Activation(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.function = getattr(nn.functional, name)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, factorized, kernel_size, norm, activation):
        super().__init__()
        k = kernel_size
        between = max(1, inputs * outputs * k * k * k // (inputs * k * k + k * outputs))

        def normed(channels, by):
            layer = convolution(channels, outputs, k, k, by, by, norm)
            if factorized:
                layer = nn.Sequential(convolution(channels, between, 1, k, 1, by, norm),
                                      make_norm(norm, between, nn.BatchNorm3d), Activation(activation),
                                      convolution(between, outputs, k, 1, by, 1, norm))
            return nn.Sequential(layer, make_norm(norm, outputs, nn.BatchNorm3d))

        self.activation = Activation(activation)
        self.conv1 = normed(inputs, stride)
        self.conv2 = normed(outputs, 1)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(convolution(inputs, outputs, 1, 1, stride, stride, norm),
                                            make_norm(norm, outputs, nn.BatchNorm3d))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = self.conv2(self.activation(self.conv1(inputs)))
        return self.activation(x + (inputs if self.downsample is None else self.downsample(inputs)))


class VideoNetwork(nn.Module):
    def __init__(self, input_shape, num_outputs, factorized, width, depth, kernel_size, stem, norm, activation,
                 dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        channels = input_shape[1] if len(input_shape) == 4 else 1
        size, stride = (7, 2) if stem == "large" else (3, 1)
        between = max(1, width * 45 // 64)
        layers = [convolution(channels, width, 3, size, 1, stride, norm)]
        if factorized:
            layers = [convolution(channels, between, 1, size, 1, stride, norm),
                      make_norm(norm, between, nn.BatchNorm3d), Activation(activation),
                      convolution(between, width, 3, 1, 1, 1, norm)]
        self.stem = nn.Sequential(*layers, make_norm(norm, width, nn.BatchNorm3d), Activation(activation))
        inputs = width
        for stage in range(4):
            blocks = []
            for i in range(depth):
                blocks.append(Block(inputs, width << stage, 2 if i == 0 and stage > 0 else 1, factorized, kernel_size,
                                    norm, activation))
                inputs = width << stage
            self.add_module(f"layer{stage + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(inputs, num_outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        # (samples, frames, height, width), or with channels after the frames; torch wants channels first
        x = self.stem(inputs.unsqueeze(1) if inputs.dim() == 4 else inputs.transpose(1, 2))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.dropout(x.mean((2, 3, 4))))
