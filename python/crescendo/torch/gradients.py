"""Averages the gradients of a group's members while backward() runs."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence
from weakref import WeakMethod

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from crescendo.torch.group import Group
from crescendo.torch.noise_scale import Norms

BUCKET_BYTES = 25 * 1024 * 1024  # as in DistributedDataParallel
FIRST_BUCKET_BYTES = 1024 * 1024

HELD = 2.0**-10  # usage count of a parameter that no pass used, but that has a gradient

_hooks = WeakTensorKeyDictionary()  # by parameter; parameters may outlive their trial


class _Bucket:
    """Gradients that are summed over the group in one collective."""

    def __init__(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        like = parameters[0]
        sizes = [p.numel() for p in parameters]
        # One more value per parameter: the number of backward passes, over all members, that used it, or less than 1 if
        # none did. And one value for the squared norm of the members' own gradients.
        self.flat = torch.zeros(sum(sizes) + len(sizes) + 1, dtype=like.dtype, device=like.device)
        self.whole, self.used, self.norm = self.flat.split([sum(sizes), len(sizes), 1])
        gradients = self.whole.split(sizes)
        self.gradients = [flat.view_as(p) for flat, p in zip(gradients, parameters)]
        self.parameters = list(parameters)
        self.counts = [0] * len(sizes)  # values for `used`, on the host
        self.arrived: List[int] = []  # indices of parameters whose gradients are not added yet
        self.num_missing = 0

    def clear(self) -> None:
        self.flat.zero_()
        self.counts = [0] * len(self.counts)
        self.arrived.clear()

    def uses(self) -> List[float]:
        """This member's values for `used`."""
        return [count or (0.0 if p.grad is None else HELD) for count, p in zip(self.counts, self.parameters)]

    @torch.no_grad()
    def add_arrived(self, weight: float) -> None:
        """Adds the arrived gradients, all at once: on a GPU, launching many small sums takes longer than the sums."""
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

    Does what DistributedDataParallel does, but without wrapping the model: the state dict keeps its names, and a
    regroup only exchanges the group. The buckets depend only on the parameters, so a regroup does not change the order
    in which numbers are added.
    """

    def __init__(
        self,
        parameters: Sequence[torch.nn.Parameter],
        guard: Callable[[Callable[[], None]], None],
        others: Sequence[torch.nn.Parameter] = (),
    ) -> None:
        """`guard` calls its argument and handles a lost peer. `others` are parameters that may get gradients but are
        not trained. The program may still read those gradients, for example for a clipping norm. The members find out
        in each epoch's first backward() which of them get gradients."""
        self._guard = guard
        self._learned = set(parameters)
        self._others = list(others)
        for parameter in others:
            _unhook(parameter)
        self._looks_for_others = False
        self._buckets: List[_Bucket] = []
        self._place: Dict[torch.nn.Parameter, Any] = {}
        self._add(parameters)
        self._num_learned = len(self._buckets)  # buckets of `others` come after these
        self._group = Group(torch.device("cpu"))
        self._micro_batch = self._num_micro_batches = 0
        self._weight = 1.0
        self._in_backward = False
        self._num_started = 0
        self._works: List[Any] = []
        self._is_measured = False
        self._share = 0.0  # this member's share of the step's samples
        self.norms: Optional[Norms] = None  # norms of the last step; None if not measured
        self.is_ready = False  # whether backward() has run for the present micro-batch

    def _add(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        for bucket in map(_Bucket, _layout(parameters)):
            self._buckets.append(bucket)
            for index, parameter in enumerate(bucket.parameters):
                self._place[parameter] = (bucket, index)
                _unhook(parameter)
                _hooks[parameter] = parameter.register_post_accumulate_grad_hook(_weakly(self._take))

    def begin_epoch(self) -> None:
        """Call it on all members when they begin an epoch or the rest of one."""
        for bucket in self._buckets[self._num_learned :]:
            for parameter in bucket.parameters:
                _unhook(parameter)
                del self._place[parameter]
        del self._buckets[self._num_learned :]
        self._looks_for_others = bool(self._others)

    def expect(
        self, group: Group, micro_batch: int, num_micro_batches: int, weight: float, is_measured: bool = False
    ) -> None:
        """Announces the next backward(): that of this micro-batch of the present step. The sum of gradient * weight
        over all micro-batches and members becomes the gradient. If `is_measured`, also takes the step's norms, in a
        group of several members."""
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
        """Zeroes the gradients between two passes of a step. They are summed already, and the program may not clear
        them itself, so backward() would add to them."""
        gradients = [parameter.grad for parameter in self._place if parameter.grad is not None]
        dense = [gradient for gradient in gradients if not gradient.is_sparse]
        if dense:
            torch._foreach_zero_(dense)
        for gradient in gradients:
            if gradient.is_sparse:
                gradient.zero_()

    def knows(self, parameter: torch.nn.Parameter) -> bool:
        """Whether this parameter's gradients are averaged for training."""
        return parameter in self._learned

    def end_step(self) -> None:
        """Ignores gradients until the next expect()."""
        self._num_micro_batches = 0

    @property
    def is_last(self) -> bool:
        return self._micro_batch == self._num_micro_batches - 1

    @property
    def _is_alone(self) -> bool:
        """Whether one member makes the step in one backward pass: its gradients need no averaging."""
        return self._group.size == 1 and self._num_micro_batches == 1

    def _take(self, parameter: torch.nn.Parameter) -> None:
        """Takes a parameter's gradient as soon as backward() has computed it."""
        if self._num_micro_batches == 0:
            return  # outside of batches(): step() raises
        if self.is_ready:
            raise RuntimeError(
                "backward() ran twice for one batch, but gradients are averaged over the workers when the first call "
                "ends, so those of the second would stay on this worker; add up the losses and call backward() once, "
                "and call optimizer.step() for each batch (trial.batches() makes the micro-batches); "
                "torch.utils.checkpoint needs use_reentrant=False"
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
        """Starts the sums of complete buckets, in bucket order: all members must start them in the same order."""
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
        """Finishes the average at the end of backward(), so that later code, such as clipping, sees averaged
        gradients."""
        self._in_backward = False
        self.is_ready = True
        for bucket in self._buckets:
            bucket.add_arrived(self._weight)  # for buckets with unused parameters
        if self._looks_for_others and not self._is_alone:
            self._guard(self._take_others)
        if self.is_last and not self._is_alone:
            if self._group.size > 1:
                self._guard(self._complete)
            self._hand_out()

    def _take_others(self) -> None:
        """Includes those `others` that have a gradient on any member, from this backward() until the epoch ends."""
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
        while self._num_started < len(self._buckets):  # some parameters were not used
            self._start_next()
        works, self._works = self._works, []  # if one fails, leftovers would keep the connections open
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
            # Waits for the GPU only if a parameter was not used here, but may have been on another member.
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
    """Makes gradients dense if the optimizer has momentum. Sparse gradients give a sparse momentum, which could not be
    sent to other workers, nor combined with averaged gradients, which are dense."""
    for group in optimizer.param_groups:
        if group.get("momentum"):
            for parameter in group["params"]:
                if parameter.grad is not None and parameter.grad.is_sparse:
                    parameter.grad = parameter.grad.to_dense()


def _leave_unused(parameter: torch.nn.Parameter, is_held: bool) -> None:
    """Treats an unused parameter as without a group: the optimizer skips it if it has no gradient. If it has the zeros
    of zero_grad(set_to_none=False), momentum and decay continue, also on a member that has entered since."""
    if is_held and parameter.grad is None:
        parameter.grad = torch.zeros_like(parameter)


def _unhook(parameter: torch.nn.Parameter) -> None:
    """Removes a hook that an earlier call of train may have left."""
    if parameter in _hooks:
        _hooks.pop(parameter).remove()


def _weakly(method: Callable[[torch.Tensor], None]) -> Callable[[torch.Tensor], None]:
    """A hook that calls the method while its object exists. Python's garbage collector does not see what torch holds
    for such a hook, so a hook that held the object, and thereby the parameter, would keep both forever."""
    weak = WeakMethod(method)

    def call(parameter: torch.Tensor) -> None:
        alive = weak()
        if alive is not None:
            alive(parameter)

    return call


def _squared_norm(values: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(values).square()


def _layout(parameters: Sequence[torch.nn.Parameter]) -> List[List[torch.nn.Parameter]]:
    """Splits parameters into buckets, last ones first, as backward() reaches them. A bucket has one type and one
    device."""
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
