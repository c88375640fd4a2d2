"""Compares our training throughput with Python's, from the same PyTorch wheel: one and two workers, in turn in one run.

    $PYTHON benchmarks/throughput/measure.py build/demo/fashion.h5
    $PYTHON benchmarks/throughput/measure.py build/demo/fashion.h5 resnet18 unet
    CRESCENDO_DEVICE=cuda $PYTHON benchmarks/throughput/measure.py build/demo/fashion.h5       # one worker on a GPU
    … --no-compile                                                             # no torch.compile, a minute per model
    … --turns 9                                                                # instead of three, for noisy machines

Python has three rows: as people write it, and tuned as a good engineer would, without and with torch.compile.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import QUICK, trainers  # noqa: E402

from crescendo.fake import Terms  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
GPU = os.environ.get("CRESCENDO_DEVICE") == "cuda"
EPOCHS = 1 if QUICK else 6 if GPU else 2
# For each model: its settings, samples per epoch, and samples per worker and step. The last of EPOCHS counts.
MODELS = {
    "cnn": ({"width": 16, "depth": 2}, 24576, 128),
    "mlp": ({"width": 512, "depth": 2}, 24576, 128),
    "autoencoder": ({"width": 16, "depth": 2, "latent": 8}, 8192, 64),
    "resnet18": ({"width": 64}, 512, 32),
    "unet": ({"width": 16, "depth": 2}, 2048, 32),
    "transformer": ({"width": 64, "depth": 4, "heads": 4}, 8192, 64),
}
# Keeps memory between steps, as mallopt() in trainer/main.cpp does.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str((1 << 31) - 1)}


class Problem:
    def __init__(self, model, images, folder):
        self.model, (self.settings, samples, batch) = model, MODELS[model]
        self.samples, self.batch = 4 * batch if QUICK else max(samples, 192 * batch) if GPU else samples, batch
        self.data = write_fields(folder, self.samples) if model in ("autoencoder", "unet") else images

    def ours(self, workers):
        """Returns samples per second of the last epoch, from the trainer's log."""
        settings = {"model": self.model, **self.settings, "optimizer": "sgd", "lr": 0.01, "momentum": 0.9,
                    "precision": "tf32",  # on a GPU; a CPU computes in float32
                    "batch_size": self.batch, "data": {"train": f"{self.data}:/train[0:{self.samples}]"}}
        with tempfile.TemporaryDirectory() as folder, trainers(workers) as crescendo:
            crescendo.train(range(workers), "new", Terms(Path(folder), settings, workers), until=EPOCHS)
            log = open(os.path.join(folder, "trainer.log")).read()
        return float(re.findall(r"([\d.]+) samples/s", log)[-1])

    def python(self, workers, *options):
        command = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={workers}"] if workers > 1 else []
        command = [sys.executable, *command, os.path.join(HERE, "train_ddp.py"), self.data, "--model", self.model,
                   "--arguments", json.dumps(self.settings), "--samples", str(self.samples), "--batch", str(self.batch),
                   "--epochs", str(EPOCHS), *options]
        command += ["--device", "cuda"] if GPU else []
        env = dict(os.environ, OMP_NUM_THREADS="1", **(KEPT if options else {}))
        out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env).stdout
        return float(re.findall(r"([\d.]+) samples/s", out)[-1])

    def turns(self, workers, count, compiling_helps):
        """Returns the rates of ours, plain, tuned and compiled. The last one only in the first turn if it does not
        help, or on a GPU, where it takes a minute."""
        for _ in range(count):
            ours, plain, tuned = self.ours(workers), self.python(workers), self.python(workers, "--tuned")
            compiled = self.python(workers, "--tuned", "--compile") if compiling_helps else 0
            compiling_helps = compiled > 0.9 * tuned and not GPU
            yield ours, plain, tuned, compiled


def write_fields(folder, samples):
    """Writes fields to fields of 32 x 32; their content does not affect the time."""
    path = os.path.join(folder, f"fields{samples}.h5")
    with h5py.File(path, "w") as file:
        for name in ("inputs", "targets"):
            numbers = numpy.random.default_rng(1).standard_normal((samples, 32, 32), numpy.float32)
            file.create_dataset(f"train/{name}", data=numbers)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images")
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--turns", type=int, default=1 if QUICK else 3)
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    print(f"samples/s, medians of {options.turns} turns; ratio: ours over the faster of tuned and compiled\n"
          f"{'model':<12} {'workers':>7} {'ours':>8} {'plain':>8} {'tuned':>8} {'compiled':>8} {'ratio':>6}  of turns")
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models:
            problem = Problem(model, os.path.abspath(options.images), folder)
            for workers in (1,) if QUICK or GPU else (1, 2):
                turns = list(problem.turns(workers, options.turns, not QUICK and not options.no_compile))
                measured = ([figure for figure in column if figure] for column in zip(*turns))
                row = " ".join(f"{statistics.median(column):8.0f}" if column else f"{'-':>8}" for column in measured)
                ratios = sorted(ours / max(best) for ours, _, *best in turns)
                print(f"{model:<12} {workers:>7} {row} {statistics.median(ratios):>6.2f}  "
                      f"{' '.join(f'{each:.2f}' for each in ratios)}", flush=True)


if __name__ == "__main__":
    main()
