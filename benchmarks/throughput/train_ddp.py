"""Trains crescendo-trainer's networks in Python, data-parallel over Gloo: the baseline of measure.py and ../regroup.

Started once per worker with torchrun's variables. The whole data set is in the device's memory, and batches are taken
by index: the fastest way in Python.
The networks are those that `crescendo best --export` writes.
"""
import argparse
import json
import os
import time
import types

import h5py
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../trainer/models/python")

parser = argparse.ArgumentParser()
parser.add_argument("data", help="HDF5 file with /train/inputs and /train/targets")
parser.add_argument("--model", default="cnn")
parser.add_argument("--arguments", type=json.loads, default={}, help="arguments of the network")
parser.add_argument("--samples", type=int, default=None, help="use only this many samples, the first ones")
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--batch", type=int, default=128, help="samples of one worker in a step")
parser.add_argument("--steps", type=int, default=0, help="end after this many steps")
parser.add_argument("--checkpoint", default="")
parser.add_argument("--device", default="cpu", help="cpu, or cuda for one worker")
parser.add_argument("--tuned", action="store_true",
                    help="channels-last images; the cnn pools before ReLU; on GPUs CUDA graphs and a fused optimizer")
parser.add_argument("--compile", action="store_true", help="torch.compile, with its own CUDA graphs")
args = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
if world > 1:
    dist.init_process_group("gloo")

with h5py.File(args.data) as file:
    inputs = torch.from_numpy(file["/train/inputs"][:args.samples])
    targets = torch.from_numpy(file["/train/targets"][:args.samples])
classes = not targets.is_floating_point()
targets = (targets.long() if classes else targets.flatten(1)).to(args.device)
inputs = inputs.to(args.device)
on_gpu = args.device != "cpu"


def of_source(names, network, **arguments):
    module = types.ModuleType("network")
    code = "\n\n".join(open(os.path.join(SOURCES, name + ".py"), encoding="utf-8").read() for name in names)
    exec(code, vars(module))
    return getattr(module, network)(tuple(inputs.shape[1:]), **arguments, dropout=0)


def small_cnn():
    """The demo's CNN. Both orders give the same result, but after pooling ReLU has a quarter of the work."""
    def activated_and_pooled():
        return (nn.MaxPool2d(2), nn.ReLU()) if args.tuned else (nn.ReLU(), nn.MaxPool2d(2))

    return nn.Sequential(
        nn.Unflatten(1, (1, 28)),
        nn.Conv2d(1, 16, 3, padding=1), *activated_and_pooled(),
        nn.Conv2d(16, 32, 3, padding=1), *activated_and_pooled(),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10))


more = args.arguments
image = tuple(inputs.shape[1:])
model = {
    "cnn": small_cnn,
    "mlp": lambda: of_source(["mlp"], "Mlp", num_outputs=10, activation="relu", embeddings=[], **more),
    "autoencoder": lambda: of_source(["autoencoder"], "Autoencoder", target_shape=image, activation="relu", **more),
    "resnet18": lambda: of_source(["norms", "resnet"], "Resnet", num_outputs=10, num_blocks=[2, 2, 2, 2],
                                  bottleneck=False, stem="small", norm="batch", activation="relu", **more),
    "unet": lambda: of_source(["norms", "unet"], "Unet", target_shape=image, norm="batch", activation="relu", **more),
    "transformer": lambda: of_source(["encoder", "transformer"], "Transformer", num_outputs=10, activation="gelu",
                                     **more),
}[args.model]().to(args.device)
if args.tuned:
    model = model.to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=args.tuned and on_gpu)
if args.checkpoint and os.path.exists(args.checkpoint):
    saved = torch.load(args.checkpoint)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
trained = DistributedDataParallel(model) if world > 1 else model
if args.tuned and on_gpu and not args.compile:
    example = inputs[:args.batch]
    trained = torch.cuda.make_graphed_callables(model, (example if example.is_floating_point() else example.float(),))
if args.compile:
    trained = torch.compile(trained, mode="reduce-overhead" if on_gpu else "default")
loss_function = nn.CrossEntropyLoss() if classes else nn.MSELoss()

step = 0
for epoch in range(args.epochs):
    order = torch.randperm(len(inputs), generator=torch.Generator().manual_seed(epoch)).to(args.device)
    begin = time.perf_counter()
    for at in range(0, len(order) - args.batch * world + 1, args.batch * world):
        mine = order[at + rank * args.batch:at + (rank + 1) * args.batch]
        x = inputs[mine] if inputs.is_floating_point() else inputs[mine].float().div_(255)
        optimizer.zero_grad()
        loss_function(trained(x), targets[mine]).backward()
        optimizer.step()
        step += 1
        if rank == 0 and step == 1:
            print(f"first step at {time.time():.6f}", flush=True)
        if args.steps and step == args.steps:
            break
    if on_gpu:
        torch.cuda.synchronize()
    if rank == 0 and not args.steps:
        print(f"epoch {epoch}: {len(order) / (time.perf_counter() - begin):.1f} samples/s", flush=True)
    if args.steps and step == args.steps:
        break

if rank == 0 and args.checkpoint:
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, args.checkpoint)
