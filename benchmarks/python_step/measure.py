"""Times a step of two workers with crescendo.torch's gradient average and with DistributedDataParallel, and the cost of
measuring the gradient noise.

All train the same network on the same images, and take turns in the same two processes. The interpreter needs torch.

    $(scripts/install.sh python) benchmarks/python_step/measure.py
    CRESCENDO_DEVICE=cuda python3 benchmarks/python_step/measure.py

On a GPU there is one worker. It does all the work of a group's member, except that its sums stay local, so it shows
what the average costs without the exchange.
"""
import os
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

HERE = Path(__file__).parent
QUICK = "--quick" in sys.argv  # small numbers, to check that it still runs
TURNS, STEPS = (2, 2) if QUICK else (24, 15)
sys.path[:0] = [str(HERE.parent.parent / "python"), str(HERE.parent / "python_regroup"), str(HERE.parent)]
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["GLOO_SOCKET_IFNAME"] = "lo"

import usage  # noqa: E402, F401, before imports that take seconds
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing  # noqa: E402
from crescendo.torch.gradients import GradientAverage  # noqa: E402
from crescendo.torch.group import Group  # noqa: E402
from crescendo.torch.noise_scale import EVERY  # noqa: E402
from grow import BATCH, images, labels, make_model  # noqa: E402
from torch import nn  # noqa: E402


def make_steps(rank, size, store):
    """A step of each kind, and the models that they train."""
    inputs, targets = images[rank * BATCH:(rank + 1) * BATCH], labels[rank * BATCH:(rank + 1) * BATCH]
    theirs, ours, measured = models = [make_model() for _ in range(3)]
    for each in (ours, measured):
        each.load_state_dict(theirs.state_dict())
    group = Group.meet(torch.device("cpu"), dist.PrefixStore("ours", store), rank, size, timedelta(seconds=60))

    def make_step(model, is_ours, is_measured):
        called = model if is_ours else nn.parallel.DistributedDataParallel(model)
        average = GradientAverage(list(model.parameters()), lambda collective: collective()) if is_ours else None
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

        def step():
            if average:
                average.expect(group, 0, 1, 1 / size, is_measured)
            optimizer.zero_grad()
            nn.functional.cross_entropy(called(inputs), targets).backward()
            optimizer.step()

        return step

    return [make_step(theirs, False, False), make_step(ours, True, False), make_step(measured, True, True)], models


def worker(rank, size, path):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    store = dist.FileStore(path, size)
    dist.init_process_group("gloo", store=dist.PrefixStore("theirs", store), rank=rank, world_size=size)
    steps, models = make_steps(rank, size, store)
    times = []
    for turn in range(TURNS + 1):  # the first does not count
        seconds = [0.0, 0.0, 0.0]
        for kind in (0, 1, 2) if turn % 2 else (2, 1, 0):
            dist.barrier()
            begin = time.perf_counter()
            for _ in range(STEPS):
                steps[kind]()
            seconds[kind] = (time.perf_counter() - begin) / STEPS
        times.append(seconds)
    if rank == 0:
        theirs, ours, _ = (statistics.median(each) * 1e3 for each in zip(*times[1:]))
        ratio = statistics.median(a / b for a, b, _ in times[1:])
        noise = statistics.median(c / b - 1 for _, b, c in times[1:]) / EVERY
        difference = max((a - b).abs().max().item() for a, b, _ in zip(*(model.parameters() for model in models)))
        print(f"a step of two workers, medians of {TURNS} turns: DistributedDataParallel {theirs:.1f} ms, "
              f"crescendo.torch {ours:.1f} ms, ratio {ratio:.2f}; weights differ by {difference}; measuring noise in "
              f"one step of {EVERY} adds {noise:.2%}")
    dist.destroy_process_group()


class OwnSums:
    """The backend of a group of two that has only this worker."""

    def allreduce(self, tensors):
        return dist.all_reduce(tensors[0], async_op=True)


def convolutions(width, depth):
    """Many small layers: each launches a few operations on a GPU."""
    def block(inputs):
        return nn.Sequential(nn.Conv2d(inputs, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
    return nn.Sequential(block(1), *(block(width) for _ in range(depth)), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(width, 10))


def step_on_gpu(kind, width, depth, batch):
    device = torch.device("cuda")
    torch.manual_seed(0)
    model = convolutions(width, depth).to(device)
    inputs, targets = torch.randn(batch, 1, 28, 28, device=device), torch.randint(10, (batch,), device=device)
    called = nn.parallel.DistributedDataParallel(model) if kind == "DistributedDataParallel" else model
    average = GradientAverage(list(model.parameters()), lambda collective: collective())
    group = Group(device, rank=0, size=2, backend=OwnSums())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        if kind == "crescendo.torch":
            average.expect(group, 0, 1, 0.5)
        optimizer.zero_grad()
        nn.functional.cross_entropy(called(inputs), targets).backward()
        optimizer.step()

    return step


def on_gpu():
    with tempfile.TemporaryDirectory() as folder:
        store = dist.FileStore(os.path.join(folder, "store"), 1)
        dist.init_process_group("nccl", store=store, rank=0, world_size=1, device_id=torch.device("cuda", 0))
        for width, depth, batch in ((16, 2, 128), (64, 40, 32)):
            times = {kind: [] for kind in ("alone", "DistributedDataParallel", "crescendo.torch")}
            steps = {kind: step_on_gpu(kind, width, depth, batch) for kind in times}
            for _ in range(TURNS // 4 + 1):
                for kind, step in steps.items():
                    torch.cuda.synchronize()
                    begin = time.perf_counter()
                    for _ in range(2 * STEPS):
                        step()
                    torch.cuda.synchronize()
                    times[kind].append((time.perf_counter() - begin) / (2 * STEPS))
            print(f"{depth + 1} convolutions of {width} channels, batch {batch}, medians of {TURNS // 4} turns: " +
                  ", ".join(f"{kind} {1e3 * statistics.median(each[1:]):.2f} ms" for kind, each in times.items()))
        dist.destroy_process_group()


if __name__ == "__main__" and os.environ.get("CRESCENDO_DEVICE") == "cuda":
    on_gpu()
elif __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(worker, (2, os.path.join(folder, "store")), nprocs=2)
