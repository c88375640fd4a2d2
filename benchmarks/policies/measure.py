"""What scheduling policies are worth: docs/policies.md's tables, from simulated sweeps.

    python3 benchmarks/policies/measure.py [--full] [--compare LIST] [--crescendo PATH] > tables.md

By default 64 and 1,024 slots and 10 seeds, some seconds on two cores; --full adds 16,384 slots, more trials a slot, and 20 seeds. Each
table is one cluster: a row for each policy and for each number of trials a slot, with the means over the seeds.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO  # noqa: E402

SWEEP = """
metric: {name: error}
seed: 1
run_cap: 1
parameters: {x: {min: 0.0, max: 1.0}}
scheduler: {min: 1, max: 81, reduction_factor: 3}
simulate: {epoch: 60, start: 2, checkpoint: 0.5}
"""
POLICIES = "asha,rasda,rasda:surplus=on,rasda:grow=wait,rasda:priority=promotions_first"
SCALING = {"good": 0.05, "fair": 0.2, "poor": 0.5}  # share of the speed lost at each doubling
MOST_TRIALS = 100_000  # of a sweep; more only take longer
COLUMNS = ("policy", "trials a slot", "makespan, h", "speedup", "utilization", "slot-hours", "regroups", "best error", "error at equal time")


def simulate(crescendo, sweep, policies, seeds, slots, trials, scaling, regroup):
    """One row for each policy."""
    command = [crescendo, "simulate", sweep, "--slots", str(slots), "--compare", policies, "--seeds", str(seeds), "--format", "json"]
    for setting in (f"run_cap={trials}", f"simulate.loss_per_doubling={SCALING[scaling]}", f"simulate.regroup={regroup}"):
        command += ["--set", setting]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def brief(value):
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def with_error(row, name, scale=1.0):
    half_width = row["± " + name]
    return brief(row[name] * scale) + (f" ± {brief(half_width * scale)}" if half_width is not None else "")


def line(row, ratio):
    return (f"`{row['policy']}`", f"{ratio:g}", with_error(row, "makespan", 1 / 3600), with_error(row, "speedup"), f"{100 * row['utilization']:.0f} %",
            with_error(row, "slot_hours"), f"{row['regroups']:.0f}", with_error(row, "error"), with_error(row, "at_equal_time"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more slots, more trials a slot, more seeds")
    parser.add_argument("--compare", default=POLICIES, help="policies, as crescendo simulate takes them; the first is the reference")
    parser.add_argument("--crescendo", default=CRESCENDO, help="the binary")
    options = parser.parse_args()
    sizes = (64, 1024, 16_384) if options.full else (64, 1024)
    ratios = (0.25, 1, 4, 16) if options.full else (0.25, 1, 4)
    regroups = (0.1, 6, 30)
    seeds = 20 if options.full else 10
    clusters = list(itertools.product(sizes, SCALING, regroups))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=2) as pool:
        sweep = os.path.join(folder, "sweep.yaml")
        with open(sweep, "w") as file:
            file.write(SWEEP)
        tables = {
            cluster: [(ratio, pool.submit(simulate, options.crescendo, sweep, options.compare, seeds, cluster[0], round(cluster[0] * ratio), *cluster[1:]))
                      for ratio in ratios if cluster[0] * ratio <= MOST_TRIALS]
            for cluster in clusters
        }
        for (slots, scaling, regroup), runs in tables.items():
            print(f"\n### {slots} slots, {scaling} scaling ({SCALING[scaling]:.0%} lost a doubling), regroup {regroup} s, {seeds} seeds\n")
            print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
            for ratio, run in runs:
                for row in run.result():
                    print("| " + " | ".join(line(row, ratio)) + " |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
