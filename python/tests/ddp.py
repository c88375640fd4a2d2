"""A typical script with DistributedDataParallel, started once for each worker; it reports and saves."""

import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import crescendo

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

trial = crescendo.trial()
dist.init_process_group("gloo")
inputs = torch.randn(64, 4, generator=torch.Generator().manual_seed(1))
data = TensorDataset(inputs, inputs.sum(1, keepdim=True))
model = torch.nn.Linear(4, 1)
if trial.checkpoint:
    model.load_state_dict(torch.load(trial.checkpoint))
parallel = DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), lr=args.lr)
sampler = DistributedSampler(data)
for epoch in trial.epochs():
    sampler.set_epoch(epoch)
    for x, y in DataLoader(data, batch_size=8, sampler=sampler):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(parallel(x), y)
        loss.backward()
        optimizer.step()
    workers = dist.get_world_size()
    trial.report(loss=loss.item(), workers=workers, save=lambda path: torch.save(model.state_dict(), path))
dist.destroy_process_group()
