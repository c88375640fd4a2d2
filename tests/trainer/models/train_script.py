"""Saves a network as TorchScript, and trains it as Python does.

usage: train_script.py FOLDER

Writes net.pt, then trains 100 steps on the samples of FOLDER/samples.pt in their order, and writes the loss of each
step to curve.json.
"""
import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = 0.1
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.output = nn.Linear(4 * 4 * 4, 4)

    def forward(self, x):
        x = F.leaky_relu(self.norm(self.conv(x.unsqueeze(1))), self.slope)
        return self.output(F.max_pool2d(x, 2).flatten(1))


folder = Path(sys.argv[1])
torch.manual_seed(1)
torch.set_num_threads(1)
net = Net()
torch.jit.script(net).save(str(folder / "net.pt"))

net.slope = 0.2
samples = torch.load(folder / "samples.pt")
inputs, targets = samples["inputs"].split(8), samples["targets"].split(8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
curve = []
for step in range(100):
    loss = F.cross_entropy(net(inputs[step % len(inputs)]), targets[step % len(targets)])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    curve.append(loss.item())
(folder / "curve.json").write_text(json.dumps(curve))
