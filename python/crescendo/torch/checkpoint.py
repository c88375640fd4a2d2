"""A trial's checkpoint: its state as a file, which torch.load reads."""

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
    """Writes the state to a file, whole or not at all. Raises SaveError."""
    state = replica.capture()
    require_readable(state)
    content = io.BytesIO()
    torch.save(state, content)
    try:
        replace_file(path, content.getbuffer())
    except OSError as error:
        raise SaveError(path, error) from None


class DamagedCheckpoint(Exception):
    """A file that is no checkpoint, not a whole one, or not as it was written."""


def _read_through(path: Path) -> None:
    """Raises OSError where the file cannot be read to its end, which says nothing of what was written. Readers of
    content may take that for damage."""
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def _require_intact(path: Path) -> None:
    """torch.load does not look at the sums that its files have."""
    try:
        with zipfile.ZipFile(path) as records:
            damaged = records.testzip()
    except Exception as error:  # whatever a reader stumbles over
        _read_through(path)
        raise DamagedCheckpoint(f"the checkpoint {path} is damaged: {error}") from None
    if damaged is not None:
        raise DamagedCheckpoint(f"the checkpoint {path} is damaged: its content is not what was written")


def read_checkpoint(path: Path, device: torch.device) -> Dict[str, Any]:
    """What was on a GPU is put on `device`. The rest stays on the CPU, where Adam counts its steps: to read them from a
    GPU would hold each step up. Raises DamagedCheckpoint, and OSError where the file cannot be read."""
    _require_intact(path)

    def place(storage: Any, location: str) -> Any:
        return storage if location == "cpu" else torch.serialization.default_restore_location(storage, str(device))

    try:
        return torch.load(path, map_location=place, weights_only=True)
    except Exception as error:
        if "PytorchStreamReader" in str(error) or isinstance(error, pickle.UnpicklingError):
            _read_through(path)
            raise DamagedCheckpoint(f"the checkpoint {path} is damaged: {str(error).splitlines()[0]}") from None
        raise  # a GPU may be short of memory
