"""A trial goes from one worker to two: in memory, by our own restart from its checkpoint, by torchrun's.

Each is timed from the decision to the end of the first step at the new width, in turn in one run.

    python benchmarks/regroup/measure.py build/demo/fashion.h5
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import QUICK, Node  # noqa: E402

TURNS = 1 if QUICK else 7
TRAIN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "throughput", "train_ddp.py")


def settings(data):
    return {"model": "cnn", "optimizer": "sgd", "lr": 0.01, "momentum": 0.9, "batch_size": 128,
            "data": {"train": f"{data}:/train"}}


def first_step_done(regrouped):
    """The message comes some steps later, to say how long these took."""
    return regrouped["received"] - 8 * regrouped.get("step_seconds", 0)


def in_memory(node, data, folder, generation):
    """One worker trains an epoch; then the other joins it."""
    node.join(node.trainers[:1], settings(data), folder, generation, "new")
    node.expect("regrouped")
    node.expect("report")
    decision = time.perf_counter()
    node.join(node.trainers, settings(data), folder, generation + 1, "memory", batch_multiple=2)
    seconds = first_step_done(node.expect("regrouped")) - decision
    for trainer in node.trainers:
        trainer.send(type="leave", trial=0, save=False)
    for trainer in node.trainers:
        node.expect("left", trainer)
    return seconds


def our_restart(data, folder):
    """Two new processes take up the checkpoint that the trial has left."""
    decision = time.perf_counter()
    node = Node(2)
    try:
        node.join(node.trainers, settings(data), folder, 0, "checkpoint", batch_multiple=2)
        # The checkpoint's own report comes first and is answered.
        node.expect("report")
        for trainer in node.trainers:
            trainer.send(type="decision", trial=0, decision="continue", batch_multiple=2, checkpoint_at=1000)
        return first_step_done(node.expect("regrouped")) - decision
    finally:
        node.close()


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


def main():
    data = os.path.abspath(sys.argv[1])
    ways = {"our restart": our_restart, "torchrun": torchrun_restart}
    if QUICK:
        del ways["torchrun"]  # throughput runs the same script
    times = {"in memory": [], **{way: [] for way in ways}}
    with tempfile.TemporaryDirectory() as folder:
        node = Node(2)
        in_memory(node, data, folder, 0)  # each process has trained once, as in a sweep
        for turn in range(1, TURNS + 1):
            times["in memory"].append(in_memory(node, data, folder, 2 * turn))
            for way, restart in ways.items():
                times[way].append(restart(data, folder))
        node.close()
    print(f"{'1 -> 2 workers':<16} {'min':>8} {'median':>8} {'max':>8}   seconds, decision to end of first step, {TURNS} turns")
    for name, seconds in times.items():
        print(f"{name:<16} {min(seconds):>8.3f} {statistics.median(seconds):>8.3f} {max(seconds):>8.3f}")
    for name in ways:
        ratio = statistics.median(b / a for a, b in zip(times["in memory"], times[name]))
        print(f"in memory is {ratio:.0f} times faster than {name}")


if __name__ == "__main__":
    main()
