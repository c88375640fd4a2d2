#!/usr/bin/env python3
"""A Hugging Face accelerate loop that restarts with more workers: the spirals of plain.py."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

import crescendo
from plain import nn, parser, training, validate

args = parser.parse_args()
accelerator = Accelerator(cpu=not torch.cuda.is_available())  # finds the group through torchrun's variables
trial = crescendo.trial()
model = nn.Sequential(nn.Linear(2, args.width), nn.ReLU(), nn.Linear(args.width, args.width), nn.ReLU(),
                      nn.Linear(args.width, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
batch_size = args.batch_size * trial.batch_multiple // accelerator.num_processes
loader = DataLoader(TensorDataset(*training), batch_size=batch_size, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
if trial.checkpoint:
    accelerator.load_state(trial.checkpoint)
for epoch in trial.epochs(args.epochs):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        accelerator.backward(nn.functional.cross_entropy(model(x), y))
        optimizer.step()
    trial.report(val_accuracy=validate(model, accelerator.device), save=accelerator.save_state)
