"""Saves the weights of FOLDER/model.safetensors in the usual ways of Python.

usage: save_weights.py FOLDER
"""
import json
import struct
import sys
from pathlib import Path

import numpy
import torch

folder = Path(sys.argv[1])
content = (folder / "model.safetensors").read_bytes()
(size,) = struct.unpack("<Q", content[:8])
state = {}
for name, entry in json.loads(content[8:8 + size]).items():
    if name != "__metadata__":
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        state[name] = torch.from_numpy(numpy.frombuffer(content[begin:end], "<f4").reshape(entry["shape"]).copy())


def module_of(state):
    """A module whose state_dict, an OrderedDict with metadata, has these names."""
    module = torch.nn.Module()
    for name, tensor in state.items():
        *path, last = name.split(".")
        at = module
        for part in path:
            if part not in dict(at.named_children()):
                at.add_module(part, torch.nn.Module())
            at = getattr(at, part)
        at.register_parameter(last, torch.nn.Parameter(tensor))
    return module


module = module_of(state)
optimizer = torch.optim.Adam(module.parameters())
torch.save(module.state_dict(), folder / "plain.pt")
torch.save({"epoch": 3, "model": module.state_dict(), "optimizer": optimizer.state_dict()}, folder / "dict.pt")
torch.save({"state_dict": {"module." + name: tensor for name, tensor in state.items()}}, folder / "parallel.pt")
