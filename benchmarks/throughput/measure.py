"""Training throughput, ours against Python PyTorch from the same wheel: one worker, two workers, in turn in one run.

    $PYTHON benchmarks/throughput/measure.py build/demo/fashion.h5

Python has two rows: as people write it, and tuned as a good engineer would tune it for CPUs.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import QUICK, Node  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH, EPOCHS, TURNS = 128, 1 if QUICK else 2, 1 if QUICK else 3


def ours(data, workers):
    """images/s of the last epoch, from the trainer's own log."""
    settings = {"model": "cnn", "optimizer": "sgd", "lr": 0.01, "momentum": 0.9, "batch_size": BATCH,
                "data": {"train": f"{data}:/train"}}
    with tempfile.TemporaryDirectory() as folder:
        node = Node(workers)
        try:
            node.join(node.trainers, settings, folder, 0, "new", batch_multiple=workers, checkpoint_at=1000)
            for epoch in range(1, EPOCHS + 1):
                node.expect("report")
                if epoch < EPOCHS:
                    for trainer in node.trainers:
                        trainer.send(type="decision", trial=0, decision="continue", batch_multiple=workers,
                                     checkpoint_at=1000)
            log = open(os.path.join(folder, "trainer.log")).read()
        finally:
            node.close()
    return float(re.findall(r"([\d.]+) samples/s", log)[-1])


def python(data, workers, tuned):
    command = [sys.executable, os.path.join(HERE, "train_ddp.py"), data, "--batch", str(BATCH), "--epochs", str(EPOCHS)]
    env = dict(os.environ, OMP_NUM_THREADS="1")
    if tuned:
        command.append("--tuned")
        # Memory is kept between steps, as mallopt() in trainer/main.cpp does.
        env |= {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str((1 << 31) - 1)}
    if workers > 1:
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={workers}"] + command[1:]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout
    return float(re.findall(r"(\d+) images/s", out)[-1])


def main():
    data = os.path.abspath(sys.argv[1])
    print(f"{'workers':>8} {'ours':>10} {'plain':>10} {'ratio':>7} {'tuned':>10} {'ratio':>7}   "
          f"images/s, median of {TURNS} turns")
    for workers in (1,) if QUICK else (1, 2):
        turns = [(ours(data, workers), python(data, workers, False), python(data, workers, True)) for _ in range(TURNS)]
        our, plain, tuned = (statistics.median(each) for each in zip(*turns))
        over_plain = statistics.median(a / b for a, b, _ in turns)
        over_tuned = statistics.median(a / c for a, _, c in turns)
        print(f"{workers:>8} {our:>10.0f} {plain:>10.0f} {over_plain:>7.2f} {tuned:>10.0f} {over_tuned:>7.2f}",
              flush=True)


if __name__ == "__main__":
    main()
