"""The sweeps of the campaign. They take seconds, and record every step."""

import json
import struct
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import train

HERE = Path(__file__).resolve().parent
NUM_SAMPLES, BATCH = 240, 16
MAX_RETRIES = 20  # several faults in a row may hit one trial, which causes none of them


@dataclass
class Sweep:
    """What a round trains. `seconds_per_epoch` and `least_reports` say when faults may strike."""

    name: str
    text: str  # the sweep file
    num_trials: int
    max_epochs: int
    least_reports: int
    seconds_per_epoch: float
    steps_per_epoch: int = 0  # of programs, whose losses are known in advance
    environment: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Scheduler:
    text: str
    num_trials: int
    max_epochs: int
    least_reports: int  # of all trials together, whatever the decisions


def sweep_file(scheduler, slots, seed, metric, rest):
    return (f"name: s\nmetric: {{name: {metric}}}\nseed: {seed}\nrun_cap: {scheduler.num_trials}\nslots: {slots}\n"
            f"max_retries: {MAX_RETRIES}\nscheduler: {{{scheduler.text}}}\n{rest}")


def programs(rng, slots, more=""):
    """Programs that write their own checkpoints, one process per trial. `slots` are the slots of a node."""
    scheduler = rng.choice([
        Scheduler("type: fifo, max: 6", 6, 6, 36),
        Scheduler("type: asha, min: 1, max: 9, reduction_factor: 3", 9, 9, 9),
        Scheduler("type: asha, mode: promote, min: 1, max: 9, reduction_factor: 3", 9, 9, 9),
        Scheduler("type: successive_halving, min: 2, max: 8, reduction_factor: 2", 8, 8, 16),
    ])
    return with_program("programs", scheduler, rng, slots, 0.012, more)


# The first trial to reach a rung survives it, so one trial trains to the end: 8 reports, and one of each other trial.
RASDA = Scheduler("type: rasda, min: 1, max: 8, reduction_factor: 2, grow_when: always", 3, 8, 10)


def restarts(rng, slots, more=""):
    """The same programs, restarted with more processes at the rungs."""
    return with_program("restarts", RASDA, rng, slots, 0.04, f"grow: restart\n{more}")


def with_program(name, scheduler, rng, slots, seconds, more):
    steps = 5
    text = sweep_file(scheduler, slots, rng.randrange(1 << 30), "loss",
                      f"parameters: {{x: {{min: 0.0, max: 1.0}}}}\n"
                      f"command: [python3, -S, -E, {HERE}/train.py, --steps={steps}, --seconds={seconds}, "
                      f"\"--x=${{x}}\"]\n{more}")
    return Sweep(name, text, scheduler.num_trials, scheduler.max_epochs, scheduler.least_reports, steps * seconds,
                 steps)


def growing(rng, slots, python, more=""):
    """PyTorch programs whose groups grow in memory. `python` is the interpreter that has torch."""
    steps, seconds = 8, 0.02
    text = sweep_file(RASDA, slots, rng.randrange(1 << 30), "loss",
                      f"parameters: {{x: {{min: 0.0, max: 1.0}}}}\n"
                      f"command: ['{python}', {HERE}/grow.py, --batch-size=8, --seconds={seconds}, \"${{args}}\"]\n"
                      f"grow: in_place\n{more}")
    return Sweep("growing", text, RASDA.num_trials, RASDA.max_epochs, RASDA.least_reports, steps * seconds,
                 environment={"PYTHONPATH": str(HERE.parents[1] / "python"), "OMP_NUM_THREADS": "1"})


def with_trainer(name, scheduler, rng, slots, data, more):
    milliseconds = 6  # per step, so that faults strike in the middle of epochs, even on few cores
    text = sweep_file(scheduler, slots, rng.randrange(1 << 30), "val_loss",
                      f"parameters: {{lr: {{distribution: log_uniform_values, min: 0.01, max: 0.2}}}}\n"
                      f"trainer: {{model: mlp, width: 8, depth: 1, batch_size: {BATCH}, "
                      f"data: {{train: '{data}:/train', validation: '{data}:/validation'}}}}\n{more}")
    return Sweep(name, text, scheduler.num_trials, scheduler.max_epochs, scheduler.least_reports,
                 NUM_SAMPLES / BATCH * milliseconds / 1000, environment={"TEST_PAUSE": str(milliseconds)})


def trainers(rng, slots, data, more=""):
    """crescendo-trainer, trials of one worker."""
    scheduler = Scheduler("type: asha, min: 2, max: 8, reduction_factor: 2", 4, 8, 8)
    return with_trainer("trainers", scheduler, rng, slots, data, more)


def groups(rng, slots, data, more=""):
    """crescendo-trainer, trials whose groups grow at the rungs."""
    return with_trainer("groups", RASDA, rng, slots, data, more)


def groups_over_nccl(rng, slots, data, more=""):
    """The same with members that communicate as on GPUs, through a library in place of NCCL."""
    sweep = with_trainer("nccl", RASDA, rng, slots, data, more)
    sweep.environment["TEST_NCCL"] = "yes"
    return sweep


def write_idx(path, shape, values):
    kind = 0x08  # unsigned bytes
    path.write_bytes(struct.pack(f">BBBB{len(shape)}I", 0, 0, kind, len(shape), *shape) + bytes(values))


def make_data(crescendo, folder):
    """Makes a set of 4x4 images whose brightness determines their class. Returns the file."""
    data = folder / "data.h5"
    for group, count in (("train", NUM_SAMPLES), ("validation", 48)):
        labels = [i % 4 for i in range(count)]
        write_idx(folder / "images", [count, 4, 4], [60 * label + (7 * i) % 40 for label in labels for i in range(16)])
        write_idx(folder / "labels", [count], labels)
        subprocess.run([crescendo, "data", "convert", folder / "images", folder / "labels", f"{data}:/{group}"],
                       check=True, capture_output=True)
    return data


def read_account(folder):
    """The lines of all trainers' accounts, by trial and then by process, without an incomplete last line."""
    account = defaultdict(lambda: defaultdict(list))
    for path in Path(folder).iterdir():
        for line in path.read_text().split("\n")[:-1]:
            step = json.loads(line)
            account[step["trial"]][int(path.name)].append(step)
    return account


def steps_trained_twice(processes):
    """The number of steps in one trial's account that saw a sample again, counted each time."""
    seen = defaultdict(lambda: defaultdict(int))
    for steps in processes.values():
        for step in steps:
            for sample in step["samples"]:
                seen[step["epoch"], step["step"]][sample] += 1
    return sum(max(samples.values()) - 1 for samples in seen.values())


def expected_losses(sweep, account_of_trial):
    """The losses of a program's trial, by epoch from 1; empty if crescendo-trainer trained it."""
    seeds = {step["seed"] for steps in account_of_trial.values() for step in steps if "seed" in step}
    return train.losses(seeds.pop(), sweep.max_epochs, sweep.steps_per_epoch) if len(seeds) == 1 else []
