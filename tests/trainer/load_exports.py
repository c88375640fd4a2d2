"""Runs the load.py of exported models and reads their safetensors.

usage: load_exports.py FOLDER...

Ends with 1 if the metrics of a model differ from those in its folder, or the tensors of its two files differ.
"""
import importlib.util
import json
import math
import struct
import sys
from pathlib import Path

import torch

TYPES = {"F32": torch.float32, "I64": torch.int64}
ROUNDING = {"bf16": (1.003, 1.1), "tf32": (1.001, 1.02)}  # factors of a loss: another processor's, another model's


def read_safetensors(file):
    content = bytearray(file.read_bytes())
    (size,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + size])
    assert header.pop("__metadata__") == {"format": "pt"} and size % 8 == 0
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        numbers = torch.frombuffer(content[8 + size + begin : 8 + size + end], dtype=TYPES[tensor["dtype"]])
        tensors[name] = numbers.reshape(tensor["shape"])
    return tensors


def check(folder):
    spec = importlib.util.spec_from_file_location("load", folder / "load.py")
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    state = torch.load(folder / "model.pt", weights_only=True)
    other = read_safetensors(folder / "model.safetensors")
    assert list(state) == list(other) and all(torch.equal(state[name], other[name]) for name in state)
    model = load.load_model().state_dict()
    assert set(model) == set(state) and all(torch.equal(state[name], model[name]) for name in state)
    assert load.EXPORT["reported"], "nothing to compare with"
    if not load.CLASSES:
        check_equal_targets(load)
    sys.argv = ["load.py"]
    if load.EXPORT["precision"] in ROUNDING:
        check_rounding(load, ROUNDING[load.EXPORT["precision"]])
    return load.main()


def check_equal_targets(load):
    """Checks that equal targets have no r2, like a single number, but all other metrics."""
    sums = load.Sums()
    targets = torch.full((3, load.EXPORT["task"]["num_outputs"]), 0.1)
    sums.add(torch.zeros_like(targets), targets)
    metrics = sums.metrics()
    assert all((name == "r2") == math.isnan(value) for name, value in metrics.items()), metrics


def check_rounding(load, factors):
    """Checks that rounding on another processor is accepted, but a larger difference means another model."""
    reported = load.EXPORT["reported"]
    for differs, factor in enumerate(factors):
        load.EXPORT["reported"] = {"val_loss": factor * reported["val_loss"]}
        assert load.main() == differs, factor
    load.EXPORT["reported"] = reported


def main():
    failed = False
    for folder in map(Path, sys.argv[1:]):
        print(folder.name, flush=True)
        failed = check(folder) != 0 or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
