"""Chooses which samples each worker takes in each step."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Callable, Iterator, List, Optional

import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, SequentialSampler

from crescendo.protocol import end_with_parent


def stream(seed: int, *place: int) -> int:
    """A 63-bit seed for one purpose of a trial's randomness; the same on every machine."""
    words = ",".join(map(str, (seed, *place))).encode()
    return int.from_bytes(blake2b(words, digest_size=8).digest(), "little") >> 1


@dataclass(frozen=True)
class MicroBatch:
    """Samples of one worker that go through the model together."""

    samples: List[int]
    """Indices in the data set."""
    index: int
    """Index among the worker's micro-batches of this step, from 0."""
    count: int
    """Number of micro-batches of the worker in this step."""
    weight: float
    """Factor on the gradient of the micro-batch's mean loss: its share of the step's samples."""
    end: int
    """Position in the epoch's order after this step, for the whole group."""


def order_of(loader: DataLoader[Any], seed: int, epoch: int) -> List[int]:
    """Order of the data set's samples in this epoch. It does not depend on the number of workers."""
    size = len(loader.dataset)  # type: ignore[arg-type]
    if isinstance(loader.sampler, SequentialSampler):
        return list(range(size))
    return torch.randperm(size, generator=torch.Generator().manual_seed(stream(seed, epoch))).tolist()


def plan(order: List[int], *, position: int, batch: int, rank: int, size: int, most: int) -> Iterator[MicroBatch]:
    """Yields a worker's micro-batches from `position` to the end of the epoch.

    Each step of a group takes the next `batch` samples. With n samples and W sharers, rank r takes the slice [⌊r·n/W⌋,
    ⌊(r+1)·n/W⌋), in micro-batches of at most `most` samples. All workers make equally many micro-batches, because a
    program may count them. A worker without samples, in an epoch's last short step, gets the step's first samples with
    weight 0: it makes the same step as the others, and learns nothing from these samples.

    >>> for each in plan([3, 1, 4, 0, 2], position=0, batch=4, rank=1, size=2, most=64):
    ...     print(each.samples, each.weight, each.end)
    [4, 0] 0.5 4
    [2] 0.0 5
    """
    while position < len(order):
        end = min(position + batch, len(order))
        step = order[position:end]
        sharers = sharers_of(len(step), batch, size)
        share = step[rank * len(step) // sharers : (rank + 1) * len(step) // sharers] if rank < sharers else []
        largest = -(-len(step) // sharers)
        count = -(-largest // most)
        for index in range(count):
            part = share[index * len(share) // count : (index + 1) * len(share) // count]
            yield MicroBatch(part or step[:most], index=index, count=count, weight=len(part) / len(step), end=end)
        position = end


def sharers_of(count: int, batch: int, size: int) -> int:
    """How many members of a group of `size` share a step of `count` samples.

    In an epoch's last short step, each sharer gets at least two samples if the step has two: batch normalization fails
    with one.

    >>> sharers_of(2, batch=64, size=2), sharers_of(5, batch=64, size=4), sharers_of(4, batch=4, size=4)
    (1, 2, 4)
    """
    return size if count == batch else min(size, max(1, count // 2))


def width_of(loader: Any) -> int:
    """Batch size of the loader, in samples. Raises TypeError if a group cannot share the loader's samples."""
    if not isinstance(loader, DataLoader):
        raise TypeError(
            f"this is a {type(loader).__name__}, but trial.batches() and trial.share() need a "
            "torch.utils.data.DataLoader, to give each worker its share of the data set: DataLoader(dataset, "
            "batch_size=64, shuffle=True)"
        )
    kind = type(loader)
    iterates_itself = kind.__iter__ is not DataLoader.__iter__ or kind._get_iterator is not DataLoader._get_iterator
    if iterates_itself and not kind.__module__.startswith("torchdata."):  # its StatefulDataLoader gives the same
        raise TypeError(
            f"{kind.__name__} is a DataLoader with its own __iter__, which would not be called, because each worker "
            "reads its share of the data set; move what it does to the data set, to collate_fn or into the loop, and "
            "give trial.batches() a torch.utils.data.DataLoader"
        )
    if isinstance(loader.dataset, IterableDataset):
        raise TypeError(
            "the DataLoader's data set is an IterableDataset, whose samples have no indices, so the workers could not "
            "share them after a regroup; give it __getitem__ and __len__"
        )
    if loader.batch_size is None:
        raise TypeError(
            "the DataLoader has no batch_size, so the group's batch is unknown; replace batch_sampler= or "
            "batch_size=None with batch_size="
        )
    if not _takes_each_sample_once(loader):
        raise TypeError(
            f"the DataLoader has the sampler {type(loader.sampler).__name__}, whose order Crescendo cannot continue on "
            "other workers; use shuffle=True or shuffle=False (a DistributedSampler is not needed); if the sampler "
            "selects a part of the data set, such as a training split, make that part the loader's data set: "
            "torch.utils.data.Subset(dataset, indices); if it draws samples, as a WeightedRandomSampler does, draw the "
            "indices at the start of each epoch: indices = torch.multinomial(weights, count, replacement=True).tolist()"
        )
    return int(loader.batch_size)


def _takes_each_sample_once(loader: DataLoader[Any]) -> bool:
    """Whether the sampler is one that `shuffle=` makes. A RandomSampler may also repeat samples or draw only some."""
    sampler = loader.sampler
    is_usual = type(sampler) in (RandomSampler, SequentialSampler) and not getattr(sampler, "replacement", False)
    return is_usual and len(sampler) == len(loader.dataset)  # type: ignore[arg-type]


def reading(loader: DataLoader[Any], batches: List[List[int]], seed: int) -> DataLoader[Any]:
    """Makes a loader that reads these batches of the data set, with the options of `loader`. `seed` is for its
    processes."""
    return DataLoader(
        loader.dataset,
        batch_sampler=batches,
        num_workers=loader.num_workers,
        collate_fn=loader.collate_fn,
        pin_memory=loader.pin_memory,
        timeout=loader.timeout,
        worker_init_fn=_Start(loader.worker_init_fn),
        generator=torch.Generator().manual_seed(seed),
        prefetch_factor=loader.prefetch_factor,
        multiprocessing_context=loader.multiprocessing_context,
    )


class _Start:
    """Makes the system kill a loader's process with its worker. The process has copies of the worker's connections, so
    peers would take a dead worker for alive."""

    def __init__(self, more: Optional[Callable[[int], None]]) -> None:
        self._more = more

    def __call__(self, number: int) -> None:
        end_with_parent()
        if self._more is not None:
            self._more(number)
