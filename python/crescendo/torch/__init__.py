"""For PyTorch programs that grow in memory: from one worker to many while they train, without a restart.

::

    def train(trial):
        model = Net(trial.args.width)
        optimizer = torch.optim.SGD(model.parameters(), lr=trial.args.lr)
        trial.attach(model=model, optimizer=optimizer)
        for epoch in trial.epochs():
            for x, y in trial.batches(loader):
                optimizer.zero_grad()
                loss(model(x), y).backward()
                optimizer.step()
            trial.report(val_loss=validate(model))

    if __name__ == "__main__":
        crescendo.torch.run(train, parser)

docs/your-own-program.md is the guide.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import sys
import threading
import time
from datetime import timedelta
from typing import Any, List, Optional

import torch
import torch.distributed

if [int(number) for number in torch.__version__.split(".")[:2]] < [2, 6]:
    raise ImportError(f"crescendo.torch needs torch 2.6 or later, but this is {torch.__version__}; upgrade torch")

import crescendo
from crescendo.protocol import Channel, Pulse, end_with_parent, inherited_socket
from crescendo.torch import settings
from crescendo.torch.alone import Alone, Tested
from crescendo.torch.error_words import explained
from crescendo.torch.group import Group
from crescendo.torch.leftovers import Generators, Settings
from crescendo.torch.session import NO_TEST, Session, Test, Train, metrics_of_test
from crescendo.torch.store import ControlStore
from crescendo.torch.trial import Trial, seed_python

__all__ = ["Trial", "run"]

if "CRESCENDO_FD" in os.environ:
    # What the program draws before it calls run(), such as a split of its data, must be the same on each worker.
    torch.manual_seed(0)
    seed_python(0)


def run(
    train: Train,
    parser: Optional[argparse.ArgumentParser] = None,
    *,
    test: Optional[Test] = None,
    checkpoint_every: float = 600.0,
) -> None:
    """Trains: as a warm trainer if crescendo started this program, else once, with the command line's arguments.

    `parser` reads the arguments, which become `trial.args`. In a sweep, they are the words of `command:` and the
    trial's parameters. A program that reads its arguments in another way passes no parser, and finds them in
    `sys.argv`. `test` returns metrics of the trial's model on test data. It attaches only the model; outside a sweep,
    it is called after `train`. A checkpoint is written every `checkpoint_every` seconds (less often if saving would
    take more than 1 % of the time), and whenever crescendo wants one.

    What the program loads before this call, such as data, is loaded once per process and serves all trials. So it must
    be the same in all processes. Create what a trial trains inside `train`.
    """
    words = sys.argv[1:]
    if words == ["--version"]:
        print(crescendo.__version__)
    elif words[-1:] == ["--check"]:
        request = json.load(sys.stdin)
        problems = settings.check(parser, request, words[:-1])
        if request.get("final_test") and test is None:
            problems.append({"key": "final_test", "message": f"is on, but {NO_TEST}, or remove the key"})
        print(json.dumps({"problems": problems}))
    elif words[-3:-2] == ["--check-group"]:
        _check_group(int(words[-2]), int(words[-1]))
    elif "CRESCENDO_FD" in os.environ:
        sys.exit(_serve(train, parser, test, checkpoint_every))
    else:
        _train_alone(train, parser, words, test)
        return
    sys.exit(0)  # code after the call is for runs by hand; its output would be taken for the answer


def _train_alone(
    train: Train, parser: Optional[argparse.ArgumentParser], words: List[str], test: Optional[Test]
) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def trial_of(control: Alone) -> Trial:
        args = parser.parse_args(words) if parser else settings.Parameters()
        return Trial(control, args, device=device, number=0, seed=torch.initial_seed(), directory=None)

    noted = (Settings(), Generators())
    trial = trial_of(Alone(device))
    with explained():
        train(trial)
    if test is None or trial._replica is None:
        return
    # Tests as a sweep does at its end, so that a mistake shows before a sweep: with only the state, in a process that
    # is reset to how `train` found it.
    state, order = trial._replica.capture(), {"trial": trial.number, "resource": trial._replica.progress.epoch}
    del trial
    for each in noted:
        each.restore()
    metrics = metrics_of_test(test(trial_of(Tested(state, order, device))))
    print("test:", ", ".join(f"{name} {value}" for name, value in metrics.items()), flush=True)


def _serve(train: Train, parser: Optional[argparse.ArgumentParser], test: Optional[Test], every: float) -> int:
    end_with_parent()
    _pass_over_warnings()
    channel = _channel()
    Pulse(channel).start()
    device = _device()
    _leave_memory_to_others(device)
    torch.set_num_threads(int(os.environ.get("CRESCENDO_THREADS", 1)))
    _warm_up(device)
    gc.collect()
    gc.freeze()  # imported objects stay: later collections need not visit them
    arguments = settings.Arguments(parser, sys.argv[1:])
    session = Session(channel, device, arguments=arguments, timeout=_timeout(), checkpoint_every=every)
    return session.run(train, test)


def _pass_over_warnings() -> None:
    """Ignores a batch system's warning signals, which reach every process of the job. Crescendo decides what to do."""
    for warning in (signal.SIGUSR2, signal.SIGINT):
        signal.signal(warning, signal.SIG_IGN)
    # Programs use SIGTERM to end their child processes, such as those of a multiprocessing.Pool, and children inherit
    # an ignored signal. So SIGTERM gets a handler instead: exec removes it, and the fork hooks below remove it in
    # forked children.
    signal.signal(signal.SIGTERM, _do_nothing)
    signal.siginterrupt(signal.SIGTERM, False)
    masks = threading.local()

    def hold() -> None:  # blocks SIGTERM until the child has removed the handler
        masks.before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def release() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, masks.before)

    def release_child() -> None:
        if signal.getsignal(signal.SIGTERM) is _do_nothing:  # not the program's own handler
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        release()

    os.register_at_fork(before=hold, after_in_parent=release, after_in_child=release_child)


def _do_nothing(number: int, frame: Any) -> None:
    pass


def _check_group(rank: int, size: int) -> None:
    channel = _channel()
    begin = time.monotonic()
    store = ControlStore(channel, 0, 0, _timeout())
    group = Group.meet(_device(), store, rank, size, _timeout())
    total = group.sum([rank + 1.0])[0]
    seconds = time.monotonic() - begin
    channel.send(type="group_checked", sum=total, backend=group.backend_name, seconds=seconds)
    channel.wait()  # until the channel closes, once all members have the sum


def _channel() -> Channel:
    connected = inherited_socket()
    if connected is None:
        raise RuntimeError(
            "a process that the program started called crescendo.torch.run(); call it under if __name__ == "
            "'__main__':, so that data loader processes, which import the script, skip it"
        )
    return Channel(connected)


def _device() -> torch.device:
    return torch.device("cuda:0" if os.environ.get("CRESCENDO_DEVICE") == "cuda" else "cpu")


def _leave_memory_to_others(device: torch.device) -> None:
    """Limits this worker's memory on a shared GPU: a worker that needs more than its share fails, not its
    neighbours."""
    workers = int(os.environ.get("CRESCENDO_GPU_SHARE", 1))
    if device.type == "cuda" and workers > 1:
        torch.cuda.set_per_process_memory_fraction(1 / workers, device)


def _timeout() -> timedelta:
    return timedelta(seconds=int(os.environ.get("CRESCENDO_GROUP_TIMEOUT", 60)))


def _warm_up(device: torch.device) -> None:
    """Makes a first step, group and DataLoader before a trial needs the process. These take seconds, because they load
    code."""
    layers = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8, 2)
    ).to(device)
    data = torch.utils.data.TensorDataset(torch.zeros(4, 1, 4, 4), torch.zeros(4, dtype=torch.long))
    for optimizer in (torch.optim.SGD(layers.parameters(), momentum=0.9), torch.optim.Adam(layers.parameters())):
        for inputs, targets in torch.utils.data.DataLoader(data, batch_size=2):
            torch.nn.functional.cross_entropy(layers(inputs.to(device)), targets.to(device)).backward()
            optimizer.step()
    group = Group.meet(device, torch.distributed.HashStore(), rank=0, size=1, timeout=timedelta(seconds=60))
    group.finish(group.start_sum(torch.zeros(4, device=device)))
    group.close()
