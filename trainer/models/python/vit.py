class Vit(nn.Module):
    def __init__(self, input_shape, num_outputs, patch, width, depth, heads, activation, dropout):
        super().__init__()
        channels = input_shape[0] if len(input_shape) == 3 else 1
        num_patches = (input_shape[-2] // patch) * (input_shape[-1] // patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.conv_proj = nn.Conv2d(channels, width, patch, stride=patch)
        self.encoder = Encoder(1 + num_patches, width, depth, heads, activation)
        self.dropout = nn.Dropout(dropout)
        self.heads = nn.ModuleDict({"head": nn.Linear(width, num_outputs)})

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = inputs.unsqueeze(1) if inputs.dim() == 3 else inputs  # images without channels get one
        patches = self.conv_proj(x).flatten(2).transpose(1, 2)
        tokens = torch.cat((self.class_token.expand(len(x), -1, -1), patches), 1)
        return self.heads["head"](self.dropout(self.encoder(tokens)[:, 0]))
