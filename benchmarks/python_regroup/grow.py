"""The network of benchmarks/throughput in PyTorch, as a program that grows, and as one that torchrun restarts.

    grow.py                             a warm trainer, which measure.py starts
    grow.py --restart CHECKPOINT        under torchrun: continues from the checkpoint, makes one step, prints the time
"""
import sys
import time

import torch
import torch.distributed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import crescendo.torch

BATCH = 128
# As many images as in an epoch of 100 steps of Fashion-MNIST; their content does not matter.
images, labels = torch.rand(100 * BATCH, 1, 28, 28), torch.randint(10, (100 * BATCH,))


def make_model():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10))


def train(trial):
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    trial.attach(model=model, optimizer=optimizer)
    loader = DataLoader(TensorDataset(images[:4 * BATCH], labels[:4 * BATCH]), batch_size=BATCH, shuffle=True)
    for _ in trial.epochs():
        for x, y in trial.batches(loader):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        trial.report(loss=loss.item())


def restart(checkpoint):
    """Does what a script does whose group changes by a restart."""
    torch.distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    state = torch.load(checkpoint)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    model = nn.parallel.DistributedDataParallel(model)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images[:BATCH]), labels[:BATCH]).backward()
    optimizer.step()
    if torch.distributed.get_rank() == 0:
        print(f"first step at {time.time()}", flush=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--restart":
        restart(sys.argv[2])
    else:
        crescendo.torch.run(train)
