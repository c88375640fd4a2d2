"""Averages the gradients of a group's members while backward() still runs."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from crescendo.torch.group import Group
from crescendo.torch.noise_scale import Norms

BUCKET_BYTES = 25 * 1024 * 1024  # as DistributedDataParallel has
FIRST_BUCKET_BYTES = 1024 * 1024

HELD = 2.0**-10  # counts for a parameter that no pass used, and whose gradient is there all the same

_hooks = WeakTensorKeyDictionary()  # of parameters, which may outlive the trial that they are attached to


class _Bucket:
    """Gradients that are summed over the group in one go."""

    def __init__(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        like = parameters[0]
        sizes = [p.numel() for p in parameters]
        # One more value for each parameter: how many backward passes of how many members used it, or less than 1 if
        # none did. And one for the squared norm of the members' own gradients.
        self.flat = torch.zeros(sum(sizes) + len(sizes) + 1, dtype=like.dtype, device=like.device)
        self.whole, self.used, self.norm = self.flat.split([sum(sizes), len(sizes), 1])
        gradients = self.whole.split(sizes)
        self.gradients = [flat.view_as(p) for flat, p in zip(gradients, parameters)]
        self.parameters = list(parameters)
        self.counts = [0] * len(sizes)  # what `used` is to hold, on the host
        self.arrived: List[int] = []  # parameters whose gradients are to be added
        self.num_missing = 0

    def clear(self) -> None:
        self.flat.zero_()
        self.counts = [0] * len(self.counts)
        self.arrived.clear()

    def uses(self) -> List[float]:
        """What `used` is to have of this member."""
        return [count or (0.0 if p.grad is None else HELD) for count, p in zip(self.counts, self.parameters)]

    @torch.no_grad()
    def add_arrived(self, weight: float) -> None:
        """All at once: a GPU takes longer to be asked for each of many small sums than to make it."""
        pairs = [(self.gradients[index], self.parameters[index].grad) for index in self.arrived]
        self.arrived.clear()
        dense = [(whole, gradient) for whole, gradient in pairs if not gradient.is_sparse]
        if dense:
            torch._foreach_add_(*map(list, zip(*dense)), alpha=weight)
        for whole, gradient in pairs:
            if gradient.is_sparse:
                whole.add_(gradient, alpha=weight)


class GradientAverage:
    """Sums the weighted gradients of all micro-batches of all members of a group, in buckets.

    It is what DistributedDataParallel does, without a wrapper around the model: its state dict keeps its names, and a
    regroup only exchanges the group. The buckets depend on the parameters alone, so that a regroup does not change the
    order in which numbers are added up.
    """

    def __init__(
        self,
        parameters: Sequence[torch.nn.Parameter],
        guard: Callable[[Callable[[], None]], None],
        others: Sequence[torch.nn.Parameter] = (),
    ) -> None:
        """`guard` calls what it is given and handles a lost peer. `others` may get gradients that nobody learns from,
        and that the program may look at, as for the norm by which it clips: in each epoch's first backward() the
        members find out which do."""
        self._guard = guard
        self._learned = set(parameters)
        self._others = list(others)
        for parameter in others:
            _unhook(parameter)
        self._looks_for_others = False
        self._buckets: List[_Bucket] = []
        self._place: Dict[torch.nn.Parameter, Any] = {}
        self._add(parameters)
        self._num_learned = len(self._buckets)  # the others' come behind them
        self._group = Group(torch.device("cpu"))
        self._micro_batch = self._num_micro_batches = 0
        self._weight = 1.0
        self._in_backward = False
        self._num_started = 0
        self._works: List[Any] = []
        self._is_measured = False
        self._share = 0.0  # the member's share of the step's samples
        self.norms: Optional[Norms] = None  # of the last step, if it was measured
        self.is_ready = False  # whether backward() has run for the present micro-batch

    def _add(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        for bucket in map(_Bucket, _layout(parameters)):
            self._buckets.append(bucket)
            for index, parameter in enumerate(bucket.parameters):
                self._place[parameter] = (bucket, index)
                _unhook(parameter)
                _hooks[parameter] = parameter.register_post_accumulate_grad_hook(self._take)

    def begin_epoch(self) -> None:
        """All members begin one, or the rest of one."""
        for bucket in self._buckets[self._num_learned :]:
            for parameter in bucket.parameters:
                _unhook(parameter)
                del self._place[parameter]
        del self._buckets[self._num_learned :]
        self._looks_for_others = bool(self._others)

    def expect(
        self, group: Group, micro_batch: int, num_micro_batches: int, weight: float, is_measured: bool = False
    ) -> None:
        """The next backward() is that of this micro-batch of the present step. The sum over all micro-batches and
        members of gradient * weight becomes the gradient. In a measured step of several members its norms are taken."""
        self._group = group
        self._is_measured = is_measured
        self._share = weight if micro_batch == 0 else self._share + weight
        self.norms = None
        self._micro_batch, self._num_micro_batches = micro_batch, num_micro_batches
        self._weight = weight
        self.is_ready = False
        if micro_batch == 0 and not self._is_alone:
            for bucket in self._buckets:
                bucket.clear()
            self._in_backward = False
            self._works.clear()

    @torch.no_grad()
    def clear_gradients(self) -> None:
        """Between two passes of a step: those of the first have been taken over, and the program may leave them, so
        that backward() would add to them."""
        gradients = [parameter.grad for parameter in self._place if parameter.grad is not None]
        dense = [gradient for gradient in gradients if not gradient.is_sparse]
        if dense:
            torch._foreach_zero_(dense)
        for gradient in gradients:
            if gradient.is_sparse:
                gradient.zero_()

    def knows(self, parameter: torch.nn.Parameter) -> bool:
        """Whether it is one whose gradients are learned from."""
        return parameter in self._learned

    def end_step(self) -> None:
        """Until the next expect(), gradients are nobody's."""
        self._num_micro_batches = 0

    @property
    def is_last(self) -> bool:
        return self._micro_batch == self._num_micro_batches - 1

    @property
    def _is_alone(self) -> bool:
        """A whole step in one backward pass: the gradients are what they shall be."""
        return self._group.size == 1 and self._num_micro_batches == 1

    def _take(self, parameter: torch.nn.Parameter) -> None:
        """Takes over the gradient of a parameter as soon as backward() has it."""
        if self._num_micro_batches == 0:
            return  # outside of batches(): step() complains
        if self.is_ready:
            raise RuntimeError(
                "backward() ran twice for one batch: gradients are averaged over the workers when it ends, so the "
                "second would be this worker's alone; add the losses up and call backward() once, and call "
                "optimizer.step() for each batch (micro-batches come from trial.batches()); torch.utils.checkpoint "
                "needs use_reentrant=False"
            )
        if not self._in_backward:
            self._in_backward = True
            self._num_started = 0
            for bucket in self._buckets:
                bucket.num_missing = len(bucket.parameters)
            torch.autograd.Variable._execution_engine.queue_callback(self._finish)
        if self._is_alone:
            return
        bucket, index = self._place[parameter]
        bucket.counts[index] += 1
        bucket.arrived.append(index)
        bucket.num_missing -= 1
        if bucket.num_missing == 0:
            bucket.add_arrived(self._weight)
            if self.is_last and self._group.size > 1:
                self._guard(self._start_complete)

    def _start_complete(self) -> None:
        """All members have to start the buckets in the same order."""
        while self._num_started < len(self._buckets) and self._buckets[self._num_started].num_missing == 0:
            self._start_next()

    @torch.no_grad()
    def _start_next(self) -> None:
        bucket = self._buckets[self._num_started]
        bucket.used.copy_(torch.tensor(bucket.uses(), dtype=bucket.flat.dtype), non_blocking=True)
        if self._is_measured and self._share > 0 and self._num_started < self._num_learned:
            bucket.norm.fill_(_squared_norm(bucket.whole) / self._share)
        self._works.append(self._group.start_sum(bucket.flat))
        self._num_started += 1

    def _finish(self) -> None:
        """At the end of backward(), so that code behind it sees the averaged gradients: to clip them, say."""
        self._in_backward = False
        self.is_ready = True
        for bucket in self._buckets:
            bucket.add_arrived(self._weight)  # of a bucket whose other parameters took no part
        if self._looks_for_others and not self._is_alone:
            self._guard(self._take_others)
        if self.is_last and not self._is_alone:
            if self._group.size > 1:
                self._guard(self._complete)
            self._hand_out()

    def _take_others(self) -> None:
        """Takes over the gradients of those others that any member has some of, from this backward() on."""
        self._looks_for_others = False
        if self.is_last and self._group.size > 1:
            self._complete()
        counts = self._group.sum([float(parameter.grad is not None) for parameter in self._others])
        self._add([parameter for parameter, count in zip(self._others, counts) if count > 0])
        for bucket in self._buckets[self._num_learned :]:
            bucket.arrived = [index for index, each in enumerate(bucket.parameters) if each.grad is not None]
            for index in bucket.arrived:
                bucket.counts[index] = 1
            bucket.add_arrived(self._weight)

    def _complete(self) -> None:
        while self._num_started < len(self._buckets):  # some parameters took no part
            self._start_next()
        works, self._works = self._works, []  # if one fails, those left would keep the group's connections open
        for work in works:
            self._group.finish(work)
        if self._is_measured:
            learned = self._buckets[: self._num_learned]
            parts = sum(float(bucket.norm.real) for bucket in learned)
            whole = sum(float(_squared_norm(bucket.whole)) for bucket in learned)
            self.norms = Norms(whole, parts)

    @torch.no_grad()
    def _hand_out(self) -> None:
        for bucket in self._buckets:
            # A GPU is asked, and waited for, only where a parameter took no part here, and may have elsewhere.
            used = bucket.used.real.tolist() if self._group.size > 1 and 0 in bucket.counts else bucket.counts
            places, averages = [], []
            for parameter, gradient, count in zip(bucket.parameters, bucket.gradients, used):
                if count < 1:
                    _leave_unused(parameter, is_held=count > 0)
                elif parameter.grad is None or parameter.grad.is_sparse:
                    parameter.grad = gradient.clone()
                else:
                    places.append(parameter.grad)
                    averages.append(gradient)
            if places:
                torch._foreach_copy_(places, averages)


def make_dense_for_momentum(optimizer: torch.optim.Optimizer) -> None:
    """The momentum of sparse gradients is sparse, too: it could neither go to other workers, nor take their gradients,
    whose average is dense."""
    for group in optimizer.param_groups:
        if group.get("momentum"):
            for parameter in group["params"]:
                if parameter.grad is not None and parameter.grad.is_sparse:
                    parameter.grad = parameter.grad.to_dense()


def _leave_unused(parameter: torch.nn.Parameter, is_held: bool) -> None:
    """As without a group: the optimizer passes over a parameter that has no gradient. Of one that has the zeros of
    zero_grad(set_to_none=False), momentum and decay go on, and so they do on a member that has entered since."""
    if is_held and parameter.grad is None:
        parameter.grad = torch.zeros_like(parameter)


def _unhook(parameter: torch.nn.Parameter) -> None:
    """A former call of train may have left a hook."""
    if parameter in _hooks:
        _hooks.pop(parameter).remove()


def _squared_norm(values: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(values).square()


def _layout(parameters: Sequence[torch.nn.Parameter]) -> List[List[torch.nn.Parameter]]:
    """Backward reaches the last parameters first. A bucket holds one type on one device."""
    buckets: List[List[torch.nn.Parameter]] = []
    open_buckets: Dict[Any, List[torch.nn.Parameter]] = {}
    sizes: Dict[Any, int] = {}
    for parameter in reversed(parameters):
        kind = (parameter.dtype, parameter.device)
        bucket = open_buckets.get(kind)
        limit = FIRST_BUCKET_BYTES if len(buckets) <= 1 else BUCKET_BYTES
        if bucket is None or sizes[kind] >= limit:
            bucket = open_buckets[kind] = []
            buckets.append(bucket)
            sizes[kind] = 0
        bucket.append(parameter)
        sizes[kind] += parameter.numel() * parameter.element_size()
    return buckets
