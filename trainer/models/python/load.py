#!/usr/bin/env python3
"""Evaluates an exported model on its validation samples, and compares the metrics with those of the sweep.

    python load.py                       the validation samples of the sweep
    python load.py --data file.h5:/test  other samples, stored in the same way

It needs torch, numpy and h5py, but not Crescendo. In your own code, with this folder as `winner`:

    import sys
    sys.path.append("winner")
    import load
    model = load.load_model()                    # trained, in evaluation mode
    outputs = model(load.prepare(samples))       # samples: a numpy array, as stored in the data set

For classes, outputs.argmax(1) are the answers. If there are several inputs, `prepare` takes one array for each. If the
model was trained on files with different packing factors, `prepare` takes unpacked numbers.
"""
import argparse
import glob
import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

HERE = Path(__file__).resolve().parent
EXPORT = json.loads((HERE / "export.json").read_text(encoding="utf-8"))
CLASSES = EXPORT["task"]["kind"] == "classification"
TOLERANCE = {"bf16": 1e-2, "fp16": 2e-3, "tf32": 2e-3}.get(EXPORT["precision"], 1e-4)  # for another processor
PRODUCTS = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(EXPORT["precision"])
MOST_SCORES = 2**25  # samples times classes; above it, auroc uses a random part of the samples, another one here


def load_model():
    """Returns the trained model, in evaluation mode."""
    if EXPORT["model"] == "model.ts":
        return torch.jit.load(str(HERE / "model.ts")).eval()
    spec = importlib.util.spec_from_file_location("crescendo_model", HERE / EXPORT["model"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.make_model()
    model.load_state_dict(torch.load(HERE / "model.pt", weights_only=True))
    return model.eval()


def unpack(numbers, packing):
    """Converts stored numbers to their meaning, by the data set's attributes; NaN where a number is missing."""
    numbers[numbers < 0] += packing["wrap"]  # unsigned integers stored as signed ones
    invalid = np.isin(numbers, packing["missing"])
    if packing["valid_min"] is not None:
        invalid |= ~(numbers >= packing["valid_min"])
    if packing["valid_max"] is not None:
        invalid |= ~(numbers <= packing["valid_max"])
    numbers[invalid] = np.nan
    return numbers * packing["scale"] + packing["offset"]


def convert(stored, field):
    """Converts (samples, shape of a sample) as stored to (samples, numbers) in float32, as the model takes them."""
    if field["part"]:
        taken = tuple(slice(*axis) if isinstance(axis, list) else axis for axis in field["part"])
        stored = stored[(slice(None),) * (stored.ndim - len(taken)) + taken]
    if field["channels_last"]:
        stored = np.moveaxis(stored, -1, stored.ndim - field["axes"])
    if field["packing"]:
        stored = unpack(stored.astype(np.float64), field["packing"])
    is_wide = stored.dtype == np.float64 or (stored.dtype.kind in "iu" and stored.dtype.itemsize >= 4)
    is_wide = is_wide or np.any(np.abs(field["mean"]) > 1024 * np.abs(field["std"]))  # float32 would round the mean
    numbers = stored.astype(np.float64 if is_wide else np.float32)
    channels = [-1] + [1] * (field["axes"] - 1 if field["axes"] >= 3 else 0)
    mean, std = (np.array(field[name], numbers.dtype).reshape(channels) for name in ("mean", "std"))
    numbers = ((numbers - mean) / std).astype(np.float32)
    if field["pad"]:
        numbers = np.pad(numbers, [(0, 0)] * (numbers.ndim - 2) + field["pad"]["sides"], mode=field["pad"]["mode"])
    return numbers.reshape(len(numbers), -1)


def prepare(*stored):
    """Makes the model's inputs from stored samples: one array for each input, samples first."""
    numbers = [convert(np.asarray(array), field) for array, field in zip(stored, EXPORT["inputs"], strict=True)]
    return torch.from_numpy(np.concatenate(numbers, axis=1)).reshape(-1, *EXPORT["task"]["input_shape"])


def wanted(inputs, stored):
    """Returns the correct answers for `inputs`, whose targets are `stored`."""
    if EXPORT["task"]["kind"] == "reconstruction":
        return inputs.flatten(1)
    if CLASSES:
        classes, packing = stored[0].astype(np.int64), EXPORT["targets"][0]["packing"]
        if packing and packing["wrap"]:
            classes[classes < 0] += int(packing["wrap"])
        return torch.from_numpy(classes)
    numbers = [convert(array, field) for array, field in zip(stored, EXPORT["targets"], strict=True)]
    return torch.from_numpy(np.concatenate(numbers, axis=1))


def known(answers, stored):
    """Returns which samples have finite targets, or classes that are not missing."""
    if not CLASSES:
        return answers.isfinite().all(1)
    numbers, packing = stored[0].astype(np.float64), EXPORT["targets"][0]["packing"]
    return torch.from_numpy(np.isfinite(unpack(numbers, packing) if packing else numbers))


def packing_of(column):
    """Returns the packing in a data set's attributes, by the CF conventions; None if there is none."""

    def numbers(name):
        return np.atleast_1d(column.attrs[name]) if name in column.attrs else np.array([])

    scale, offset = numbers("scale_factor"), numbers("add_offset")
    is_scaled = len(scale) + len(offset) > 0
    scale, offset = float([*scale, 1][0]), float([*offset, 0][0])
    word = column.attrs.get("_Unsigned", "false")
    word = word.decode() if isinstance(word, bytes) else str(word)
    wrap = 2.0 ** (8 * column.dtype.itemsize) if word.lower() == "true" and column.dtype.kind == "i" else 0.0
    missing = np.concatenate([numbers("_FillValue"), numbers("missing_value")]).astype(column.dtype).astype(np.float64)
    limits = [numbers(name) for name in ("valid_min", "valid_max")]
    if "valid_range" in column.attrs:
        limits = [own if len(own) else limit for own, limit in zip(limits, np.split(numbers("valid_range"), 2))]
    if is_scaled and column.dtype.kind in "iu" and any(limit.dtype.kind == "f" for limit in limits):
        limits = [(limit - offset) / scale for limit in limits][:: 1 if scale > 0 else -1]  # of unpacked numbers
    elif wrap:
        limits = [np.where(limit < 0, limit + wrap, limit) for limit in limits]
    missing[missing < 0] += wrap
    if not wrap and not is_scaled and not len(missing) and not any(map(len, limits)):
        return None
    valid_min, valid_max = (float(limit[0]) if len(limit) else None for limit in limits)
    limits = {"valid_min": valid_min, "valid_max": valid_max}
    return {"wrap": wrap, "scale": scale, "offset": offset, "missing": missing, **limits}


class Unpacked:
    """A data set whose rows are unpacked when read."""

    def __init__(self, column, packing):
        self.column, self.packing = column, packing
        self.type = np.float32 if column.dtype.itemsize <= 2 or column.dtype == np.float32 else np.float64

    def __len__(self):
        return len(self.column)

    def __getitem__(self, rows):
        return unpack(self.column[rows].astype(np.float64), self.packing).astype(self.type)


def column_of(group, field):
    """Returns a data set. If its files have different packing factors, export.json has none, and it is unpacked."""
    column = group[field["data_set"]]
    packing = packing_of(column) if "packing" in field and not field["packing"] else None
    return Unpacked(column, packing) if packing else column


def read(column, rows):
    """Reads rows, which ascend, of a data set."""
    if rows[-1] - rows[0] + 1 == len(rows):
        return column[rows[0] : rows[-1] + 1]
    return column[rows]


def files_named(name):
    """Returns the files that match a pattern such as era5/*.nc, sorted, or only the file of that name if it exists."""
    if Path(name).exists() or not set(name) & set("*?["):
        return [name]
    return sorted(path for path in glob.glob(name) if Path(path).is_file() and not path.endswith(".stats.json"))


def selected_rows(file, selection, before, count):
    """Returns the selected rows of a file with `count` rows; the files before it have `before` rows."""
    if selection.startswith("/"):
        return np.sort(file[selection][:].astype(np.int64))
    begin, end, step = [int(number) if number else None for number in [*selection.split(":"), "", ""][:3]]
    rows = np.arange(before, before + count) - (begin or 0)
    taken = (rows >= 0) & (rows % (step or 1) == 0)
    if end is not None:
        taken &= rows < end - (begin or 0)
    return np.flatnonzero(taken)


def batches(location, size=256):
    """Yields (inputs, targets) for the samples at FILE:/GROUP, FILE:/GROUP[BEGIN:END], …[BEGIN:END:STEP] or …[/LIST].

    FILE may be a pattern for several files, whose rows follow each other.
    """
    try:
        import hdf5plugin  # noqa: F401  filters such as blosc, if the package is installed
    except ImportError:
        pass
    import h5py

    place, selection = re.fullmatch(r"(.*?)(?:\[([^\[\]]*)\])?", location).groups()
    path, group = place.rsplit(":", 1)
    before = 0
    for name in files_named(path):
        with h5py.File(name, "r") as file:
            inputs = [column_of(file[group], field) for field in EXPORT["inputs"]]
            targets = [column_of(file[group], field) for field in EXPORT["targets"]]
            rows = selected_rows(file, selection or "", before, len(inputs[0]))
            before += len(inputs[0])
            yield from batches_of_file(name, inputs, targets, rows, size)


def batches_of_file(name, inputs, targets, rows, size):
    window = EXPORT["window"]
    ahead = window["length"] - 1 + window["horizon"] if window["length"] else 0
    firsts = rows[: max(0, len(rows) - ahead) : window["stride"]]
    for at in range(0, len(firsts), size):
        part = firsts[at : at + size]
        if window["length"]:
            stored = [np.stack([column[first : first + window["length"]] for first in part]) for column in inputs]
            stored_answers = [read(column, part + ahead) for column in targets]
        else:
            stored = [read(column, part) for column in inputs]
            stored_answers = [read(column, part) for column in targets]
        samples = prepare(*stored)
        answers = wanted(samples, stored_answers)
        finite = samples.flatten(1).isfinite().all(1) & known(answers, stored_answers)
        if EXPORT["non_finite"] == "keep":
            finite[:] = True
        if not finite.all() and EXPORT["non_finite"] == "error":
            first = part[int((~finite).nonzero()[0])]
            sys.exit(f"load.py: {name}: sample {first} has a number that is missing, NaN or infinite as float32")
        if finite.any():
            yield samples[finite], answers[finite]


def weighed(numbers):
    """Multiplies the targets' numbers, (samples, numbers), by the weights of their image rows."""
    rows = EXPORT["task"].get("row_weights")
    if not rows:
        return numbers
    images = numbers.reshape(len(numbers), -1, len(rows), EXPORT["task"]["target_shape"][-1])
    return (images * torch.tensor(rows, dtype=numbers.dtype)[:, None]).flatten(1)


def relative_errors(outputs, targets):
    """Returns the norm of each sample's error over the norm of its target, or the former if the target is zero."""
    length = weighed(targets.square()).sum(1).sqrt()
    return weighed((outputs - targets).square()).sum(1).sqrt() / length.masked_fill(length == 0, 1)


def loss_sum(outputs, targets):
    """Returns the sum of the samples' losses."""
    if CLASSES:
        return functional.cross_entropy(outputs, targets, reduction="sum")
    name = EXPORT["loss"]["name"]
    if name == "mae":
        loss = functional.l1_loss(outputs, targets, reduction="none")
    elif name == "huber":
        loss = functional.huber_loss(outputs, targets, reduction="none", delta=EXPORT["loss"]["huber_delta"])
    elif name == "relative_l2":
        return relative_errors(outputs, targets).sum()
    elif name == "bce":
        loss = functional.binary_cross_entropy_with_logits(outputs, targets, reduction="none")
    else:
        loss = functional.mse_loss(outputs, targets, reduction="none")
    return weighed(loss).sum() / outputs.shape[1]


def log_odds(outputs):
    """Returns the log-odds of each class: its output, minus the log-sum-exp of the others."""
    outputs = outputs.double()
    if outputs.shape[1] == 2:
        return (outputs - outputs.flip(1)).float().nan_to_num(0)
    shares = outputs.log_softmax(1)
    is_likeliest = torch.arange(outputs.shape[1]) == outputs.argmax(1, keepdim=True)
    others = outputs.masked_fill(is_likeliest, -torch.inf).logsumexp(1, keepdim=True)
    return torch.where(is_likeliest, outputs - others, shares - torch.log1p(-shares.exp())).float().nan_to_num(0)


def mean_area(scores, targets):
    """Returns the mean area under the ROC curves of classes that occur together with others. Ties count as half."""
    areas = []
    for number in range(scores.shape[1]):
        own = scores[targets == number, number]
        others = scores[targets != number, number].sort().values
        if len(own) and len(others):
            won = torch.searchsorted(others, own) + torch.searchsorted(others, own, right=True)
            areas.append(float(won.sum()) / 2 / (len(own) * len(others)))
    return sum(areas) / len(areas) if areas else float("nan")


class Scores:
    """Log-odds and classes of all samples, or of a random share of them."""

    def __init__(self):
        self.share = 1.0
        self.batches = []
        self.generator = torch.Generator().manual_seed(0)

    def drawn(self, scores, targets, share):
        taken = torch.rand(len(targets), generator=self.generator) < share
        return scores[taken], targets[taken]

    def add(self, scores, targets):
        self.batches.append(self.drawn(scores, targets, self.share))
        if sum(batch[0].numel() for batch in self.batches) > MOST_SCORES:
            self.share /= 2
            self.batches = [self.drawn(*self.all(), 0.5)]

    def all(self):
        scores, targets = zip(*self.batches)
        return torch.cat(scores), torch.cat(targets)


class Sums:
    """Sums over samples, from which the metrics follow."""

    def __init__(self):
        self.samples = 0
        self.loss = 0.0
        self.top5 = 0
        classes = EXPORT["task"]["num_outputs"] if CLASSES else 0
        self.has, self.said, self.right = (torch.zeros(classes, dtype=torch.float64) for _ in range(3))
        self.scores = Scores()
        self.numbers = torch.zeros(5, dtype=torch.float64)  # count, |error|, error², target, target²
        self.relative = 0.0

    def add(self, outputs, targets):
        self.samples += len(outputs)
        self.loss += float(loss_sum(outputs, targets))
        if CLASSES:
            answers = outputs.argmax(1)
            for sums, classes in (
                (self.has, targets),
                (self.said, answers),
                (self.right, targets[answers == targets]),
            ):
                sums += torch.bincount(classes, minlength=len(sums))
            likeliest = outputs.topk(min(5, outputs.shape[1]), 1).indices
            self.top5 += int((likeliest == targets[:, None]).any(1).sum())
            if "auroc" in EXPORT["metrics"]:
                self.scores.add(log_odds(outputs), targets)
            return
        outputs = outputs.sigmoid() if EXPORT["loss"]["name"] == "bce" else outputs
        target = targets.double()
        error = outputs.double() - target
        self.relative += float(relative_errors(outputs.double(), target).sum())
        self.numbers += torch.stack(
            [torch.tensor(float(target.numel()))]
            + [weighed(terms).sum() for terms in (error.abs(), error.square(), target, target.square())]
        )

    def metrics(self):
        found = {"loss": self.loss / self.samples}
        if CLASSES:
            there = self.has > 0
            known = self.has + self.said > 0
            found["accuracy"] = float(self.right.sum()) / self.samples
            found["top5"] = self.top5 / self.samples
            found["f1"] = float((2 * self.right[known] / (self.has + self.said)[known]).mean())
            found["balanced_accuracy"] = float((self.right[there] / self.has[there]).mean())
            if "auroc" in EXPORT["metrics"]:
                found["auroc"] = mean_area(*self.scores.all())
        else:
            count, absolute, squared, target, squared_target = self.numbers.tolist()
            found["mae"] = absolute / count
            found["rmse"] = (squared / count) ** 0.5
            variation = squared_target - target**2 / count  # 0, up to rounding, if all targets are equal
            found["r2"] = 1 - squared / variation if variation > 1e-13 * squared_target else float("nan")
            found["relative_l2"] = self.relative / self.samples
        return {name: found[name] for name in EXPORT["metrics"]}


@torch.no_grad()
def sums_over(model, location):
    """Returns the model's sums over the samples at `location`."""
    sums = Sums()
    for inputs, targets in batches(location):
        with torch.autocast("cpu", dtype=PRODUCTS, enabled=PRODUCTS is not None):
            outputs = model(inputs)
        outputs = outputs.float()
        sums.add(outputs if CLASSES else outputs.reshape(len(inputs), -1), targets)
    if sums.samples == 0:
        sys.exit(f"load.py: {location} has no samples to evaluate")
    return sums


def evaluate(model, location):
    """Returns the model's metrics over the samples at `location`."""
    return sums_over(model, location).metrics()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="FILE:/GROUP; default: the validation samples of the sweep")
    location = parser.parse_args().data or EXPORT["validation"]
    if not location:
        sys.exit("load.py: the sweep had no validation samples; name some with --data FILE:/GROUP")
    reported = EXPORT["reported"] if location == EXPORT["validation"] else {}
    differs = False
    sums = sums_over(load_model(), location)
    for name, value in sums.metrics().items():
        there = reported.get("val_" + name)
        if there is None:
            print(f"{name} {value:.8g}")
            continue
        tolerance = max(TOLERANCE, 1e-2) if name == "auroc" and sums.scores.share < 1 else TOLERANCE
        same = abs(value - there) <= tolerance * max(1.0, abs(there))
        differs = differs or not same
        print(f"val_{name} {value:.8g}, in the sweep {there:.8g}{'' if same else ': NOT the same'}")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
