"""Writes samples that are stored in unusual ways: channels last, chosen by a list, packed as integers.

usage: odd_samples.py FILE.h5
"""
import sys

import h5py
import numpy as np

numbers = np.random.default_rng(1)
with h5py.File(sys.argv[1], "w") as file:
    for group in ("images", "more_images"):
        classes = numbers.integers(0, 3, 40)
        file[f"{group}/targets"] = classes
        noise = numbers.integers(0, 80, (40, 8, 8, 3))
        file[f"{group}/inputs"] = (noise + 60 * classes[:, None, None, None]).astype("u2")
    file["rows"] = np.array([7, 3, 30, 12, 13, 14], "i4")
    for group in ("series", "more_series"):
        values = np.stack([np.sin(np.arange(100) / 5), numbers.normal(size=100)], axis=1)
        packed = (values * 1000).astype("i2")
        packed[17, 1] = -32768
        file[f"{group}/inputs"] = packed
        file[f"{group}/inputs"].attrs.update(scale_factor=0.001, add_offset=0.5, _FillValue=np.int16(-32768))
        file[f"{group}/targets"] = values
