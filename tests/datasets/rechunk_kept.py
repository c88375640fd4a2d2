"""Writes a file with everything that a group can hold, and checks that a copy keeps it.

usage: rechunk_kept.py write|check FOLDER       FOLDER/old.h5, FOLDER/new.h5
"""
import os
import sys

import h5py
import numpy as np

BOOLS = np.arange(10) % 3 == 0


def write(path):
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "all of it"
        file.attrs["numbers"] = np.arange(6, dtype=">i2").reshape(2, 3)
        file.attrs["words"] = ["ä", "b"]
        file.attrs["nothing"] = h5py.Empty("f4")
        group = file.create_group("group", track_order=True)
        group.attrs["note"] = np.bytes_(b"fixed")
        fields = group.create_dataset("fields", data=np.arange(60.0).reshape(10, 6), chunks=(10, 1), compression="gzip")
        fields.attrs["unit"] = "m/s"
        fields.attrs["reference"] = fields.ref
        fields.attrs.create("kind", np.float32(2.5), dtype=file["/"].attrs["numbers"].dtype)
        group["bools"] = BOOLS
        group["big"] = np.arange(10, dtype=">u8")
        group["half"] = np.arange(10, dtype="f2")
        group["scalar"] = 5
        group["empty"] = np.zeros((0, 3))
        group["text"] = ["one", "two"]
        group["table"] = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])
        file["same"] = group["fields"]
        file["soft"] = h5py.SoftLink("/group/big")
        file["other"] = h5py.ExternalLink("elsewhere.h5", "/x")
        group["loop"] = file["/"]
        file["type"] = np.dtype("f8")


def check(path):
    with h5py.File(path) as file:
        assert file.attrs["title"] == "all of it"
        assert file.attrs["numbers"].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert list(file.attrs["words"]) == ["ä", "b"]
        assert isinstance(file.attrs["nothing"], h5py.Empty)
        group = file["group"]
        assert group.attrs["note"] == b"fixed"
        fields = group["fields"]
        assert fields.chunks == (3, 6) and fields.compression is None
        assert np.array_equal(fields[...], np.arange(60.0).reshape(10, 6))
        assert fields.attrs["unit"] == "m/s" and fields.attrs["kind"] == 2 and "reference" not in fields.attrs
        assert group["bools"].dtype == np.bool_ and np.array_equal(group["bools"][...], BOOLS)
        assert group["big"].dtype == np.dtype("u8") and group["big"][...].tolist() == list(range(10))
        assert group["half"].dtype == np.dtype("f2") and group["half"][...].tolist() == list(range(10))
        assert group["scalar"][()] == 5 and group["empty"].shape == (0, 3)
        assert list(group["text"].asstr()) == ["one", "two"]
        assert group["table"][1].tolist() == (3, 4.0)
        assert file["same"] == fields
        assert file.get("soft", getlink=True).path == "/group/big"
        assert file.get("other", getlink=True).filename == "elsewhere.h5"
        assert group["loop"] == file["/"]
        assert file["type"].dtype == np.dtype("f8")
        assert list(group) == ["fields", "bools", "big", "half", "scalar", "empty", "text", "table", "loop"]


action, folder = sys.argv[1:]
write(os.path.join(folder, "old.h5")) if action == "write" else check(os.path.join(folder, "new.h5"))
