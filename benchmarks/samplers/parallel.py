"""Measures how soon a sampler finds what random finds: ASHA and RASDA on 64 simulated slots, on the same problems.

    python3 benchmarks/samplers/parallel.py [--seeds 40] [--only NAME,NAME] [--csv FILE] [--table]

Needs no trainer: `crescendo ask-tell` decides, and on one slot, an epoch takes the recorded seconds, or one second if
the problem is a function. Twice as many slots take 1.8 times less (LOSS_PER_DOUBLING). The batch is `global`, so a
trial's curve is the same on any number of slots. Rows of finished sweeps are in the CSV file, with their commit. An
interrupted run continues, because the file is read again. The default of --csv is parallel.csv, which has all sweeps;
to measure them again, name your own file.

The target is the median, over all seeds, of the final loss of random's sweeps. The table shows the median time to the
target and its quartiles, as fractions of the time of random's sweep. A sweep that never gets there counts as longest.
"""
import argparse
import heapq
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402
from problems import PROBLEMS, QUICK_PROBLEMS  # noqa: E402
from recorded import commit, read, writer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SLOTS = 64
TRIALS = 100 if QUICK else 2000
SEARCHED = QUICK_PROBLEMS if QUICK else PROBLEMS
LOSS_PER_DOUBLING = 0.1
SCHEDULERS = {"asha": {"type": "asha"}, "rasda": {"type": "rasda", "batch": "global"}}
COLUMNS = ["problem", "scheduler", "sampler", "seed", "end", "found", "commit"]
SAMPLERS = ("random", "tpe", "cmaes")  # gp is for fewer trials


class Trial:
    """A training on some slots. `left` is the unfinished part of its present epoch at `since`."""

    def __init__(self, losses, epoch_seconds):
        self.losses, self.epoch_seconds = losses, epoch_seconds
        self.epoch, self.left, self.since, self.slots, self.version = 0, 1.0, 0.0, 0, 0

    def speed(self):
        """Epochs a second."""
        return (2 * (1 - LOSS_PER_DOUBLING)) ** math.log2(self.slots) / self.epoch_seconds if self.slots else 0.0

    def put_on(self, slots, now):
        self.left -= (now - self.since) * self.speed()
        self.since, self.slots = now, slots
        self.version += 1


class Cluster:
    """A sweep. `found` has the times at which its best complete trial improved, with the loss. `now` is the end of the
    sweep."""

    def __init__(self, problem, scheduler, sampler, seed):
        self.problem, self.trials, self.reports, self.now, self.found = problem, {}, [], 0.0, []
        sweep = {"metric": {"name": "loss"}, "run_cap": TRIALS, "seed": seed, "method": sampler, "command": ["true"],
                 "scheduler": {**scheduler, "min": 1, "max": problem.max_resource}, "parameters": problem.space}
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "sweep.yaml")
            with open(file, "w") as out:
                json.dump(sweep, out)
            with subprocess.Popen([CRESCENDO, "ask-tell", file], text=True, bufsize=1, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as self.launcher:
                self.tell({"event": "slots_joined", "slots": SLOTS})
                while self.reports:
                    self.next_report()
                self.launcher.stdin.close()

    def tell(self, event):
        self.launcher.stdin.write(json.dumps(event) + "\n")
        for action in json.loads(self.launcher.stdout.readline())["actions"]:
            kind, number = action["action"], action.get("trial")
            if kind == "start_trial":
                *losses, seconds = self.problem.at(action["config"])
                self.trials[number] = Trial(losses, seconds)
                self.trials[number].since = self.now
            if kind in ("start_trial", "resume_trial", "regroup"):
                self.go_on(number, len(action["slots"]))
            elif kind in ("stop_trial", "pause_trial"):
                self.trials[number].put_on(0, self.now)
                self.trials[number].left = 1.0

    def go_on(self, number, slots):
        trial = self.trials[number]
        trial.put_on(slots, self.now)
        heapq.heappush(self.reports, (self.now + trial.left / trial.speed(), number, trial.version))

    def next_report(self):
        at, number, version = heapq.heappop(self.reports)
        trial = self.trials[number]
        if version != trial.version:  # it has stopped, or its slots have changed
            return
        self.now, trial.since, trial.left = at, at, 1.0
        trial.epoch += 1
        loss = trial.losses[trial.epoch - 1]
        if trial.epoch == self.problem.max_resource and (not self.found or loss < self.found[-1][1]):
            self.found.append((at, loss))
        self.tell({"event": "trial_reported", "trial": number, "resource": trial.epoch, "metrics": {"loss": loss}})
        if version == trial.version and trial.slots:
            self.go_on(number, trial.slots)


def time_to(found, target):
    return next((at for at, loss in found if loss <= target), math.inf)


def measured(path):
    return {(row["problem"], row["scheduler"], row["sampler"], int(row["seed"])):
            (json.loads(row["found"]), float(row["end"])) for row in read(path)}


def add(path, key, cluster):
    found = [[round(at, 3), float(f"{loss:.6g}")] for at, loss in cluster.found]
    with writer(path, COLUMNS) as write:
        write([dict(zip(COLUMNS, [*key, round(cluster.now, 3), json.dumps(found), commit()]))])


def table(rows):
    print("\n| problem | scheduler | sampler | seeds | time to random's end (quartiles) | never |")
    print("|---" * 6 + "|")
    for problem in PROBLEMS:
        for scheduler in SCHEDULERS:
            random = {key[3]: value for key, value in rows.items() if key[:3] == (problem, scheduler, "random")}
            if not random:
                continue
            target = statistics.median(found[-1][1] for found, _ in random.values())
            for sampler in SAMPLERS:
                times = sorted(time_to(found, target) / random[key[3]][1] for key, (found, _) in rows.items()
                               if key[:3] == (problem, scheduler, sampler) and key[3] in random)
                if times:
                    low, middle, high = (f"{time:.2f}" if time < math.inf else "never"
                                         for time in (times[len(times) * quarter // 4] for quarter in (1, 2, 3)))
                    print(f"| {problem} | {scheduler} | {sampler} | {len(times)} | {middle} ({low}, {high}) | "
                          f"{times.count(math.inf)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2 if QUICK else 40)
    parser.add_argument("--only", default="random,tpe" if QUICK else ",".join(SAMPLERS), help="samplers")
    parser.add_argument("--csv", default="" if QUICK else os.path.join(HERE, "parallel.csv"))
    parser.add_argument("--table", action="store_true", help="only print what is recorded")
    arguments = parser.parse_args()
    path = arguments.csv or os.path.join(tempfile.mkdtemp(), "parallel.csv")
    done = measured(path)
    for seed in range(0 if arguments.table else arguments.seeds):
        missing = [(problem, scheduler, sampler, seed) for problem in SEARCHED for scheduler in SCHEDULERS
                   for sampler in arguments.only.split(",") if (problem, scheduler, sampler, seed) not in done]
        for problem, scheduler, sampler, _ in missing:
            add(path, (problem, scheduler, sampler, seed),
                Cluster(PROBLEMS[problem], SCHEDULERS[scheduler], sampler, seed))
        print(f"seed {seed}: {len(missing)} sweeps measured, the others are in {path}", file=sys.stderr)
    table(measured(path))


if __name__ == "__main__":
    main()
