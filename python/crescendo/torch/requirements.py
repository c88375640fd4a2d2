"""Checks of what a program gives to its trial. They ensure that all members of a group learn the same, and that
newcomers and checkpoints get all of it."""

from __future__ import annotations

from typing import Any, List, Mapping

import torch
from torch.utils.data import DataLoader

from crescendo.torch.gradients import GradientAverage
from crescendo.torch.group import Group
from crescendo.torch.samples import width_of
from crescendo.torch.state import Replica, tensors_of
from crescendo.torch.unattached import parts_of, unattached


def require_one_optimizer(more: Mapping[str, Any]) -> None:
    for name, each in more.items():
        if isinstance(each, torch.optim.Optimizer):
            raise TypeError(
                f"{name} is a second optimizer, but gradients are averaged over the workers for only one, so what this "
                "one learns would differ between workers; give one optimizer all parameters, with one group per set of "
                "options, or let the program grow by a restart"
            )


def require_shapes(objects: Mapping[str, Any]) -> None:
    for name, module in objects.items():
        if not isinstance(module, torch.nn.Module):
            continue
        for place, tensor in (*module.named_parameters(), *module.named_buffers()):
            if torch.nn.parameter.is_lazy(tensor):
                raise RuntimeError(
                    f"{name}.{place} has no shape yet: lazy modules get their shapes from the first batch; run one "
                    "batch through the model before trial.attach()"
                )


def require_no_other_group(objects: Mapping[str, Any]) -> None:
    """Refuses modules that communicate through torch's default group, which a growing trial lacks. SyncBatchNorm would
    otherwise work alone on each worker, without a warning."""
    for name, module in objects.items():
        parts = module.named_modules() if isinstance(module, torch.nn.Module) else ()
        for place, part in parts:
            whole = ".".join(filter(None, (name, place)))
            if isinstance(part, torch.nn.parallel.DistributedDataParallel):
                raise TypeError(
                    f"{whole} is a DistributedDataParallel, but Crescendo averages the gradients itself; leave out the "
                    "wrapper and attach the model itself, so that workers can come and go"
                )
            if isinstance(part, torch.nn.SyncBatchNorm):
                raise TypeError(
                    f"{whole} is a SyncBatchNorm, which needs the default group of torch.distributed; a growing trial "
                    "has none, so each worker would use the statistics of its own samples only; leave out "
                    "convert_sync_batchnorm(), use a GroupNorm, or let the program grow by a restart"
                )


def require_dense_gradients(optimizer: torch.optim.Optimizer) -> None:
    if isinstance(optimizer, torch.optim.SparseAdam):
        raise TypeError(
            "SparseAdam takes only sparse gradients, but the average of several workers' gradients is dense; use "
            "torch.optim.Adam"
        )


def require_scheduler(replica: Replica) -> None:
    """Raises if the optimizer has a scheduler that is not attached: entering workers and resumed trials would restart
    it."""
    optimizer = replica.objects["optimizer"]
    others = [each for each in replica.objects.values() if not isinstance(each, torch.nn.Module)]
    is_scheduled = hasattr(optimizer.step, "_wrapped_by_lr_sched")  # set by torch's schedulers
    if is_scheduled and not any(schedulers_of(optimizer, each) for each in others):
        raise unattached("the optimizer has a scheduler", "schedule", "scheduler=…")


def schedulers_of(optimizer: torch.optim.Optimizer, each: Any) -> List[Any]:
    """The optimizer's schedulers among `each` and the objects that it holds, as chained schedulers do."""
    return [part for part in parts_of(each, depth=1) if getattr(part, "optimizer", None) is optimizer]


def require_held(optimizer: torch.optim.Optimizer, objects: List[Any]) -> None:
    """Raises if the optimizer has a parameter that no attached object holds: its training would reach no other worker
    and no checkpoint."""
    modules = [each for each in objects if isinstance(each, torch.nn.Module)]
    others = [each for each in objects if not isinstance(each, torch.nn.Module)]
    held = {id(parameter) for module in modules for parameter in module.parameters()}
    places = {tensor.data_ptr() for each in others for _, tensor in tensors_of(each.state_dict())}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.requires_grad and id(parameter) not in held and parameter.data_ptr() not in places:
                raise RuntimeError(
                    f"the optimizer has a parameter of shape {list(parameter.shape)} that belongs to no attached "
                    "object, so it would reach neither other workers nor checkpoints; attach its module: "
                    "trial.attach(model=…, optimizer=…, criterion=…)"
                )


def require_averaged(optimizer: torch.optim.Optimizer, average: GradientAverage) -> None:
    """Raises if a parameter has a gradient that is not averaged: the workers' steps would differ, and their models
    would drift apart."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None and not average.knows(parameter):
                raise RuntimeError(
                    f"a parameter of shape {list(parameter.shape)} has a gradient, but it was frozen or not in the "
                    "optimizer when trial.attach() was called, so its gradients are not averaged over the workers; "
                    "give the optimizer all parameters, with requires_grad, before attach(), and freeze some with a "
                    "learning rate of 0 for their group"
                )


def require_same_data(loader: DataLoader[Any], group: Group) -> None:
    """Raises if the members' loaders differ in size, batch size or drop_last: their steps and samples would differ. All
    members must call it."""
    own = [len(loader.dataset), width_of(loader), loader.drop_last]  # type: ignore[arg-type]
    members = [[int(each) for each in numbers] for numbers in group.gather([float(each) for each in own])]
    size, width, drops_last = members[0]
    for rank, (other_size, other_width, other_drops_last) in enumerate(members):
        if other_size != size:
            raise RuntimeError(
                f"the data set has {size} samples on rank 0 and {other_size} on rank {rank}, so the workers cannot "
                "share its batches; random choices in train must be the same on each worker: draw them at the start of "
                "train or of an epoch, before the first batch, from the generators of torch, random or NumPy, or from "
                "a new generator whose seed depends only on trial.seed and the epoch"
            )
        if other_width != width:
            raise RuntimeError(
                f"the loader's batches have {width} samples on rank 0 and {other_width} on rank {rank}, but the "
                "workers share each batch, so `batch_size` must be the same on all; do not divide it by trial.size, "
                "and derive it only from trial.args and the epoch"
            )
        if other_drops_last != drops_last:
            raise RuntimeError(
                f"the loader's drop_last is {bool(drops_last)} on rank 0 and {bool(other_drops_last)} on rank {rank}, "
                "so the workers would take different numbers of steps; make it the same on all"
            )
