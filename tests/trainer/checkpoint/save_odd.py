"""Saves a checkpoint with unusual content.

usage: save_odd.py FILE
"""
import argparse
import collections
import sys

import numpy
import torch

numbers = torch.arange(6, dtype=torch.float32)
model = collections.OrderedDict(
    columns=numbers.view(2, 3).t(),
    part=numbers[2:5],
    parameter=torch.nn.Parameter(torch.ones(2)),
    half=torch.full((2,), 1.5, dtype=torch.bfloat16),
    number=torch.tensor(7),
    phase=torch.tensor([1 + 2j, 3 - 1j]),
)
late = torch.ones(2)
content = {
    "alone": torch.arange(3),
    "nested": {"model": model, "epoch": 2**40, "loss": 0.5, 3: "a key that is no text"},
    "arguments": argparse.Namespace(lr=0.1, layers=[1, 2, (3, None)]),
    "best": numpy.float64(0.25),
    "list": [torch.ones(1), "word", True, *map(str, range(300))],  # more objects than a byte can number
    "late": {"one": late, "other": late},
    "empty": {},
}
content["itself"] = content
torch.save(content, sys.argv[1])
