"""Who decides about a trial."""

from __future__ import annotations

from typing import Protocol

from crescendo.torch.group import Group, PeerLost
from crescendo.torch.state import Replica
from crescendo.torch.step_clock import Step


class Interruption(BaseException):
    """The trial's group is over: an order waits, or a peer is lost. It leaves the train function from wherever that is,
    so it is no Exception, which programs catch."""

    def __init__(self, cause: str, is_stranded: bool = False) -> None:
        super().__init__(cause)
        self.is_stranded = is_stranded


class Terms(Protocol):
    """What crescendo says about the present group, also before that has met."""

    rank: int
    size: int
    batch_multiple: int
    accumulation: int
    max_resource: int


class Control(Protocol):
    """Who decides about a trial: crescendo, or outside a sweep nobody, which needs no more than what is here."""

    terms: Terms
    group: Group

    def enter(self, replica: Replica) -> None:
        """Forms the trial's group, and brings the replica to the state of all. Raises Interruption."""

    def check(self) -> None:
        """Raises Interruption if the present group is over."""

    def note_move(self) -> None:
        """Call it wherever the program comes by often: it does not hang."""

    def note_step(self, replica: Replica, step: Step) -> None:
        """Call it after each update."""

    def save_if_due(self, replica: Replica) -> None:
        """Call it before an epoch, and between two steps, once the code behind the update has run: schedules, and
        averages of weights."""

    def end_steps(self) -> None:
        """Call it after an epoch's last update."""

    def meet(self) -> None:
        """Waits until all members have come here, however long one does alone what the others wait for: the time-out of
        a group's sums does not count. Raises Interruption."""

    def report(self, replica: Replica, data_wait: float) -> None:
        """Reports the epoch that ended, and waits for the decision. Raises Interruption."""

    def wait_for_end(self, replica: Replica) -> None:
        """The trial has its last report. Raises Interruption in the end."""

    def note_loss(self, cause: PeerLost) -> Interruption:
        """A collective failed."""
