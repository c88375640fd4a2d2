"""The workers of a trial during one generation, as one of them sees it."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import socket
import weakref
from datetime import timedelta
from typing import Any, List, Optional, Sequence, Set, Tuple

import torch
import torch.distributed as dist

from crescendo.torch.error_words import blames_this_worker


# Members connect once all are in the store, so living members connect at once. If a member has died meanwhile, the
# others would ignore orders for as long as Gloo waits for a connection, which it tries several times.
CONNECT_TIMEOUT = timedelta(seconds=2)


# torch reads these when a process makes its first group. Without them, torch's threads write dumps and sleep for
# minutes if a peer is lost, and closing the group waits for them.
NCCL_SETTINGS = {
    "TORCH_NCCL_BLOCKING_WAIT": "1",  # waits on the host, which can raise; waits on the GPU cannot
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
    "TORCH_NCCL_PROPAGATE_ERROR": "0",
    "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "0",
    "TORCH_FR_BUFFER_SIZE": "0",
}


# Lets tests of groups use NCCL itself with only one GPU: with this variable, each worker poses as a separate machine.
# NCCL then communicates over sockets, and the workers take turns on the GPU.
POSE_AS_MACHINE = "CRESCENDO_TEST_WORKERS_AS_MACHINES"


class PeerLost(Exception):
    """A collective failed, because another member is gone or did not answer within the time-out."""


def _cause(error: Exception) -> Exception:
    """Returns what to raise for a collective's error: PeerLost, or the error itself if it is this worker's own fault,
    such as a GPU that NCCL refuses. The worker's own error, taken for a lost peer, would recur forever, and nobody
    would see its message."""
    return error if blames_this_worker(str(error)) else PeerLost(f"{type(error).__name__}: {error}")


class Group:
    """A group of workers as one member sees it. All members must make the same calls in the same order. A group of one
    does not communicate."""

    def __init__(self, device: torch.device, rank: int = 0, size: int = 1, backend: Any = None) -> None:
        self.device = device
        self.rank = rank
        self.size = size
        self._backend = backend
        self._sockets: Set[Tuple[str, str]] = set()  # those that were opened while the group formed

    @staticmethod
    def meet(device: torch.device, store: dist.Store, rank: int, size: int, timeout: timedelta) -> Group:
        """Meets the other members through `store`. Raises PeerLost if that fails, or the error itself if it is this
        worker's own fault."""
        before = _open_sockets()
        try:
            group = Group(device, rank, size, _make_backend(device, store, rank, size, timeout))
        except Exception as error:  # libraries turn the store's exceptions into their own
            raise _cause(error) from None
        group._sockets = _open_sockets() - before
        _groups.add(group)
        return group

    @property
    def backend_name(self) -> str:
        return "NCCL" if self._backend is not None and "NCCL" in type(self._backend).__name__ else "Gloo"

    def start_sum(self, values: torch.Tensor) -> Any:
        """Starts to sum `values` over the members, in place. Call `finish()` with the returned work before using
        them."""
        try:
            return self._backend.allreduce([values])
        except RuntimeError as error:
            raise _cause(error) from None

    def finish(self, work: Any) -> None:
        try:
            work.wait()
        except RuntimeError as error:
            raise _cause(error) from None

    def sum(self, numbers: Sequence[float]) -> List[float]:
        """Sums numbers elementwise over all members."""
        if self.size == 1:
            return list(numbers)
        values = torch.tensor(numbers, dtype=torch.float64).to(self.device)
        self.finish(self.start_sum(values))
        return values.tolist()

    def gather(self, numbers: Sequence[float]) -> List[List[float]]:
        """Returns every member's numbers, by rank. All members must give equally many."""
        table = [0.0] * (self.size * len(numbers))
        table[self.rank * len(numbers) : (self.rank + 1) * len(numbers)] = numbers
        table = self.sum(table)
        return [table[i * len(numbers) : (i + 1) * len(numbers)] for i in range(self.size)]

    def broadcast(self, values: torch.Tensor) -> None:
        """Copies rank 0's values into every member's tensor, which must be on the group's device."""
        try:
            self.finish(self._backend.broadcast([values]))
        except RuntimeError as error:
            raise _cause(error) from None

    def broadcast_bytes(self, content: Optional[bytes]) -> bytes:
        """Returns rank 0's bytes on every member."""
        if self.size == 1:
            return content or b""
        length = torch.tensor([len(content or b"")]).to(self.device)
        self.broadcast(length)
        buffer = torch.empty(int(length), dtype=torch.uint8)
        if self.rank == 0 and content:
            buffer = torch.frombuffer(bytearray(content), dtype=torch.uint8)
        buffer = buffer.to(self.device)
        self.broadcast(buffer)
        buffer = buffer.cpu()
        return ctypes.string_at(buffer.data_ptr(), buffer.numel())

    def close(self) -> None:
        """Leaves the group: peers that still wait in it get an error."""
        backend, self._backend = self._backend, None
        if backend is not None and "NCCL" in type(backend).__name__:
            backend.abort()  # Gloo's connections close with the object


_groups: weakref.WeakSet[Group] = weakref.WeakSet()


def _open_sockets() -> Set[Tuple[str, str]]:
    """This process's sockets: their descriptors, with names that tell a socket from a later one of its descriptor."""
    found = set()
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # it has been closed, as the one for this list
            found.add((descriptor, os.readlink(f"/proc/self/fd/{descriptor}")))
    return {each for each in found if each[1].startswith("socket:")}


def _let_go() -> None:
    """Takes the groups' connections from a process that the program has just forked, such as one of a DataLoader. With
    its copies, peers would not notice that this worker leaves while that process lives."""
    nothing, inherited = os.open(os.devnull, os.O_RDWR), _open_sockets()
    for group in _groups:
        for descriptor, _ in group._sockets & inherited:
            os.dup2(nothing, int(descriptor))
    os.close(nothing)


os.register_at_fork(after_in_child=_let_go)


def _make_backend(device: torch.device, store: dist.Store, rank: int, size: int, timeout: timedelta) -> Any:
    if device.type != "cuda" or _share_a_gpu(store, rank, size):
        options = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
        # crescendo names the interface if the group spans nodes.
        interface = os.environ.get("GLOO_SOCKET_IFNAME", "lo")
        options._devices = [dist.ProcessGroupGloo.create_device(interface=interface)]
        can_change = hasattr(dist.ProcessGroupGloo, "set_timeout")  # from torch 2.9 on
        options._timeout = min(timeout, CONNECT_TIMEOUT) if can_change else timeout
        backend = dist.ProcessGroupGloo(store, rank, size, options)
        if can_change:
            backend.set_timeout(timeout)
        return backend
    return dist.ProcessGroupNCCL(store, rank, size, _nccl_options(timeout))


def _nccl_options(timeout: timedelta) -> Any:
    for name, value in NCCL_SETTINGS.items():
        os.environ.setdefault(name, value)
    # Making a communicator waits for all members. With a non-blocking NCCL, torch waits, but no longer than this.
    os.environ.setdefault("TORCH_NCCL_NONBLOCKING_TIMEOUT", str(math.ceil(timeout.total_seconds())))
    options = dist.ProcessGroupNCCL.Options()
    options.config.blocking = 0
    options._timeout = timeout
    return options


def _share_a_gpu(store: dist.Store, rank: int, size: int) -> bool:
    """Whether two members use the same GPU, or two slices of one: NCCL refuses that. It identifies GPUs by their PCI
    place. Only rank 0 compares, and tells the others: if each did, the store would get quadratically many requests."""
    gpu = torch.cuda.get_device_properties(0)
    place = [getattr(gpu, f"pci_{part}_id", gpu.uuid) for part in ("domain", "bus", "device")]
    host = socket.gethostname()
    if POSE_AS_MACHINE in os.environ:
        host = os.environ["NCCL_HOSTID"] = str(os.getpid())
    own = f"{host} {place}"
    if rank != 0:
        store.set(f"gpu/{rank}", own)
        return store.get("gpu/shared") == b"yes"
    others = store.multi_get([f"gpu/{other}" for other in range(1, size)])
    is_shared = len({own.encode(), *others}) < size
    store.set("gpu/shared", "yes" if is_shared else "no")
    return is_shared
