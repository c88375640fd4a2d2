"""Does RASDA find what ASHA finds, and how much sooner? Sweeps over recorded learning curves, on simulated slots.

    python benchmarks/rasda_quality/sweeps.py [--seeds N] [--csv FILE] > tables.md      minutes; needs no trainer

Each sweep draws configurations from a pool, with replacement, and for each trial one of the recorded trainings of its
configuration; all policies get the same draws. pool.py recorded them, and curves.py those at a constant batch, which
lack times and take the median. `crescendo simulate` makes the decisions. The batch is `global`, so a trial has its
recorded curve on any number of workers. The winner is the best trial by its last report. Its worth is the test metric
of its configuration when trained alone to the end: the mean over its trainings.
"""
import argparse
import collections
import csv
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from curves import CURVES, HERE  # noqa: E402
from harness import CRESCENDO, QUICK  # noqa: E402
from recorded import mean_and_half_width, read  # noqa: E402

EPOCHS = 18  # in a recorded training
MILESTONES = (1, 3, 9, EPOCHS)
NUM_TRIALS = 27
BUDGET = 92  # epochs; in one comparison, each policy can start trials until it has spent them
MOST_TRIALS = 150  # more than any policy starts in that comparison
SLOTS = (4,) if QUICK else (2, 4, 16, 64)
SWEPT = ("cnn",) if QUICK else ("cnn", "autoencoder")
SCALING = {"good": 0.05, "fair": 0.2}
POLICIES = {
    "asha": "{type: asha}",
    "rasda": "{type: rasda, scaling_factor: 2}",
    "asha, promote": "{type: asha, mode: promote}",
    "rasda, promote": "{type: rasda, scaling_factor: 2, mode: promote}",
    "rasda, published order": "{type: rasda, scaling_factor: 2, rule: percentile, priority: promotions_first, "
                              "grow: wait, surplus: off}",
}
# Metric of the trials, metric of the winner, goal.
PROBLEMS = {"cnn": ("val_accuracy", "test_accuracy", "maximize"), "mlp": ("val_accuracy", "test_accuracy", "maximize"),
            "autoencoder": ("val_loss", "test_loss", "minimize")}

DEFAULT_SCALING = {"sgd": "linear", "adamw": "sqrt"}  # of the learning rate, on the ladder

Sweep = collections.namedtuple("Sweep", "winner worth epochs slot_seconds seconds trials reached")


class Pool:
    """Recorded trainings of a problem: several per configuration, each a list with one row per epoch."""

    def __init__(self, problem, trainings):
        self.metric, self.test, self.goal = PROBLEMS[problem]
        self.problem, self.trainings = problem, trainings
        known = [float(row["seconds"]) for some in trainings for curve in some for row in curve if row.get("seconds")]
        self.usual_seconds = statistics.median(known) if known else 1.0

    def draw(self, seed, path):
        """Writes the curves of a sweep's trials. Returns each trial's configuration."""
        rng = random.Random(f"{self.problem}/{seed}")
        order = [rng.randrange(len(self.trainings)) for _ in range(MOST_TRIALS)]
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["trial", "resource", "seconds", self.metric])
            for trial, config in enumerate(order):
                seconds = 0.0
                for row in rng.choice(self.trainings[config]):
                    seconds += float(row.get("seconds") or self.usual_seconds)
                    writer.writerow([trial, row["epoch"], seconds, row[self.metric] or "nan"])  # it diverged
        return order

    def worth(self, config):
        return statistics.fmean(float(curve[-1][self.test] or "nan") for curve in self.trainings[config])

    def better(self, one, other):
        return math.isnan(other) or (one > other if self.goal == "maximize" else one < other)

    def difference(self, worth, other):
        """How much better one is than the other: points of accuracy, or percent of the loss."""
        return 100 * (worth - other) if self.goal == "maximize" else 100 * (other - worth) / other


def recorded(rows, config_of, seed_of=lambda row: int(row["seed"])):
    """Returns the complete trainings among these rows, by configuration and seed."""
    curves = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        curves[config_of(row)][seed_of(row)].append(row)
    complete = {config: {seed: curve for seed, curve in sorted(some.items()) if len(curve) == EPOCHS}
                for config, some in sorted(curves.items())}
    return {config: some for config, some in complete.items() if some}


def pool_of(problem):
    trainings = recorded(read(os.path.join(HERE, f"pool_{problem}.csv")), lambda row: int(row["config"]),
                         lambda row: int(row["config"]) + 1)
    others = recorded((row for row in read(CURVES) if row["problem"] == problem and row["batch"] == "constant"),
                      lambda row: 2 * int(row["config"]) + (row["optimizer"] == "adamw"))
    configs = sorted({*trainings, *others})
    return Pool(problem, [list({**others.get(each, {}), **trainings.get(each, {})}.values()) for each in configs])


def simulate(pool, curves, scheduler, slots, loss, num_trials, folder):
    """Returns all reports of a sweep, in order, and its summary."""
    sweep, out = os.path.join(folder, "sweep.yaml"), os.path.join(folder, "out")
    with open(sweep, "w") as file:
        file.write(f"metric: {{name: {pool.metric}, goal: {pool.goal}}}\nrun_cap: {num_trials}\nseed: 1\n"
                   f"parameters: {{x: {{min: 0.0, max: 1.0}}}}\n"
                   f"scheduler: {scheduler[:-1]}, min: 1, max: {EPOCHS}, reduction_factor: 3}}\n")
    command = [CRESCENDO, "simulate", sweep, "--slots", str(slots), "--curves", curves, "--out", out,
               "--format", "json", "--set", f"simulate.loss_per_doubling={loss}"]
    summary = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return read(os.path.join(out, "reports.csv")), summary


def outcome(pool, order, reports, slot_seconds, seconds):
    """Returns what the sweep has found after these reports."""
    last, reached = {}, collections.Counter()
    for report in reports:
        trial, resource = int(report["trial"]), int(report["resource"])
        last[trial] = float(report[pool.metric] or "nan")
        reached[resource] += resource in MILESTONES
    winner = None
    for trial in sorted(last):
        if winner is None or pool.better(last[trial], last[winner]):
            winner = trial
    return Sweep(order[winner], pool.worth(order[winner]), len(reports), slot_seconds, seconds, len(last),
                 tuple(reached[milestone] for milestone in MILESTONES))


def run(job):
    """Returns the whole sweep, and one that starts trials until the epochs are spent."""
    pool, policy, slots, scaling, seed = job
    with tempfile.TemporaryDirectory() as folder:
        curves = os.path.join(folder, "curves.csv")
        order = pool.draw(seed, curves)
        arguments = (pool, curves, POLICIES[policy], slots, SCALING[scaling])
        reports, summary = simulate(*arguments, NUM_TRIALS, folder)
        whole = outcome(pool, order, reports, 3600 * summary["slot_hours_used"], summary["makespan"])
        reports = simulate(*arguments, MOST_TRIALS, folder)[0][:BUDGET]
        return whole, outcome(pool, order, reports, None, float(reports[-1]["seconds"]))


def with_interval(values):
    """The mean of the finite values, with its interval."""
    finite = [value for value in values if math.isfinite(value)]
    return "{:+.2f} ± {:.2f}".format(*mean_and_half_width(finite)) if finite else "diverged"


def against(pool, sweeps, others):
    return with_interval([pool.difference(one.worth, other.worth) for one, other in zip(sweeps, others)])


def mean(values):
    return statistics.fmean(values)


def print_table(pool, results):
    """`results` has the sweeps by slots, scaling and policy: those that end by run_cap, and those of equal epochs."""
    print("\n| slots | policy | winner against ASHA's | epochs | trials at epochs " + ", ".join(map(str, MILESTONES)) +
          " | slot time | times shorter | … with fair scaling | equal epochs: winner | trials | times shorter |")
    print("|---" * 11 + "|")
    for slots, policy in itertools.product(SLOTS, POLICIES):
        (ours, spent), (asha, asha_spent) = (results[slots, "good", each] for each in (policy, "asha"))
        cells = [slots, policy, "" if policy == "asha" else against(pool, ours, asha),
                 f"{mean(sweep.epochs for sweep in ours):.0f}",
                 ", ".join(f"{mean(counts):.1f}" for counts in zip(*(sweep.reached for sweep in ours))),
                 f"{mean(sweep.slot_seconds for sweep in ours) / mean(sweep.slot_seconds for sweep in asha):.2f}",
                 shorter(ours, asha),
                 shorter(results[slots, "fair", policy][0], results[slots, "fair", "asha"][0]),
                 "" if policy == "asha" else against(pool, spent, asha_spent),
                 f"{mean(sweep.trials for sweep in spent):.0f}", shorter(spent, asha_spent)]
        print("| " + " | ".join(map(str, cells)) + " |")


def shorter(sweeps, others):
    """How many times shorter the sweeps are than the others."""
    return f"{statistics.geometric_mean(b.seconds / a.seconds for a, b in zip(sweeps, others)):.2f}"


def print_chance(pool, sweeps):
    """Prints how much two sweeps of the same policy differ when only their configurations differ."""
    worths = [100 * sweep.worth if pool.goal == "maximize" else sweep.worth for sweep in sweeps]
    best = sorted(map(pool.worth, range(len(pool.trainings))), reverse=pool.goal == "maximize")
    scale = 100 if pool.goal == "maximize" else 1
    print(f"\n{pool.problem}: {len(pool.trainings)} configurations; the best has {scale * best[0]:.4g}, the median "
          f"{scale * statistics.median(best):.4g}. The winners of {len(sweeps)} sweeps of ASHA on {SLOTS[0]} slots have "
          f"{mean(worths):.4g} with a standard deviation of {statistics.stdev(worths):.2g}.")


def what_the_ladder_costs(num_seeds):
    """Compares RASDA's sweeps over the curves of curves.py: at a constant batch, and on the ladder with each
    optimizer's default scaling of the rate. One part of the difference is that the ladder chooses another
    configuration; the other part is that the chosen one was trained on it."""
    print("\n| problem | optimizer | configurations | in all | by its choice | by its training |")
    print("|---" * 6 + "|")
    for problem, optimizer in itertools.product(SWEPT if QUICK else PROBLEMS, DEFAULT_SCALING):
        rows = [row for row in read(CURVES) if row["problem"] == problem and row["optimizer"] == optimizer]
        constant, ladder = (recorded((row for row in rows if way(row)), lambda row: int(row["config"]))
                            for way in (lambda row: row["batch"] == "constant",
                                        lambda row: row["batch"] == "ladder"
                                        and row["scaling"] == DEFAULT_SCALING[optimizer]))
        both = {config: sorted(constant[config].keys() & ladder[config].keys()) for config in constant if config in ladder}
        pools = [Pool(problem, [[curves[config][seed] for seed in seeds] for config, seeds in both.items() if seeds])
                 for curves in (constant, ladder)]
        total, choice, training = [], [], []
        for seed in range(num_seeds):
            with tempfile.TemporaryDirectory() as folder:
                worths = []
                for pool in pools:
                    curves = os.path.join(folder, "curves.csv")
                    order = pool.draw(seed, curves)
                    reports, _ = simulate(pool, curves, POLICIES["rasda"], 4, SCALING["good"], NUM_TRIALS, folder)
                    worths.append(outcome(pool, order, reports, None, None))
            chosen = pools[0].worth(worths[1].winner)
            total.append(pools[0].difference(worths[1].worth, worths[0].worth))
            choice.append(pools[0].difference(chosen, worths[0].worth))
            training.append(pools[0].difference(worths[1].worth, chosen))
        print(f"| {problem} | {optimizer} | {len(pools[0].trainings)} | {with_interval(total)} | {with_interval(choice)} | "
              f"{with_interval(training)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2 if QUICK else 40)
    parser.add_argument("--csv", help="a file for all sweeps")
    options = parser.parse_args()
    rows = []
    with ThreadPoolExecutor(max_workers=2) as threads:
        for problem in SWEPT:
            pool, results = pool_of(problem), {}
            for slots, scaling, policy in itertools.product(SLOTS, SCALING, POLICIES):
                pairs = list(threads.map(run, [(pool, policy, slots, scaling, seed) for seed in range(options.seeds)]))
                results[slots, scaling, policy] = list(zip(*pairs))
                for seed, pair in enumerate(pairs):
                    for ends_by, sweep in zip(("run_cap", "epochs"), pair):
                        rows.append({"problem": problem, "slots": slots, "scaling": scaling, "policy": policy,
                                     "seed": seed, "ends_by": ends_by, **sweep._asdict()})
            print_chance(pool, results[SLOTS[0], "good", "asha"][0])
            print_table(pool, results)
            sys.stdout.flush()
    what_the_ladder_costs(options.seeds)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
