"""Writes files so that readers always find them complete, even if the writer dies."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Union


def replace_file(path: Path, content: Union[bytes, memoryview]) -> None:
    """Replaces the file's content, and returns once it is on disk. Until then the file is unchanged. Raises OSError."""
    _remove_temporaries(path)
    # A name unique to this process, so that a process that was suspended does not write into another's file.
    temporary = path.with_name(f"{path.name}.tmp.{socket.gethostname()}.{os.getpid()}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)  # frees the disk space that it took
        raise
    _sync_one(path.parent)


def sync(path: Path) -> None:
    """Returns once the file, or the folder with all files below it, is on disk. Does not follow symbolic links inside
    it."""
    if path.is_dir():
        for child in path.iterdir():
            if not child.is_symlink():
                sync(child)
    _sync_one(path)


def _remove_temporaries(path: Path) -> None:
    """Removes temporary files of writers that were killed or stopped responding. If such a writer continues, it finds
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
        # Some file systems, such as FUSE and SMB ones, cannot sync folders. The files in them are on disk anyway.
        if error.errno not in (errno.EINVAL, errno.EBADF) or not path.is_dir():
            raise
    finally:
        os.close(descriptor)
