#!/usr/bin/env python3
"""Writes one HDF5 file for each way of storing samples, and the bytes that reading it must give.

usage: write_matrix.py FOLDER

FOLDER/NAME.h5 holds /inputs and /targets, FOLDER/NAME.bin the inputs in C order and this machine's byte order. Prints a line
"NAME ROUTE" for each: how Crescendo must read the inputs: pread, chunks or library.
"""
import os
import sys

import h5py
import numpy as np

try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None

NUM_SAMPLES = 23
SHAPES = {"scalars": (), "images": (5, 7), "fields": (2, 3, 4)}
TYPES = ["u1", "i1", "<u2", ">i2", "<i4", ">u4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "?"]
BUILT_IN = {
    "plain": {},
    "deflate": {"compression": "gzip", "compression_opts": 4},
    "shuffle": {"shuffle": True},
    "fletcher": {"fletcher32": True},
    "all": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf": {"compression": "lzf", "shuffle": True},
}


def values(dtype, shape):
    """Numbers that repeat, so that they can be compressed, and use every byte of an element."""
    numbers = np.arange(NUM_SAMPLES * int(np.prod(shape)), dtype=np.int64).reshape((NUM_SAMPLES, *shape))
    if np.dtype(dtype) == np.bool_:
        return numbers % 3 == 0
    if np.dtype(dtype).kind == "f":
        return (np.sin(numbers % 50) * 1000).astype(dtype)
    return ((numbers % 50) * 0x0123456789ABCDEF).astype(np.dtype(dtype))


class Matrix:
    def __init__(self, folder):
        self.folder = folder

    def write(self, name, data, route, file_options=None, **options):
        with h5py.File(os.path.join(self.folder, name + ".h5"), "w", **(file_options or {})) as file:
            file.create_dataset("inputs", data=data, **options)
            file.create_dataset("targets", data=np.arange(len(data)))
        self.expect(name, data, route)

    def expect(self, name, data, route):
        data.astype(data.dtype.newbyteorder("=")).tofile(os.path.join(self.folder, name + ".bin"))
        print(name, route)


def chunk_shapes(shape):
    """Chunks of whole samples; one chunk; chunks that split every axis, with padding at every edge."""
    split = tuple(max(1, length // 2 + 1) for length in shape)
    return {"whole": (4, *shape), "one": (NUM_SAMPLES, *shape), "split": (5, *split)}


def write_types(matrix):
    for dtype in TYPES:
        tag = {"<": "le", ">": "be"}.get(dtype[0], "") + dtype.strip("<>").replace("?", "bool")
        data = values(dtype, (5, 7))
        matrix.write(f"{tag}-contiguous", data, "pread")
        for filters in ("plain", "all"):
            matrix.write(f"{tag}-{filters}", data, "chunks", chunks=(4, 5, 7), **BUILT_IN[filters])


def write_filters(matrix):
    filters = dict(BUILT_IN)
    if hdf5plugin:
        filters |= {
            "zstd": hdf5plugin.Zstd(),
            "lz4": hdf5plugin.LZ4(),
            "lz4-small-blocks": hdf5plugin.LZ4(nbytes=64),
            "blosc": hdf5plugin.Blosc(cname="lz4", shuffle=hdf5plugin.Blosc.SHUFFLE),
            "blosc-bits": hdf5plugin.Blosc(cname="zlib", shuffle=hdf5plugin.Blosc.BITSHUFFLE),
        }
    for shape_name, shape in SHAPES.items():
        for chunk_name, chunk in chunk_shapes(shape).items():
            for filter_name, options in filters.items():
                name = f"{shape_name}-{chunk_name}-{filter_name}"
                matrix.write(name, values("<f4", shape), "chunks", chunks=chunk, **options)


def write_layouts(matrix):
    data = values("<i4", (5, 7))
    matrix.write("user-block", data, "pread", file_options={"userblock_size": 512})
    matrix.write("user-block-chunks", data, "chunks", file_options={"userblock_size": 512}, chunks=(4, 5, 7))
    matrix.write("latest-format", data, "chunks", file_options={"libver": ("v110", "v110")}, chunks=(4, 5, 7))
    matrix.write("growing", data, "chunks", file_options={"libver": ("v110", "v110")}, chunks=(4, 9, 7),
                 maxshape=(None, None, 7), compression="gzip")
    matrix.write("scale-offset", data, "library", chunks=(4, 5, 7), scaleoffset=0)
    matrix.write("two-compressions", data, "library", chunks=(4, 5, 7), compression="gzip", scaleoffset=0)
    matrix.write("external", data, "library", external=[(os.path.join(matrix.folder, "external.raw"), 0, 23 * 140)])
    write_compact(matrix, data)
    write_virtual(matrix, data)
    write_holes(matrix)


def write_compact(matrix, data):
    settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    settings.set_layout(h5py.h5d.COMPACT)
    with h5py.File(os.path.join(matrix.folder, "compact.h5"), "w") as file:
        space = h5py.h5s.create_simple(data.shape)
        h5py.h5d.create(file.id, b"inputs", h5py.h5t.STD_I32LE, space, settings).write(
            h5py.h5s.ALL, h5py.h5s.ALL, data)
        file.create_dataset("targets", data=np.arange(len(data)))
    matrix.expect("compact", data, "library")


def write_virtual(matrix, data):
    layout = h5py.VirtualLayout(shape=data.shape, dtype=data.dtype)
    for part, rows in enumerate((slice(0, 10), slice(10, 23))):
        with h5py.File(os.path.join(matrix.folder, f"part-{part}.hdf"), "w") as file:
            file.create_dataset("piece", data=data[rows])
        layout[rows] = h5py.VirtualSource(f"part-{part}.hdf", "piece", shape=data[rows].shape)
    with h5py.File(os.path.join(matrix.folder, "virtual.h5"), "w", libver=("v110", "v110")) as file:
        file.create_virtual_dataset("inputs", layout)
        file.create_dataset("targets", data=np.arange(len(data)))
    matrix.expect("virtual", data, "library")


def write_holes(matrix):
    """Writes data sets with chunks that were never written, and a contiguous one, which hold the fill value."""
    for name, options, route in (("holes-chunks", {"chunks": (4, 3)}, "chunks"), ("holes-contiguous", {}, "library")):
        data = np.full((23, 3), 7, dtype=">i4")
        with h5py.File(os.path.join(matrix.folder, name + ".h5"), "w") as file:
            inputs = file.create_dataset("inputs", data.shape, data.dtype, fillvalue=7, **options)
            if options:
                data[8:11] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
                inputs[8:11] = data[8:11]
            file.create_dataset("targets", data=np.arange(len(data)))
        matrix.expect(name, data, route)


def main():
    matrix = Matrix(sys.argv[1])
    write_types(matrix)
    write_filters(matrix)
    write_layouts(matrix)
    if not hdf5plugin:
        print("no hdf5plugin: zstd, lz4 and blosc are left out", file=sys.stderr)


main()
