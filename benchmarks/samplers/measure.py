"""How good samplers are: the best value after so many trials, beside Optuna's samplers of the same kind.

    "$(scripts/install.sh python)" benchmarks/samplers/measure.py [--seeds 30] [--trials 200] [--only NAME,NAME]
                                                                  [--csv FILE]

Needs what `scripts/install.sh tools` installs (Optuna). Trials run one after the other. Every finished search is a row
of the CSV file, which is read again, so a run that was broken off goes on where it stopped. Tables show the median
regret (what the best value is above the minimum) and, in parentheses, the quartiles.
"""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKPOINTS = (50, 100, 200, 500)


def branin(x, y):
    root = y - 5.1 / (4 * math.pi ** 2) * x * x + 5 / math.pi * x - 6
    return root ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def hartmann(**x):
    a = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
    p = ((1312, 1696, 5569, 124, 8283, 5886), (2329, 4135, 8307, 3736, 1004, 9991),
         (2348, 1451, 3522, 2883, 3047, 6650), (4047, 8828, 8732, 5743, 1091, 381))
    c = (1, 1.2, 3, 3.2)
    return -sum(c[i] * math.exp(-sum(a[i][j] * (x[f"x{j}"] - 1e-4 * p[i][j]) ** 2 for j in range(6))) for i in range(4))


def ackley(**x):
    n = len(x)
    return (20 + math.e - 20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x.values()) / n))
            - math.exp(sum(math.cos(2 * math.pi * v) for v in x.values()) / n))


def mixed(optimizer, lr, layers, momentum=None, decay=None):
    """Like a training: each optimizer has a rate that is best, and a parameter of its own; three layers are best."""
    loss = 0.3 * (math.log10(lr) - {"sgd": -1.5, "adam": -3, "rmsprop": -2.5}[optimizer]) ** 2 + 0.1 * abs(layers - 3)
    if optimizer == "sgd":
        return loss + 2 * (momentum - 0.9) ** 2
    return loss + 0.05 + (0.1 * (math.log10(decay) + 4) ** 2 if optimizer == "adam" else 0.1)


PROBLEMS = {  # the function, its parameters as (low, high), its minimum
    "Branin": (branin, {"x": (-5.0, 10.0), "y": (0.0, 15.0)}, 0.397887),
    "Hartmann-6": (hartmann, {f"x{i}": (0.0, 1.0) for i in range(6)}, -3.32237),
    "Ackley-10": (ackley, {f"x{i}": (-20.0, 40.0) for i in range(10)}, 0.0),
    "mixed": (mixed, None, 0.0),
}
MIXED = """
  optimizer: {values: [sgd, adam, rmsprop]}
  lr:        {distribution: log_uniform_values, min: 1e-5, max: 1}
  layers:    {distribution: int_uniform, min: 1, max: 8}
  momentum:  {min: 0.0, max: 0.99, when: optimizer == 'sgd'}
  decay:     {distribution: log_uniform_values, min: 1e-6, max: 1e-1, when: optimizer == 'adam'}
"""


def ours(sampler, problem, seed, trials):
    """The losses of a search by `crescendo ask-tell`, which decides as a sweep does."""
    function, space, _ = PROBLEMS[problem]
    parameters = MIXED if space is None else "".join(f"  {name}: {{min: {low}, max: {high}}}\n"
                                                     for name, (low, high) in space.items())
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "sweep.yaml")
        with open(file, "w") as out:
            out.write(f"metric: {{name: loss}}\nrun_cap: {trials}\nseed: {seed}\nmethod: {sampler}\n"
                      f"scheduler: {{type: fifo, max: 1}}\ncommand: [true]\nparameters:\n{parameters}")
        asked = subprocess.Popen([CRESCENDO, "ask-tell", file], text=True, bufsize=1, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)

        def tell(event):
            asked.stdin.write(json.dumps(event) + "\n")
            return [action for action in json.loads(asked.stdout.readline())["actions"]
                    if action["action"] == "start_trial"]

        losses = []
        starts = tell({"event": "slots_joined", "slots": [{"slot": 0, "node": 0}]})
        while starts:
            losses.append(function(**starts[0]["config"]))
            starts = tell({"event": "trial_reported", "trial": starts[0]["trial"], "resource": 1,
                           "metrics": {"loss": losses[-1]}})
        asked.stdin.close()
        asked.wait()
    return losses


def optunas(sampler, problem, seed, trials):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    function, space, _ = PROBLEMS[problem]
    kinds = {"TPE": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True, group=space is None),
             "GP": lambda: optuna.samplers.GPSampler(seed=seed),
             "CMA-ES": lambda: optuna.samplers.CmaEsSampler(seed=seed)}
    losses = []

    def objective(trial):
        if space is not None:
            config = {name: trial.suggest_float(name, low, high) for name, (low, high) in space.items()}
        else:
            config = {"optimizer": trial.suggest_categorical("optimizer", ["sgd", "adam", "rmsprop"]),
                      "lr": trial.suggest_float("lr", 1e-5, 1, log=True), "layers": trial.suggest_int("layers", 1, 8)}
            if config["optimizer"] == "sgd":
                config["momentum"] = trial.suggest_float("momentum", 0, 0.99)
            elif config["optimizer"] == "adam":
                config["decay"] = trial.suggest_float("decay", 1e-6, 1e-1, log=True)
        losses.append(function(**config))
        return losses[-1]

    optuna.create_study(sampler=kinds[sampler]()).optimize(objective, n_trials=trials)
    return losses


SAMPLERS = {"random": lambda *search: ours("random", *search), "sobol": lambda *search: ours("sobol", *search),
            "tpe": lambda *search: ours("tpe", *search), "gp": lambda *search: ours("gp", *search),
            "Optuna TPE": lambda *search: optunas("TPE", *search), "Optuna GP": lambda *search: optunas("GP", *search),
            "Optuna CMA-ES": lambda *search: optunas("CMA-ES", *search)}


def regrets(losses, problem):
    """Regret at each checkpoint; empty where the search was shorter."""
    return [min(losses[:count]) - PROBLEMS[problem][2] if len(losses) >= count else "" for count in CHECKPOINTS]


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        return {(row["problem"], row["sampler"], int(row["seed"]), int(row["trials"])):
                [float(row[str(count)]) if row[str(count)] else None for count in CHECKPOINTS]
                for row in csv.DictReader(file)}


def add(path, key, values):
    is_new = not os.path.exists(path)
    with open(path, "a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(["problem", "sampler", "seed", "trials", *CHECKPOINTS])
        writer.writerow([*key, *(f"{value:.6g}" if value != "" else "" for value in values)])


def table(rows, samplers, trials):
    for problem in PROBLEMS:
        counts = [count for count in CHECKPOINTS if count <= trials]
        print(f"\n#### {problem}\n\n| sampler | seeds | " + " | ".join(f"{count} trials" for count in counts) + " |")
        print("|---" * (len(counts) + 2) + "|")
        for sampler in samplers:
            found = [values for (a, b, _, n), values in rows.items()
                     if (a, b) == (problem, sampler) and n >= counts[-1]]
            cells = []
            for i in range(len(counts)):
                values = sorted(each[i] for each in found if each[i] is not None)
                if len(values) > 1:
                    low, _, high = statistics.quantiles(values, n=4)
                    cells.append(f"{statistics.median(values):.3g} ({low:.3g}, {high:.3g})")
                else:
                    cells.append("–")
            print(f"| {sampler} | {len(found)} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2 if QUICK else 30)
    parser.add_argument("--trials", type=int, default=50 if QUICK else 200)
    parser.add_argument("--only", default="random,tpe,gp" if QUICK else ",".join(SAMPLERS), help="samplers")
    parser.add_argument("--csv", default="" if QUICK else os.path.join(HERE, "quality.csv"))
    arguments = parser.parse_args()
    samplers = arguments.only.split(",")
    path = arguments.csv or os.path.join(tempfile.mkdtemp(), "quality.csv")
    rows = read(path)
    for seed in range(arguments.seeds):
        for problem in PROBLEMS:
            for sampler in samplers:
                key = (problem, sampler, seed, arguments.trials)
                if key not in rows:
                    add(path, key, regrets(SAMPLERS[sampler](problem, seed, arguments.trials), problem))
                    rows = read(path)
        print(f"seed {seed} is done", file=sys.stderr)
    table(rows, samplers, arguments.trials)


if __name__ == "__main__":
    main()
