class Transformer(nn.Module):
    def __init__(self, input_shape, num_outputs, width, depth, heads, activation, dropout):
        super().__init__()
        self.input = nn.Linear(math.prod(input_shape[1:]), width)
        self.encoder = Encoder(input_shape[0], width, depth, heads, activation)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, num_outputs)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        series = inputs.reshape(inputs.shape[0], inputs.shape[1], -1)
        return self.output(self.dropout(self.encoder(self.input(series)).mean(1)))
