"""Measures how much scheduling policies gain: makes the tables of benchmarks/policies/tables.md by simulation.

    python3 benchmarks/policies/measure.py [--full] [--growth | --noise | --forming] [--set KEY=VALUE] [--compare LIST] [--csv FILE] [--crescendo PATH] > tables.md

By default, it simulates 64 and 1,024 slots with 10 seeds: some seconds on two cores. --full adds 16,384 slots (with 5
seeds), more trials per slot, and 20 seeds: a quarter of an hour. Each table is one cluster, with a row per policy, a
column per number of trials per slot, and means over the seeds. The CSV file gets each figure with the half width of its
95 % confidence interval as soon as it is known; clusters that it already has are not run again. --growth compares the
settings of grow_when instead, with one table per number of slots and one row per cluster. --noise does the same for the
settings of batch, with a rising gradient noise scale. --forming has only the default, by the time that a group takes to
form, and the share of new groups.
"""
import argparse
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402
from recorded import read  # noqa: E402

SWEEP = """
metric: {name: error}
seed: 1
run_cap: 1
parameters: {x: {min: 0.0, max: 1.0}}
scheduler: {min: 1, max: 64, reduction_factor: 2}
simulate: {epoch: 60, start: 2, checkpoint: 0.5}
"""
POLICIES = ("asha,rasda,rasda:grow_when=always,rasda:surplus=off,rasda:grow=partial,"
            "rasda:grow_when=always:priority=promotions_first:surplus=off,"
            "rasda:priority=promotions_first:grow=wait:surplus=off,rasda:mode=promote")
GROWTH = "asha,rasda:grow_when=always,rasda:grow_when=faster,rasda:grow_when=goodput"
NOISE = ("asha,rasda:grow_when=always,rasda,rasda:batch=adaptive:grow_when=always,rasda:batch=adaptive,"
         "rasda:batch=ladder:grow_when=always,rasda:batch=ladder,rasda:batch=per_worker:grow_when=always,"
         "rasda:batch=per_worker")
FORMING = (0.02, 0.15, 1, 4)  # seconds
FORMING_SEEDS = {64: 200, 1024: 40, 16_384: 4}
RISING = ("simulate.noise_scale=128", "simulate.noise_growth=256")  # from one batch to 256 batches
SCALING = {"good": 0.05, "fair": 0.2, "poor": 0.5}  # share of the speed lost at each doubling
MOST_TRIALS = 100_000  # of a sweep; more only take longer
MOST_BY_CLUSTER = 20_000  # the same for tables by cluster, which have more seeds


def simulate(crescendo, sweep, policies, seeds, slots, ratio, scaling, regroup, others=()):
    """Returns one row per policy."""
    command = [crescendo, "simulate", sweep, "--slots", str(slots), "--compare", policies, "--seeds", str(seeds), "--format", "json"]
    for setting in (f"run_cap={round(slots * ratio)}", f"simulate.loss_per_doubling={SCALING[scaling]}", f"simulate.regroup={regroup}", *others):
        command += ["--set", setting]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [{"slots": slots, "trials a slot": ratio, "scaling": scaling, "regroup": regroup, **row} for row in rows]


class Results:
    """The rows of all simulations, kept in a CSV file if one is given. Rows in it are not simulated again."""

    KEY = ("slots", "trials a slot", "scaling", "regroup", "seeds")

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.known = {}
        for row in read(path) if path else []:
            row = {name: number(value) for name, value in row.items()}
            self.known.setdefault(tuple(row[name] for name in self.KEY), []).append(row)

    def get(self, policies, crescendo, sweep, seeds, slots, ratio, scaling, regroup, others):
        names = policies.split(",")
        known = self.known.get((slots, ratio, scaling, regroup, seeds), [])[-len(names):]
        if [row["policy"] for row in known] == names:
            return known
        rows = [{"seeds": seeds, **row} for row in simulate(crescendo, sweep, policies, seeds, slots, ratio, scaling, regroup, others)]
        if self.path:
            with self.lock, open(self.path, "a", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                if file.tell() == 0:
                    writer.writeheader()
                writer.writerows(rows)
        return rows


def number(text):
    """Parses a cell of the CSV file: a number, nothing, or a word."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def brief(value):
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def table(title, cell, runs):
    """Prints rows by policy, columns by trials per slot."""
    print(f"\n{title}\n\n| trials a slot | " + " | ".join(f"{rows[0]['trials a slot']:g}" for rows in runs) + " |")
    print("|---" * (len(runs) + 1) + "|")
    for same_policy in zip(*runs):
        print(f"| `{same_policy[0]['policy']}` | " + " | ".join(cell(row) for row in same_policy) + " |")


def speed(row):
    return f"{brief(row['speedup'])} ({100 * row['utilization']:.0f} %)"


def worth(row):
    return f"{brief(row['slot_hours'])}, {row['at_equal_time']:.3f}"


def reached(row):
    """How many times sooner than ASHA, with the share of sweeps that get there, if not all do."""
    sooner = brief(row["to_quality"]) if row["to_quality"] else "never"
    return sooner if row["reaches_quality"] == 1 else f"{sooner} in {100 * row['reaches_quality']:.0f} %"


def growth_table(slots, clusters):
    """Prints rows by cluster. Policies but the first have the time to ASHA's quality, and slot-hours over ASHA's."""
    policies = [row["policy"] for row in clusters[0]][1:]
    print(f"\n#### {slots:,} slots, {clusters[0][0]['seeds']:,.0f} seeds\n\n| scaling | regroup | trials a slot | " + " | ".join(f"`{policy}`" for policy in policies) + " |")
    print("|---" * (len(policies) + 3) + "|")
    for rows in clusters:
        asha, *others = rows
        cells = [f"{reached(row)} ({brief(row['slot_hours'] / asha['slot_hours'])})" for row in others]
        print(f"| {asha['scaling']} | {asha['regroup']:g} s | {asha['trials a slot']:g} | " + " | ".join(cells) + " |")


def forming_table(crescendo, sweep, sizes, ratios, others):
    """Prints a row for each cluster of good scaling, and a column for each duration of a regroup."""
    print("\n| slots | trials a slot | " + " | ".join(f"{seconds:g} s" for seconds in FORMING) + " | new groups |")
    print("|---" * (3 + len(FORMING)) + "|")
    for slots, ratio in itertools.product(sizes, ratios):
        if slots * ratio > MOST_BY_CLUSTER:
            continue
        seeds = 2 if QUICK else FORMING_SEEDS[slots]
        rows = [simulate(crescendo, sweep, "asha,rasda", seeds, slots, ratio, "good", seconds, others)[1] for seconds in FORMING]
        cells = [f"{row['speedup']:.3g} ± {row['± speedup']:.2g}" for row in rows]
        new = sum(row["new_groups"] for row in rows) / sum(row["regroups"] for row in rows)
        print(f"| {slots:,} | {ratio:g} | " + " | ".join(cells) + f" | {'all' if new == 1 else f'{100 * new:.1f} %'} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more slots, more trials a slot, more seeds")
    parser.add_argument("--growth", action="store_true", help="the settings of grow_when, with 1,000, 100 and 41 seeds")
    parser.add_argument("--noise", action="store_true", help="the settings of batch, where the noise scale rises")
    parser.add_argument("--forming", action="store_true", help="the default, by the seconds in which a group forms")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of all simulations")
    parser.add_argument("--compare", default=POLICIES, help="policies, as crescendo simulate takes them; the first is the reference")
    parser.add_argument("--csv", help="a file for all figures; what it has is not simulated again")
    parser.add_argument("--crescendo", default=CRESCENDO, help="the binary")
    options = parser.parse_args()
    if options.set and options.csv:
        parser.error("--set: a CSV file does not record the settings of its rows; leave out --csv")
    sizes = (64, 1024, 16_384) if options.full else (64,) if QUICK else (64, 1024)
    is_by_cluster = options.growth or options.noise or options.forming
    ratios = (1,) if QUICK else (0.25, 1, 4, 16) if options.full and not is_by_cluster else (0.25, 1, 4)
    growth_seeds = {64: 1000, 1024: 100, 16_384: 41}
    full_seeds = {64: 20, 1024: 20, 16_384: 5}
    others = (*(RISING if options.noise else ()), *options.set)

    def seeds(slots):
        return 2 if QUICK else growth_seeds[slots] if is_by_cluster else full_seeds[slots] if options.full else 10

    policies = NOISE if options.noise else GROWTH if options.growth else options.compare
    clusters = list(itertools.product(sizes, SCALING, (0.1,) if options.noise else (0.1, 6, 30)))
    results = Results(options.csv)
    growth_rows = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=2) as pool:
        sweep = os.path.join(folder, "sweep.yaml")
        with open(sweep, "w") as file:
            file.write(SWEEP)
        if options.forming:
            return forming_table(options.crescendo, sweep, sizes, ratios, others)
        jobs = {(slots, scaling, regroup): [pool.submit(results.get, policies, options.crescendo, sweep, seeds(slots), slots, ratio, scaling, regroup, others)
                                            for ratio in ratios if slots * ratio <= (MOST_BY_CLUSTER if is_by_cluster else MOST_TRIALS)]
                for slots, scaling, regroup in clusters}
        for (slots, scaling, regroup), futures in jobs.items():
            runs = [future.result() for future in futures]
            if is_by_cluster:
                growth_rows.setdefault(slots, []).extend(runs)
                continue
            lost = f"{100 * SCALING[scaling]:.0f} % lost at each doubling"
            where = f"{slots:,} slots, {scaling} scaling ({lost}), regroups of {regroup:g} s"
            table(f"### {where}\n\nHow many times shorter than with ASHA (share of slots in use):", speed, runs)
            if regroup == 0.1:
                table("Slot-hours, and error of the best trial when the fastest policy has finished:", worth, runs)
            sys.stdout.flush()
    for slots, rows in growth_rows.items():
        growth_table(slots, rows)


if __name__ == "__main__":
    main()
