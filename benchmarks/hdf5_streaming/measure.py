"""Compares our HDF5 reader with raw pread, H5Dread_chunk, pure decompression, and h5py with PyTorch's DataLoader.

    $PYTHON benchmarks/hdf5_streaming/measure.py [FOLDER]

The files, about 2 GB, are written to FOLDER (default: the system's temporary folder) and removed again. The page cache
is warm, except for the rows called cold and shuffled.
"""
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import BIN, CRESCENDO, QUICK  # noqa: E402

FASHION = "/usr/share/datasets/fashion-mnist/train-{}.gz"
BATCH = 128
TURNS = 1 if QUICK else 5
SAMPLES = 4096 if QUICK else 131_072


def write_rows(path, **options):
    """Makes samples of 4 KiB: smooth fields of 32 x 32, rounded to 13 bits."""
    x = np.linspace(0, 6, 32, dtype=np.float32)
    random = np.random.default_rng(1)
    with h5py.File(path, "w") as file:
        inputs = file.create_dataset("inputs", (SAMPLES, 32, 32), np.float32, **options)
        for begin in range(0, len(inputs), 4096):
            row, column = random.random((2, 4096, 1, 1), dtype=np.float32)
            field = np.sin(x[:, None] + row) * np.cos(x + column)
            inputs[begin:begin + 4096] = np.round(field * 4096) / 4096
        file["targets"] = np.zeros(SAMPLES, np.float32)


def write_fashion(path):
    def idx(name, header):
        return np.frombuffer(gzip.open(FASHION.format(name)).read(), np.uint8, offset=header)

    with h5py.File(path, "w") as file:
        images = idx("images-idx3-ubyte", 16).reshape(-1, 28, 28).astype(np.float32) / 255
        file.create_dataset("inputs", data=images, chunks=(64, 28, 28))
        file.create_dataset("targets", data=idx("labels-idx1-ubyte", 8))


class Samples(torch.utils.data.Dataset):
    """What the manuals of h5py and PyTorch suggest: opens the file in the worker, and reads one sample per index."""

    def __init__(self, path):
        self.path, self.file = path, None
        with h5py.File(path) as file:
            self.length = len(file["inputs"])

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path)
        return self.file["inputs"][index], self.file["targets"][index]


def data_loader(path, workers):
    loader = torch.utils.data.DataLoader(Samples(path), batch_size=BATCH, shuffle=True, num_workers=workers)
    begin = time.perf_counter()
    count = sum(len(inputs) for inputs, _ in loader)
    return count / (time.perf_counter() - begin)


def write_beside_cp(path, folder):
    """Measures `crescendo data convert` and `rechunk`, in turn with a cp of the same bytes that also syncs."""
    rows, labels, out = (os.path.join(folder, name) for name in ("rows.npy", "labels.npy", "out"))
    with h5py.File(path) as file:
        np.save(rows, file["inputs"][:])
        np.save(labels, file["targets"][:])
    commands = {"cp": ["sh", "-c", 'cp "$0" "$1" && sync "$1"', rows, out],
                "convert": [CRESCENDO, "data", "convert", rows, labels, out + ":/train"],
                "rechunk": [CRESCENDO, "data", "rechunk", path + ":/", out + ":/train"]}
    rates = {name: [] for name in commands}
    for _ in range(TURNS):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            rates[name].append(os.path.getsize(rows) / 1e6 / (time.perf_counter() - begin))
            os.remove(out)
    for name in ("convert", "rechunk"):
        ratio = statistics.median(ours / cp for ours, cp in zip(rates[name], rates["cp"]))
        ours, cp = statistics.median(rates[name]), statistics.median(rates["cp"])
        print(f"{name:8} - {'cp':14} {ours:8.0f} {cp:8.0f} {ratio:6.2f}", flush=True)
    os.remove(rows)
    os.remove(labels)


def main():
    program = os.path.join(BIN, "hdf5_streaming")

    def ours(*arguments):
        return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        print("route    threads beside       ours, MB/s   bare  ratio")
        for name, options in (("contiguous", {}), ("chunked", {"chunks": (64, 32, 32)}),
                              ("deflate", {"chunks": (64, 32, 32), "compression": 4, "shuffle": True})):
            path = os.path.join(folder, name + ".h5")
            write_rows(path, **options)
            os.sync()  # dirty pages cannot be dropped from the page cache
            for threads in (1, 2):
                print(ours("load", path + ":/", threads), end="", flush=True)
            if name != "deflate":
                for threads in (1, 2):
                    print(ours("cold", path + ":/", threads), end="", flush=True)
            if name == "contiguous":
                print(ours("copy", path + ":/", 1), end="", flush=True)
                write_beside_cp(path, folder)
            os.remove(path)

        path = os.path.join(folder, "terabyte.h5")
        subprocess.run([CRESCENDO, "data", "generate", path + ":/train", "--sparse", "--samples",
                        "67108864", "--shape", "64,64"], check=True, stdout=subprocess.DEVNULL)
        print("a terabyte of holes:", ours("begin", path + ":/train", 2), end="", flush=True)
        os.remove(path)

        path = os.path.join(folder, "fashion.h5")
        write_fashion(path)
        rates = {threads: float(ours("stream", path + ":/", threads)) for threads in (1, 2)}
        for workers in (0, 2):
            theirs = data_loader(path, workers)
            print(f"Fashion-MNIST as float32: ours {rates[max(workers, 1)]:.0f} samples/s, h5py + DataLoader with {workers} "
                  f"workers {theirs:.0f}: {rates[max(workers, 1)] / theirs:.1f} times", flush=True)


if __name__ == "__main__":
    main()
