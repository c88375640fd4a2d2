"""The demo's CNN in Python PyTorch, data-parallel over Gloo: the baseline of measure.py and of ../regroup.

Started once a worker with torchrun's variables. Whole data set in memory, batches by index: the fastest way Python has.
"""
import argparse
import os
import time

import h5py
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("data", help="HDF5 file with /train/inputs and /train/targets")
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--batch", type=int, default=128, help="samples of one worker in a step")
parser.add_argument("--steps", type=int, default=0, help="end after so many steps")
parser.add_argument("--checkpoint", default="")
parser.add_argument("--tuned", action="store_true", help="channels-last tensors, and pooling before ReLU")
args = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(1)
rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
if world > 1:
    dist.init_process_group("gloo")

with h5py.File(args.data) as file:
    inputs = torch.from_numpy(file["/train/inputs"][:])
    targets = torch.from_numpy(file["/train/targets"][:]).long()

def activated_and_pooled():
    """In either order the result is the same, but after pooling ReLU has a quarter of the work."""
    return (nn.MaxPool2d(2), nn.ReLU()) if args.tuned else (nn.ReLU(), nn.MaxPool2d(2))


memory_format = torch.channels_last if args.tuned else torch.contiguous_format
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), *activated_and_pooled(),
    nn.Conv2d(16, 32, 3, padding=1), *activated_and_pooled(),
    nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10)).to(memory_format=memory_format)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
if args.checkpoint and os.path.exists(args.checkpoint):
    saved = torch.load(args.checkpoint)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
trained = DistributedDataParallel(model) if world > 1 else model
loss_function = nn.CrossEntropyLoss()

step = 0
for epoch in range(args.epochs):
    order = torch.randperm(len(inputs), generator=torch.Generator().manual_seed(epoch))
    begin = time.perf_counter()
    for at in range(0, len(order) - args.batch * world + 1, args.batch * world):
        mine = order[at + rank * args.batch:at + (rank + 1) * args.batch]
        x = inputs[mine].unsqueeze(1).float().div_(255).contiguous(memory_format=memory_format)
        optimizer.zero_grad()
        loss_function(trained(x), targets[mine]).backward()
        optimizer.step()
        step += 1
        if rank == 0 and step == 1:
            print(f"first step at {time.time():.6f}", flush=True)
        if args.steps and step == args.steps:
            break
    if rank == 0 and not args.steps:
        print(f"epoch {epoch}: {len(order) / (time.perf_counter() - begin):.0f} images/s", flush=True)
    if args.steps and step == args.steps:
        break

if rank == 0 and args.checkpoint:
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, args.checkpoint)
