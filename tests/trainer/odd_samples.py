"""Writes samples that are stored in unusual ways: channels last, chosen by a list, packed as integers, with missing
classes. Also writes packed-1.h5 and packed-2.h5 in the same folder, which are packed by different factors.

usage: odd_samples.py FILE.h5
"""
import sys
from pathlib import Path

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
    for group in ("unsure", "more_unsure"):
        file[f"{group}/inputs"] = numbers.normal(size=(40, 3)).astype("f4")
        file[f"{group}/targets"] = np.where(np.arange(40) % 7, np.arange(40) % 3, 255).astype("u1")
        file[f"{group}/targets"].attrs["_FillValue"] = np.uint8(255)
    for group in ("series", "more_series"):
        values = np.stack([np.sin(np.arange(100) / 5), numbers.normal(size=100)], axis=1)
        packed = (values * 1000).astype("i2")
        packed[17, 1] = -32768
        file[f"{group}/inputs"] = packed
        file[f"{group}/inputs"].attrs.update(scale_factor=0.001, add_offset=0.5, _FillValue=np.int16(-32768))
        file[f"{group}/targets"] = values
for number, (scale, offset, least) in enumerate([(0.001, 0.5, -5.0), (-0.004, 20.0, -1.5)], start=1):
    with h5py.File(Path(sys.argv[1]).with_name(f"packed-{number}.h5"), "w") as file:
        for group in ("series", "more_series"):
            values = np.stack([np.sin(np.arange(60) / 5), numbers.normal(size=60)], axis=1)
            packed = np.round((values - offset) / scale).astype("i2")
            packed[number, 1] = -number
            file[f"{group}/inputs"] = packed
            file[f"{group}/inputs"].attrs.update(scale_factor=scale, add_offset=offset, _FillValue=np.int16(-number),
                                                 valid_min=least)
            file[f"{group}/targets"] = values
