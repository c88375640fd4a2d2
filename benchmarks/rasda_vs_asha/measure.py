"""Compares RASDA with ASHA: the same sweep, seeds and slots, in turn.

    python benchmarks/rasda_vs_asha/measure.py                              the demo's sweep on two slots, one per core
    python benchmarks/rasda_vs_asha/measure.py --slots 16 --slow-cores --turns 10 --data IMAGES.h5 --csv FILE.csv
    python benchmarks/rasda_vs_asha/measure.py --slots-per-gpu 4 --batch 256 --turns 3 --policies rasda asha crowded

`make demo` prepares the demo's data. Each turn has its own seed. With --slow-cores, there can be more slots than the
machine has cores, all of equal speed (../slow_cores.py); this needs root. With --csv, rows are kept in a file, with
their commit and the share of a core that a slot has, and a second call adds the missing turns. "simulated" is the
makespan that `crescendo simulate --replay` computes for the sweep just measured, with its relative error. The policy
"crowded" is RASDA with trials that grow at each rung, onto GPUs that they already have.
"""
import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import sweep  # noqa: E402
from harness import CRESCENDO, QUICK, ROOT, TRAINER  # noqa: E402
from recorded import commit, mean_and_half_width, read, writer  # noqa: E402
from slow_cores import SlowCores, share  # noqa: E402

POLICIES = ["rasda", "asha", "crowded"]
COLUMNS = ["commit", "sweep", "batch", "slots", "share", "seed", "policy", "wall", "held", "training", "epochs", "best",
           "simulated", "off"]

# Each trainer takes the first free slot, and keeps it until it ends.
WRAPPER = """#!/bin/bash
number=0
for slot in {slots}; do
    exec 9> "{folder}/$((++number)).lock"
    if flock --nonblock 9; then
        echo $$ > ${{slot#*:}}
        exec taskset --cpu-list ${{slot%%:*}} {trainer} "$@"
    fi
done
"""


def sweep_file(options, policy, seed):
    text = open(os.path.join(ROOT, options.sweep)).read()
    slots = f"slots_per_gpu: {options.slots_per_gpu}" if options.slots_per_gpu else f"slots: {options.slots}"
    text = re.sub(r"\nslots:.*", "", text) + f"\n{slots}\n"
    text = re.sub(r"\nseed:.*", f"\nseed: {seed}", text)
    if options.data:
        text = re.sub(r"(train|validation|test): .*:/(.*)",
                      lambda match: f"{match[1]}: {os.path.abspath(options.data)}:/{'train' if QUICK else match[2]}", text)
    for key, value in [("  max", options.max), ("  batch_size", options.batch), ("run_cap", 3 if QUICK else None)]:
        if value:
            text = re.sub(rf"\n{key}: .*", f"\n{key}: {value}", text)
    if policy == "asha":
        text = re.sub(r"\n  scaling_factor:.*", "", text.replace("type: rasda", "type: asha"))
    if policy == "crowded":
        text = text.replace("type: rasda", "type: rasda\n  grow_when: always\n  distinct_gpus: off")
    return text


def measure(options, policy, seed, folder):
    path, directory = os.path.join(folder, f"{policy}.yaml"), os.path.join(folder, f"{policy}-{seed}")
    with open(path, "w") as file:
        file.write(sweep_file(options, policy, seed))
    wall = sweep.run(path, directory)
    trials, best, status = (sweep.read(command, directory) for command in ("trials", "best", "status"))
    replay = json.loads(subprocess.run([CRESCENDO, "simulate", "--replay", directory, "--format", "json"], check=True,
                                       capture_output=True, text=True).stdout)
    available = wall * status["slots"]
    metric = re.search(r"metric: {name: (\w+)", open(path).read()).group(1)
    return {"wall": f"{wall:.1f}", "held": f"{3600 * sum(trial['slot_hours'] for trial in trials) / available:.3f}",
            "training": f"{sweep.training_slot_seconds(directory) / available:.3f}",
            "epochs": sum(trial["resource"] for trial in trials), "best": f"{best['metrics'][metric]:.4g}",
            "simulated": f"{replay['makespan']:.1f}", "off": f"{replay['makespan'] / replay['measured_makespan'] - 1:+.3f}"}


def wrapped_trainer(folder, slots):
    """Writes a command that runs crescendo-trainer in a slot."""
    path = os.path.join(folder, "trainer")
    with open(path, "w") as file:
        entries = " ".join(f"{slot.core}:{slot.processes}" for slot in slots)
        file.write(WRAPPER.format(slots=entries, folder=folder, trainer=TRAINER))
    os.chmod(path, 0o755)
    return path


def mean_text(values):
    mean, half_width = mean_and_half_width(values)
    return f"{mean:.3g}" if len(values) < 2 else f"{mean:.3g} ± {half_width:.2g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sweep", default="examples/fashion-mnist/sweep.yaml")
    parser.add_argument("--data", help="file with the groups train, validation and test, instead of the sweep's")
    parser.add_argument("--max", type=int, help="epochs, instead of the sweep's")
    parser.add_argument("--batch", type=int, help="batch size, instead of the sweep's")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--slots-per-gpu", type=int, help="instead of --slots, on the machine's GPUs")
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=["rasda", "asha"])
    parser.add_argument("--slow-cores", action="store_true", help="slots of equal speed; needs root")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--csv", default=os.devnull)
    options = parser.parse_args()
    slots = f"{options.slots_per_gpu} a GPU" if options.slots_per_gpu else str(options.slots)
    setting = {"sweep": os.path.basename(os.path.dirname(options.sweep)), "slots": slots,
               "share": f"{share(options.slots):.3g}" if options.slow_cores else "", "batch": str(options.batch or "")}
    rows = [row for row in read(options.csv) if setting.items() <= row.items()]
    cores = SlowCores(options.slots) if options.slow_cores else contextlib.nullcontext()
    with writer(options.csv, COLUMNS) as write, tempfile.TemporaryDirectory() as folder, cores as slow:
        if slow:
            os.environ["CRESCENDO_TRAINER"] = wrapped_trainer(folder, slow)
        for seed in range(1, options.turns + 1):
            for policy in options.policies:
                if any((row["seed"], row["policy"]) == (str(seed), policy) for row in rows):
                    continue
                row = {"commit": commit(), **setting, "seed": seed, "policy": policy,
                       **measure(options, policy, seed, folder)}
                write([row])
                rows.append(row)
                print(", ".join(f"{key} {row[key]}" for key in COLUMNS[5:]), flush=True)
    print("| policy | wall, s | slots held | training | epochs | best | simulated, off by |\n|---|---|---|---|---|---|---|")
    values = {policy: {key: [float(row[key]) for row in rows if row["policy"] == policy] for key in COLUMNS[7:]}
              for policy in options.policies}
    for policy, columns in values.items():
        print(f"| {policy} | {' | '.join(mean_text(columns[key]) for key in COLUMNS[7:] if key != 'simulated')} |")
    for policy in options.policies:
        if policy != "asha" and "asha" in options.policies:
            ratios = [asha / own for asha, own in zip(values["asha"]["wall"], values[policy]["wall"])]
            print(f"{policy} is {mean_text(ratios)} times as fast as asha: {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
