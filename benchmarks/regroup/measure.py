"""Times how a trial grows from one worker to two: in memory, by our restart from its checkpoint, by torchrun's.

Each time is from the decision to the end of the first step at the new width; the ways take turns in one run. Then a
model of 400 MB grows in memory, timed by phases, next to a copy of as many bytes through the loopback interface.

    python benchmarks/regroup/measure.py build/demo/fashion.h5
"""
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import QUICK, trainers  # noqa: E402

from crescendo.fake import Terms  # noqa: E402

TURNS = 1 if QUICK else 7
TRAIN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "throughput", "train_ddp.py")


def settings(data):
    return {"model": "cnn", "optimizer": "sgd", "lr": 0.01, "momentum": 0.9, "batch_size": 128,
            "data": {"train": f"{data}:/train"}}


def in_memory(crescendo, data, folder):
    """Trains an epoch on one worker, then lets the other join. The message comes some steps later, with the times."""
    terms = Terms(Path(folder), settings(data), checkpoint_at=1)
    crescendo.join([0], "new", terms)
    crescendo.expect(0, "regrouped")
    crescendo.expect(0, "report")
    terms.batch_multiple = 2
    crescendo.join([0, 1], "memory", terms)
    seconds = sum(crescendo.expect(0, "regrouped")["phases"].values())
    crescendo.leave([0, 1])
    return seconds


def our_restart(data, folder):
    """Times two new processes that continue from the trial's checkpoint."""
    decision = time.monotonic()
    terms = Terms(Path(folder), settings(data), batch_multiple=2)
    with trainers(2) as crescendo:
        crescendo.join([0, 1], "checkpoint", terms)
        # The checkpoint's report comes first, and gets an answer. The message comes right after the first step.
        crescendo.expect(0, "report")
        crescendo.go_on([0, 1], terms)
        regrouped = crescendo.expect(0, "regrouped")
        return next(at for at, _, message in crescendo.arrivals if message is regrouped) - decision


def torchrun_restart(data, folder):
    checkpoint = os.path.join(folder, "python.pt")
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    if not os.path.exists(checkpoint):
        subprocess.run([sys.executable, TRAIN, data, "--steps", "10", "--checkpoint", checkpoint], check=True,
                       env=environment, capture_output=True)
    decision = time.time()
    out = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", TRAIN, data,
                          "--steps", "1", "--checkpoint", checkpoint], check=True, env=environment, capture_output=True,
                         text=True).stdout
    return float(re.search(r"first step at ([\d.]+)", out).group(1)) - decision


def of_large_model(crescendo, data, folder):
    """Returns the phases of a regroup, and the bytes of state that it moved."""
    width, inputs, classes = (100 if QUICK else 9800), 784, 10
    numbers = (inputs + 1) * width + (width + 1) * width + (width + 1) * classes
    large = {"model": "mlp", "width": width, "depth": 2, "optimizer": "sgd", "lr": 1e-4, "batch_size": 8,
             "report": {"every": 1, "unit": "steps"}, "data": {"train": f"{data}:/train"}}
    terms = Terms(Path(folder), large)
    crescendo.join([0], "new", terms)
    crescendo.expect(0, "report")
    crescendo.expect(0, "regrouped")
    crescendo.join([0, 1], "memory", terms)
    phases = crescendo.expect(0, "regrouped")["phases"]
    crescendo.expect(0, "report")
    crescendo.leave([0, 1])
    return phases, 4 * numbers


def loopback_copy(num_bytes):
    """Returns the seconds in which a process receives this many bytes from another thread."""
    content, received = bytearray(num_bytes), memoryview(bytearray(num_bytes))
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as source, server.accept()[0] as sink:
            begin = time.perf_counter()
            sender = threading.Thread(target=source.sendall, args=(content,))
            sender.start()
            at = 0
            while at < num_bytes:
                at += sink.recv_into(received[at:])
            sender.join()
            return time.perf_counter() - begin


def print_large_model(data, folder):
    runs, copies = [], []
    with trainers(2) as crescendo:
        for turn in range(TURNS + 1):
            directory = os.path.join(folder, f"large-{turn}")
            os.mkdir(directory)
            phases, num_bytes = of_large_model(crescendo, data, directory)
            if turn > 0:  # each process has trained once, as in a sweep
                runs.append(phases)
                copies.append(loopback_copy(num_bytes))
    copy = statistics.median(copies)
    print(f"a model of {num_bytes / 1e6:.0f} MB; seconds, medians of {TURNS} turns")
    for phase in ("decide", "group", "state", "data", "step"):
        print(f"{phase:<16} {statistics.median(run.get(phase, 0) for run in runs):>8.3f}")
    regroup = statistics.median(run["group"] + run["state"] + run["data"] for run in runs)
    print(f"{'before the step':<16} {regroup:>8.3f}   0.1 s and twice its copy: {0.1 + 2 * copy:.3f}")


def main():
    data = os.path.abspath(sys.argv[1])
    ways = {"our restart": our_restart, "torchrun": torchrun_restart}
    if QUICK:
        del ways["torchrun"]  # throughput runs the same script
    times = {"in memory": [], **{way: [] for way in ways}}
    with tempfile.TemporaryDirectory() as folder:
        with trainers(2) as crescendo:
            in_memory(crescendo, data, folder)  # each process has trained once, as in a sweep
            for _ in range(TURNS):
                times["in memory"].append(in_memory(crescendo, data, folder))
                for way, restart in ways.items():
                    times[way].append(restart(data, folder))
        print_large_model(data, folder)
    print(f"{'1 -> 2 workers':<16} {'min':>8} {'median':>8} {'max':>8}   seconds, decision to end of first step, {TURNS} turns")
    for name, seconds in times.items():
        print(f"{name:<16} {min(seconds):>8.3f} {statistics.median(seconds):>8.3f} {max(seconds):>8.3f}")
    for name in ways:
        ratio = statistics.median(b / a for a, b in zip(times["in memory"], times[name]))
        print(f"in memory is {ratio:.0f} times faster than {name}")


if __name__ == "__main__":
    main()
