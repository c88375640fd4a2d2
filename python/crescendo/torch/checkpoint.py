"""A trial's checkpoint: its state in a file that torch.load reads."""

from __future__ import annotations

import errno
import io
import pickle
import zipfile
from pathlib import Path
from typing import Any, Dict

import torch

from crescendo.files import replace_file
from crescendo.torch.state import Replica, require_readable


class SaveError(Exception):
    """The checkpoint could not be written."""

    def __init__(self, path: Path, cause: OSError) -> None:
        super().__init__(f"cannot write {path}: {cause.strerror or cause}")
        self.is_full = cause.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def save_checkpoint(replica: Replica, path: Path) -> None:
    """Writes the state to a file, completely or not at all. Raises SaveError, and TypeError if torch.load could not
    read the state safely."""
    state = replica.capture()
    require_readable(state)
    content = io.BytesIO()
    torch.save(state, content)
    try:
        replace_file(path, content.getbuffer())
    except OSError as error:
        raise SaveError(path, error) from None


class DamagedCheckpoint(Exception):
    """The file is not a checkpoint, is incomplete, or differs from what was written."""


def _read_through(path: Path) -> None:
    """Raises OSError if the file cannot be read to its end. Such an error does not mean that the content is damaged,
    but readers of the content may report it as damage."""
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def _require_intact(path: Path) -> None:
    """Verifies the file's checksums, which torch.load ignores. Raises DamagedCheckpoint, and OSError if the file cannot
    be read."""
    try:
        with zipfile.ZipFile(path) as records:
            damaged = records.testzip()
    except Exception as error:  # damaged files can raise almost anything
        _read_through(path)
        raise DamagedCheckpoint(f"the checkpoint {path} is damaged: {error}") from None
    if damaged is not None:
        raise DamagedCheckpoint(f"the checkpoint {path} is damaged: its content differs from what was written")


def read_checkpoint(path: Path, device: torch.device) -> Dict[str, Any]:
    """Reads a checkpoint's state. Puts on `device` what was on a GPU. The rest stays on the CPU, where Adam counts its
    steps: reading such counts from a GPU would slow each step down. Raises DamagedCheckpoint, and OSError if the file
    cannot be read."""
    _require_intact(path)

    def place(storage: Any, location: str) -> Any:
        return storage if location == "cpu" else torch.serialization.default_restore_location(storage, str(device))

    try:
        return torch.load(path, map_location=place, weights_only=True)
    except Exception as error:
        if "PytorchStreamReader" in str(error) or isinstance(error, pickle.UnpicklingError):
            _read_through(path)
            raise DamagedCheckpoint(f"the checkpoint {path} is damaged: {str(error).splitlines()[0]}") from None
        raise  # such as a GPU out of memory
