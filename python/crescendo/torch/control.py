"""The interface through which decisions about a trial arrive."""

from __future__ import annotations

from typing import Protocol

from crescendo.torch.group import Group, PeerLost
from crescendo.torch.state import Replica
from crescendo.torch.step_clock import Step


class Interruption(BaseException):
    """The trial's group is over: an order waits, or a peer is lost. It leaves the train function from any place. It is
    not an Exception, because programs catch those."""

    def __init__(self, cause: str, is_stranded: bool = False) -> None:
        super().__init__(cause)
        self.is_stranded = is_stranded


class Terms(Protocol):
    """Crescendo's terms of the present group, known even before the group has met."""

    rank: int
    size: int
    batch_multiple: int
    accumulation: int
    max_resource: int


class Control(Protocol):
    """Decides about a trial. In a sweep, crescendo does. Outside a sweep nothing does, and the defaults here
    suffice."""

    terms: Terms
    group: Group

    def enter(self, replica: Replica) -> None:
        """Forms the trial's group, and gives the replica the group's state. Raises Interruption."""

    def check(self) -> None:
        """Raises Interruption if the present group is over."""

    def note_move(self) -> None:
        """Tells that the main thread does not hang. Call it in places that the program passes often."""

    def note_step(self, replica: Replica, step: Step) -> None:
        """Records an update. Call it after each one."""

    def save_if_due(self, replica: Replica) -> None:
        """Saves a checkpoint if one is due. Call it before an epoch and between two steps, when the code after the
        update has run: schedules, and averages of weights."""

    def end_steps(self) -> None:
        """Ends an epoch's steps. Call it after the last update."""

    def meet(self) -> None:
        """Waits until all members call it. One may take long for work that it does alone: the group's time-out for
        collectives does not apply. Raises Interruption."""

    def report(self, replica: Replica, data_wait: float) -> None:
        """Reports the epoch that ended, and waits for the decision. Raises Interruption."""

    def wait_for_end(self, replica: Replica) -> None:
        """Waits for orders after the trial's last report. Raises Interruption in the end."""

    def note_loss(self, cause: PeerLost) -> Interruption:
        """Handles a failed collective. Returns the Interruption to raise."""
