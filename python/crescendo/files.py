"""Files that whoever reads them finds whole, whenever the writer dies."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Union


def replace_file(path: Path, content: Union[bytes, memoryview]) -> None:
    """Returns once the file has this content on the disk. Until then it is as it was. Raises OSError."""
    _remove_temporaries(path)
    # A name of this process's own, so that a process that stood still does not write into another's file.
    temporary = path.with_name(f"{path.name}.tmp.{socket.gethostname()}.{os.getpid()}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)  # what there was room for is better left to others
        raise
    _sync_one(path.parent)


def sync(path: Path) -> None:
    """Returns once the file, or the folder with all files below it, is on the disk. What links in it lead to is not in
    it."""
    if path.is_dir():
        for child in path.iterdir():
            if not child.is_symlink():
                sync(child)
    _sync_one(path)


def _remove_temporaries(path: Path) -> None:
    """Removes what writers left that were killed, or that stopped responding. If such a writer continues, it finds
    nothing to rename. (Older versions wrote to "<name>.tmp".)"""
    left = path.name + ".tmp"
    for each in path.parent.iterdir():
        if each.name == left or each.name.startswith(left + "."):
            each.unlink(missing_ok=True)


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems sync no folders, as of FUSE and SMB. What is in them is on the disk none the less.
        if error.errno not in (errno.EINVAL, errno.EBADF) or not path.is_dir():
            raise
    finally:
        os.close(descriptor)
