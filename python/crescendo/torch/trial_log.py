"""The file that gets a trial's output."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class TrialLog:
    """Appends standard output and standard error to trainer.log in the trial's folder until close() is called."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._flush()
        self._kept = [os.dup(1), os.dup(2)]
        log = os.open(directory / "trainer.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        for descriptor in (1, 2):
            os.dup2(log, descriptor)
        os.close(log)

    def close(self) -> None:
        self._flush()
        for descriptor, kept in zip((1, 2), self._kept):
            os.dup2(kept, descriptor)
            os.close(kept)

    def _flush(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
