#!/usr/bin/env python3
"""Makes the directory of a sweep as if it had been run: the decisions are Crescendo's, the training is a formula.

A virtual cluster asks `crescendo ask-tell` what to do, and writes the journal that a coordinator would have written.
Unlike in `crescendo simulate`, learning depends on the configuration here, so a report has something to show.

usage: virtual_sweep.py CRESCENDO DIR [--trials N] [--slots N] [--type rasda] [--max N] [--seed N]
                        [--faults N] [--fault-rate SHARE] [--message TEXT] [--diverge] [--conditions] [--price PRICE]
                        [--name NAME] [--odd TEXT]
"""
import argparse
import heapq
import json
import math
import random
import subprocess
import zlib
from pathlib import Path

SWEEP = """\
name: {name}
metric: {{name: val_accuracy, goal: maximize}}
run_cap: {trials}
seed: {seed}
parameters:
  lr:       {{distribution: log_uniform_values, min: 1e-4, max: 0.5}}
  momentum: {{min: 0.0, max: 0.98}}
  dropout:  {{min: 0.0, max: 0.6{when}}}
  width:    {{distribution: int_uniform, min: 8, max: 64}}
  act:      {{values: [relu, tanh, gelu]}}
{odd_parameter}scheduler: {{type: {type}, min: 1, max: {max}, reduction_factor: 3, scaling_factor: 2}}
trainer: {{model: cnn, data: {{train: "images.h5:/train", validation: "images.h5:/validation"}}}}
"""
ODD_VALUES = """\
  schedule: {values: [{name: cosine}, {name: step, gamma: 0.1}]}
  sizes: {values: [[64, 64], [128]]}
  clip: {values: [null, 1]}
"""


class Journal:
    """Lines with their numbers and checksums."""

    def __init__(self, path):
        self.file = path.open("wb")
        self.number = 0

    def add(self, record):
        body = json.dumps({"n": self.number, **record}, separators=(",", ":"))[:-1].encode()
        self.file.write(body + b',"crc":"%08x"}\n' % zlib.crc32(body))
        self.number += 1


class Launcher:
    """Gets answers from `crescendo ask-tell`."""

    def __init__(self, crescendo, sweep_file):
        self.process = subprocess.Popen([crescendo, "ask-tell", str(sweep_file)], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def tell(self, event):
        self.process.stdin.write(json.dumps(event) + "\n")
        return json.loads(self.process.stdout.readline())["actions"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def accuracy(config, resource, noise):
    """A learning curve. Its final value depends most on lr, then on momentum, width and act."""
    good = math.exp(-((math.log10(config["lr"]) + 1.4) / 1.1) ** 2)
    good *= 1 - 0.5 * (config["momentum"] - 0.8) ** 2
    good *= 0.9 + 0.1 * math.log(config["width"] / 8) / math.log(8)
    good -= 0.15 * max(0, config.get("dropout", 0) - 0.3)
    good -= {"relu": 0, "tanh": 0.06, "gelu": 0.01}[config["act"]]
    return 0.1 + 0.86 * max(0.0, good) * (1 - 0.55 * resource ** -0.6) + noise


class VirtualCluster:
    def __init__(self, launcher, journal, options):
        self.launcher, self.journal, self.options = launcher, journal, options
        self.random = random.Random(options.seed)
        self.now = 1_700_000_000.0
        self.queue = []   # (time, sequence, trial, generation, kind)
        self.trials = {}  # config, resource, checkpoint, generation, slots
        self.faults_left = options.faults
        self.sequence = 0

    def record(self, **record):
        self.journal.add({**record, "time": round(self.now, 3)})

    def apply(self, event, **more):
        if event["event"] == "trial_reported":
            event["metrics"].update({self.options.odd: 0.5} if self.options.odd else {})
            value = event["metrics"]["val_accuracy"]
            loss = None if value is None else round(-math.log(max(value, 1e-3)), 5)
            self.record(event="trial_reported", trial=event["trial"], resource=event["resource"],
                        loss=None if value is None else -value, metrics={**event["metrics"], "val_loss": loss})
        else:
            self.record(**event, **more)
        for action in self.launcher.tell(event):
            self.perform(action)

    def perform(self, action):
        kind, trial = action["action"], self.trials.get(action.get("trial"))
        if kind == "start_trial":
            self.record(event="trial_proposed", trial=action["trial"], config=action["config"])
            trial = self.trials[action["trial"]] = {"config": action["config"], "resource": 0, "generation": 0}
            trial["speed"] = math.exp(self.random.uniform(-0.2, 0.2))
        if kind in ("start_trial", "resume_trial", "regroup"):
            trial["generation"] = action["generation"]
            if kind == "regroup":
                self.record(note="regrouped", trial=action["trial"], generation=action["generation"], seconds=0.15)
            workers = len(action["slots"])
            seconds = 10 * trial["speed"] / (workers * 0.95 ** math.log2(workers)) * self.random.uniform(0.95, 1.05)
            trial["epoch"] = seconds
            self.foresee(action["trial"], seconds + (2 if kind != "regroup" else 0.2))
        elif kind in ("pause_trial", "stop_trial"):
            trial["generation"] = -1

    def foresee(self, trial, seconds):
        self.sequence += 1
        kind = "epoch"
        if self.faults_left and self.random.random() < self.options.fault_rate:
            kind, seconds, self.faults_left = "fault", seconds / 2, self.faults_left - 1
        heapq.heappush(self.queue, (self.now + seconds, self.sequence, trial, self.trials[trial]["generation"], kind))

    def run(self):
        self.record(note="session", host="node1", slots=self.options.slots)
        self.apply({"event": "slots_joined",
                    "slots": [{"slot": i, "node": i // 4} for i in range(self.options.slots)]})
        while self.queue:
            time, _, number, generation, kind = heapq.heappop(self.queue)
            trial = self.trials[number]
            if trial["generation"] != generation:
                continue
            self.now = time
            if kind == "fault":
                self.apply({"event": "trial_failed", "trial": number, "kind": "crash"},
                           message=self.options.message)
                continue
            trial["resource"] += 1
            noise = self.random.gauss(0, 0.006)
            value = round(accuracy(trial["config"], trial["resource"], noise), 6)
            if self.options.diverge:
                value = None  # NaN in JSON
            self.apply({"event": "trial_reported", "trial": number, "resource": trial["resource"],
                        "metrics": {"val_accuracy": value}})
            if trial["generation"] == generation:
                self.foresee(number, trial["epoch"])


def make(crescendo, folder, options):
    folder = Path(folder)
    (folder / "trials").mkdir(parents=True)
    when = ", when: act == 'relu'" if options.conditions else ""
    odd = json.dumps(options.odd)  # YAML can read this as well
    odd_parameter = f"  {odd}: {{values: [{odd}, plain]}}\n{ODD_VALUES}" if options.odd else ""
    sweep = SWEEP.format(**{**vars(options), "name": options.name or folder.name}, when=when,
                         odd_parameter=odd_parameter)
    if options.price:
        sweep += f"price: {{slot_hour: {options.price}}}\n"
    (folder / "sweep.yaml").write_text(sweep)
    run = {"crescendo": "0.1.0", "sweep": folder.name, "seed": options.seed, "host": "node1"}
    (folder / "run.json").write_text(json.dumps(run))
    journal = Journal(folder / "journal.jsonl")
    journal.add({"journal": "crescendo", "version": 2, "sweep": folder.name, "crescendo": "0.1.0"})
    launcher = Launcher(crescendo, folder / "sweep.yaml")
    VirtualCluster(launcher, journal, options).run()
    launcher.end()
    journal.file.close()


def options(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crescendo")
    parser.add_argument("folder")
    parser.add_argument("--trials", type=int, default=27)
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--type", default="rasda")
    parser.add_argument("--max", type=int, default=27)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--fault-rate", type=float, default=0.02)
    parser.add_argument("--diverge", action="store_true")
    parser.add_argument("--conditions", action="store_true", help="dropout is there with relu only")
    parser.add_argument("--price", type=float, default=0, help="what an hour of a slot costs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", help="of the sweep; default: its folder's")
    parser.add_argument("--odd", default="", help="a parameter, a value and a metric that are called so; also lists, maps and null")
    parser.add_argument("--message", default="Segmentation fault\nin <libtorch_cpu.so> & \"friends\"")
    return parser.parse_args(argv)


if __name__ == "__main__":
    chosen = options()
    make(chosen.crescendo, chosen.folder, chosen)
