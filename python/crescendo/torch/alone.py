"""Trials without groups: outside a sweep, and to test a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict

import torch

from crescendo.protocol import Message
from crescendo.torch.control import Control, Interruption
from crescendo.torch.group import Group, PeerLost
from crescendo.torch.state import Replica


@dataclass
class Endless:
    """Terms of a trial outside a sweep."""

    rank: int = 0
    size: int = 1
    batch_multiple: int = 1
    accumulation: int = 1
    max_resource: int = 0


class Alone(Control):
    """Control outside a sweep: the program simply trains, and prints its reports."""

    def __init__(self, device: torch.device) -> None:
        self.terms: Any = Endless()
        self.group = Group(device)

    def report(self, replica: Replica, data_wait: float) -> None:
        report = replica.progress.report or {}
        values = ", ".join(f"{name} {value}" for name, value in report["metrics"].items())
        print(f"epoch {report['resource']}: {values}", flush=True)
        replica.progress.pending = False

    def note_loss(self, cause: PeerLost) -> Interruption:
        raise AssertionError("a group of one has no peers")


class Tested(Alone):
    """Control for a test: the trial starts from a checkpoint's state. enter() raises RuntimeError if the checkpoint is
    older than the trial's report."""

    def __init__(self, state: Dict[str, Any], order: Message, device: torch.device) -> None:
        super().__init__(device)
        self._state = state
        self._order = order

    def enter(self, replica: Replica) -> None:
        replica.restore(self._state)
        if replica.progress.epoch < self._order["resource"]:
            raise RuntimeError(
                f"the checkpoint is from epoch {replica.progress.epoch}, and the state that trial "
                f"{self._order['trial']} reported at {self._order['resource']} was not saved"
            )
