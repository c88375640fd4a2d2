"""The state that every member of a group holds, and how members share it."""

from __future__ import annotations

import copy
import io
import json
import sys
from collections import Counter, OrderedDict
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import torch

from crescendo.torch.group import Group
from crescendo.torch.learning_rate import RateState
from crescendo.torch.noise_scale import Average, NoiseScale
from crescendo.torch.step_clock import TrainingClock
from crescendo.torch.weights import Sketch, glance

CHUNK_BYTES = 64 * 1024 * 1024
# Keys of an optimizer's groups that schedulers change. Other keys may describe the weights, such as `train_mode` of
# schedule-free optimizers, and must stay consistent with them.
SCHEDULED = ("lr", "initial_lr", "momentum", "betas", "weight_decay")


@dataclass
class Progress:
    """How far a trial has come."""

    epoch: int = 0
    """Completed epochs."""
    position: int = 0
    """Samples of the present epoch that the group has trained on so far."""
    step: int = 0
    """Updates since the trial began."""
    rate: RateState = field(default_factory=RateState)
    noise_scale: NoiseScale = field(default_factory=NoiseScale)
    clock: Optional[TrainingClock] = field(default_factory=TrainingClock)
    """None for a trial of an older version without a clock: its earlier reports have no times."""
    report: Optional[Dict[str, Any]] = None
    """The last report: resource, metrics and the clock."""
    pending: bool = False
    """Whether the decision about the report has not arrived yet."""

    @staticmethod
    def parse(text: str) -> Progress:
        values = json.loads(text)
        noise = {name: Average(**each) for name, each in values.get("noise_scale", {}).items()}
        clock = TrainingClock(**values["clock"]) if values.get("clock") else None
        read = {"rate": RateState(**values["rate"]), "noise_scale": NoiseScale(**noise), "clock": clock}
        return Progress(**{**values, **read})

    def count(self, *, seconds: float = 0.0, evaluated: float = 0.0) -> None:
        """Adds to the training clock: seconds of training, and seconds of evaluation."""
        if self.clock is not None:
            self.clock.seconds += seconds
            self.clock.evaluated += evaluated


class Replica:
    """A trial's state: the attached objects and the progress. Every member of the group holds one."""

    def __init__(self, trial: int, objects: Dict[str, Any]) -> None:
        self.trial = trial
        self.objects = objects
        self.progress = Progress()
        self._noted: Optional[Dict[str, Any]] = None
        self._learned_at_end: Optional[Tuple[str, Sketch]] = None
        self._are_weights_exchanged = False

    @property
    def device(self) -> Optional[torch.device]:
        """Device of the model; None if it has no parameters."""
        return next((parameter.device for parameter in self.objects["model"].parameters()), None)

    def modules(self) -> Dict[str, torch.nn.Module]:
        return {name: each for name, each in self.objects.items() if isinstance(each, torch.nn.Module)}

    def trained(self) -> List[torch.nn.Parameter]:
        """Trainable parameters, each once."""
        return [parameter for parameter in self._parameters() if parameter.requires_grad]

    @property
    def num_frozen(self) -> int:
        """Number of parameters that are not trainable."""
        return sum(not parameter.requires_grad for parameter in self._parameters())

    def _parameters(self) -> List[torch.nn.Parameter]:
        held = [parameter for module in self.modules().values() for parameter in module.parameters()]
        held += [parameter for group in self._groups() for parameter in group["params"]]
        return list({id(parameter): parameter for parameter in held}.values())

    def buffers(self) -> Dict[str, torch.Tensor]:
        """The modules' persistent buffers by name, each once."""
        found: Dict[int, Tuple[str, torch.Tensor]] = {}
        for name, module in self.modules().items():
            for place, part in module.named_modules(prefix=name):
                for key, buffer in part._buffers.items():
                    if buffer is not None and key not in part._non_persistent_buffers_set:
                        found.setdefault(id(buffer), (f"{place}.{key}", buffer))
        return dict(found.values())

    def capture(self) -> Dict[str, Any]:
        """Returns references to the state, not copies. Raises RuntimeError if the weights are not the trained ones."""
        if self._are_weights_exchanged:
            raise RuntimeError(
                "the weights are not those of the epoch's last step: they were exchanged for an evaluation, such as "
                "one with averaged weights, and not put back when it was interrupted, so the trained ones are lost; "
                "put them back in a finally: block, as in try: … finally: restore()"
            )
        state = {name: _without_numpy(each.state_dict()) for name, each in self.objects.items()}
        return {"progress": json.dumps(asdict(self.progress)), **state}

    def restore(self, state: Dict[str, Any]) -> None:
        missing = [name for name in self.objects if name not in state]
        if missing:
            raise RuntimeError(
                f"the trial's state has no {', '.join(missing)}: an earlier start of this trial attached "
                f"{', '.join(name for name in state if name != 'progress')}; attach the same objects each time"
            )
        for name, each in self.objects.items():
            each.load_state_dict(state[name])
        self.progress = Progress.parse(state["progress"])
        self.forget_noted()
        self._are_weights_exchanged = False

    def note(self) -> None:
        """Remembers the state that code outside of steps may change: code before an epoch's first step, and between its
        last step and its report. That is schedules, and with them the optimizer's rates, and averages of weights. The
        weights that the optimizer trains change only in steps, so they are not copied."""
        rates = [{key: group[key] for key in SCHEDULED if key in group} for group in self._groups()]
        learned = {parameter.data_ptr() for parameter in self._learned()}
        states = {name: each.state_dict() for name, each in self.objects.items() if name != "optimizer"}
        others = {
            name: state
            for name, state in states.items()
            if learned.isdisjoint(tensor.data_ptr() for _, tensor in tensors_of(state))
        }
        tensors = [tensor for _, tensor in tensors_of(others)]
        copies = {id(tensor): tensor.detach().to("cpu", copy=True) for tensor in tensors}
        devices = {id(copies[id(tensor)]): tensor.device for tensor in tensors}
        self._noted = {**copy.deepcopy({"rates": rates, "states": others}, copies), "devices": devices}

    def note_weights(self) -> None:
        """Remembers a fingerprint of the optimizer's weights at the end of an epoch's steps, without a copy."""
        self._learned_at_end = self._look_of_optimizer(), glance(self._learned())

    def return_to_noted(self) -> None:
        """Undoes the changes since note(), if train was left before the first step or the report. That code runs again,
        and a schedule would otherwise step twice. Weights that it exchanged cannot be restored, so capture() then
        raises, unless the optimizer made the exchange itself and knows where the weights are."""
        if self._noted is None:
            return
        noted, learned, devices = self._noted, self._learned_at_end, self._noted["devices"]
        self.forget_noted()
        for name, state in noted["states"].items():
            state = _replaced(state, lambda part: part.to(devices[id(part)]) if id(part) in devices else part)
            self.objects[name].load_state_dict(state)
        for group, rates in zip(self._groups(), noted["rates"]):
            group.update(rates)
        if learned is not None and learned[0] == self._look_of_optimizer():
            self._are_weights_exchanged = not learned[1].agrees_with(glance(self._learned()))

    def end_epoch(self) -> None:
        """Completes the epoch at its report. Changes so far become final."""
        self.forget_noted()
        self.progress.epoch += 1
        self.progress.position = 0

    def forget_noted(self) -> None:
        """Makes the changes since note() final."""
        self._noted = self._learned_at_end = None

    def _learned(self) -> List[torch.nn.Parameter]:
        return [parameter for group in self._groups() for parameter in group["params"]]

    def _look_of_optimizer(self) -> str:
        """The optimizer's values besides the weights and their state. Some optimizers note there which weights are in
        place."""
        groups = [{key: group[key] for key in group if key not in ("params", *SCHEDULED)} for group in self._groups()]
        own = {key: each for key, each in vars(self.objects["optimizer"]).items() if isinstance(each, (bool, int, str))}
        return f"{groups} {own}"

    def _groups(self) -> List[Dict[str, Any]]:
        optimizer = self.objects.get("optimizer")
        return optimizer.param_groups if optimizer is not None else []


def _without_numpy(state: Any) -> Any:
    """Replaces NumPy's numbers by Python's: some schedules compute with them, and torch's safe reader refuses them."""
    numpy = sys.modules.get("numpy")
    return _replaced(state, lambda part: part.item() if numpy and isinstance(part, numpy.generic) else part)


def _replaced(state: Any, replace: Callable[[Any], Any]) -> Any:
    """The state with each part replaced by `replace(part)`. Parts that it returns unchanged are searched further."""
    value = replace(state)
    if value is not state:
        return value
    if type(state) in (dict, OrderedDict, Counter):
        content = {_replaced(key, replace): _replaced(each, replace) for key, each in state.items()}
        return _dictionary_like(state, content)
    if type(state) in (list, tuple):
        return type(state)(_replaced(each, replace) for each in state)
    return state


def _dictionary_like(state: Any, content: Dict[Any, Any]) -> Any:
    """Makes a dictionary of the same type with this content. Keeps `_metadata`, in which modules note their format
    versions: without it, they would take the state for an old version's."""
    made = type(state)(content)
    if hasattr(state, "_metadata"):
        made._metadata = state._metadata
    return made


def require_readable(state: Dict[str, Any]) -> None:
    """Raises TypeError if torch's safe reader would refuse the state, on another worker or when the trial is
    resumed."""
    if _is_readable(state):
        return
    for name, each in state.items():
        found = _find_unreadable(each, name)
        if found:
            raise TypeError(
                f"{found}, which torch.load(…, weights_only=True) does not read, so the state could neither be sent to "
                "other workers nor be loaded from a checkpoint; make state_dict() return only tensors, numbers, "
                "strings, and lists and dictionaries of these"
            )


def require_copyable(replica: Replica) -> None:
    """Raises TypeError if a tensor cannot be sent or loaded: otherwise the first regroup would fail."""
    for place, tensor in tensors_of(replica.capture()):
        if tensor.layout != torch.strided:
            raise TypeError(
                f"{place} is a tensor with the layout {str(tensor.layout).split('.')[-1]}, which cannot be sent to "
                "other workers; make it dense, or keep it out of the state: register_buffer(…, persistent=False)"
            )
    for name, buffer in replica.buffers().items():
        if any(size > 1 and stride == 0 for size, stride in zip(buffer.shape, buffer.stride())):
            raise TypeError(
                f"the buffer {name} is expanded: several of its values share the same memory, so a state cannot be "
                "loaded into it; register its contiguous() copy"
            )


def tensors_of(state: Any, place: str = "") -> Iterator[Tuple[str, torch.Tensor]]:
    """Yields each tensor with its place in the state."""
    if isinstance(state, torch.Tensor):
        yield place, state
    elif isinstance(state, (dict, list, tuple)):
        for key, child in state.items() if isinstance(state, dict) else enumerate(state):
            yield from tensors_of(child, f"{place}[{key!r}]" if place else key)


def _find_unreadable(state: Any, place: str) -> Optional[str]:
    """Describes the first unreadable part and its place; None if there is none."""
    if _is_readable(state):
        return None
    children: Any = ()
    if isinstance(state, (dict, list, tuple)):
        children = state.items() if isinstance(state, dict) else enumerate(state)
    found = (_find_unreadable(child, f"{place}[{key!r}]") for key, child in children)
    return next(filter(None, found), None) or f"{place} is a {type(state).__module__}.{type(state).__qualname__}"


def _is_readable(state: Any) -> bool:
    """Whether torch's safe reader accepts the state. Skips its tensors, which it always accepts."""
    skeleton = io.BytesIO()
    try:
        torch.save(_take_out(state, []), skeleton)
        skeleton.seek(0)
        torch.load(skeleton, weights_only=True)
    except Exception:  # from pickle, torch, or a pickled object
        return False
    return True


def share(replica: Replica, group: Group) -> None:
    """Sends rank 0's state to all members of the group. Raises PeerLost."""
    if group.size == 1:
        return
    tensors: List[torch.Tensor] = []
    skeleton = b""
    if group.rank == 0:
        captured = replica.capture()
        require_readable(captured)
        buffer = io.BytesIO()
        torch.save(_take_out(captured, tensors), buffer)
        skeleton = buffer.getvalue()
    # Not pickle's own loader: data from the network must not be able to run code.
    state = torch.load(io.BytesIO(group.broadcast_bytes(skeleton)), weights_only=True)
    if group.rank != 0:
        state, tensors = _with_tensors(state, group.device)
    for chunk in _chunks(tensors):
        flat = torch.cat([_bytes_of(tensor).to(group.device) for tensor in chunk])
        group.broadcast(flat)
        if group.rank != 0:
            for tensor, values in zip(chunk, flat.split([t.numel() * t.element_size() for t in chunk])):
                _bytes_of(tensor).copy_(values)
    if group.rank != 0:
        replica.restore(state)


@torch.no_grad()
def share_buffers(buffers: Mapping[str, torch.Tensor], group: Group) -> None:
    """Copies rank 0's buffers to all members of the group. Raises RuntimeError on every member if shapes differ."""
    shapes = {name: [str(buffer.dtype), *buffer.shape] for name, buffer in buffers.items()}
    first = json.loads(group.broadcast_bytes(json.dumps(shapes).encode() if group.rank == 0 else None))
    differs = {f"the shape of the buffer {name}": shapes.get(name) != first[name] for name in first}
    differs["the number of buffers"] = len(shapes) != len(first)
    for what, count in zip(differs, group.sum(list(map(float, differs.values())))):
        if count > 0:
            raise RuntimeError(
                f"{what} differs between workers, so rank 0's buffers cannot be copied to all; give the buffers the "
                "same sizes on all workers, or keep those that depend on the data out of the state: register_buffer(…, "
                "persistent=False)"
            )
    for buffer in buffers.values():
        values = buffer.detach().to(group.device).contiguous()
        group.broadcast(values.reshape(-1).view(torch.uint8))
        buffer.copy_(values)


PLACE = "crescendo.tensor"


def _take_out(state: Any, tensors: List[torch.Tensor]) -> Any:
    """The state with a placeholder for each tensor. Appends the tensors to `tensors`."""

    def take(part: Any) -> Any:
        if not isinstance(part, torch.Tensor):
            return part
        tensors.append(part.detach())
        return (PLACE, part.dtype, list(part.shape), part.device.type == "cpu")

    return _replaced(state, take)


def _with_tensors(state: Any, device: torch.device) -> Tuple[Any, List[torch.Tensor]]:
    """The state with an uninitialized tensor for each placeholder, and these tensors in order. Puts on `device` what
    was on a GPU: not every load_state_dict() copies to the device that it needs."""
    tensors: List[torch.Tensor] = []

    def make(part: Any) -> Any:
        if not (isinstance(part, tuple) and len(part) == 4 and isinstance(part[0], str) and part[0] == PLACE):
            return part
        _, kind, shape, is_on_cpu = part
        tensors.append(torch.empty(shape, dtype=kind, device="cpu" if is_on_cpu else device))
        return tensors[-1]

    return _replaced(state, make), tensors


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _chunks(tensors: List[torch.Tensor]) -> List[List[torch.Tensor]]:
    """Groups neighbouring tensors into broadcasts of about CHUNK_BYTES, because each broadcast costs a round trip."""
    chunks: List[List[torch.Tensor]] = []
    size = CHUNK_BYTES
    for tensor in tensors:
        if tensor.numel() == 0:
            continue
        if size >= CHUNK_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(tensor)
        size += tensor.numel() * tensor.element_size()
    return chunks
