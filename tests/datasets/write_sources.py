"""Writes arrays as NumPy saves them, for `crescendo data convert` to read.

usage: write_sources.py FOLDER

FOLDER/NAME.npy and FOLDER/NAME.bin, the numbers in C order and this machine's byte order; prints "NAME TYPE" for each.
FOLDER/stored.npz and FOLDER/packed.npz hold the arrays x (int32, 7 x 2 x 3, counting) and y (uint8, 7, counting).
"""
import os
import sys

import numpy as np

NUM_SAMPLES = 7
TYPES = ["|u1", "|i1", "<u2", ">i2", "<i4", ">u4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "|b1"]


def values(dtype, shape):
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    if np.dtype(dtype).kind == "b":
        return numbers % 3 == 0
    if np.dtype(dtype).kind == "f":
        return np.sin(numbers).astype(dtype)
    return (numbers * 0x0123456789ABCDEF).astype(np.dtype(dtype))


def write(folder, name, array, version=None):
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        np.lib.format.write_array(file, array, version)
    array.astype(array.dtype.newbyteorder("=")).tofile(os.path.join(folder, name + ".bin"))
    print(name, "int8" if array.dtype.kind == "b" else array.dtype.newbyteorder("=").name)


def main():
    folder = sys.argv[1]
    for number, dtype in enumerate(TYPES):
        write(folder, f"type{number}", values(dtype, (NUM_SAMPLES, 2, 3)))
    for version in ((1, 0), (2, 0), (3, 0)):
        write(folder, f"version{version[0]}", values("<f4", (NUM_SAMPLES, 5)), version)
    write(folder, "scalars", values("<f4", (NUM_SAMPLES,)))
    x = np.arange(NUM_SAMPLES * 6, dtype="i4").reshape(NUM_SAMPLES, 2, 3)
    y = np.arange(NUM_SAMPLES, dtype="u1")
    np.savez(os.path.join(folder, "stored.npz"), x=x, y=y)
    np.savez_compressed(os.path.join(folder, "packed.npz"), x=x, y=y)


main()
