"""Measures samplers by the best value after a number of trials, ours and those of Optuna and Syne Tune.

    "$(scripts/install.sh python)" benchmarks/samplers/measure.py [--seeds 30] [--only NAME,NAME] [--csv FILE] [--table]
                                                                  [--trials 500] [--problems NAME,NAME]

Needs what `scripts/install.sh tools` installs (Optuna). If Syne Tune (0.16; `pip install syne-tune`) is not installed,
its row is left out. Trials run one after the other. Each finished search is a row of the CSV file, with its commit. An
interrupted run continues where it stopped, because the file is read again. If a search has two rows, the last counts.
The default of --csv is quality.csv, which has all searches; to measure them again, name your own file.

Tables show the median regret (best value minus the minimum) and, in parentheses, the quartiles. They also show how
often a sampler's regret is lower than another's of its kind for the same seed, with the probability that this is only
chance (Wilcoxon's signed-rank test). Regrets that differ only by rounding (TIE) count as equal, and are left
out.
"""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402
from problems import FURTHER, PROBLEMS as USUAL, QUICK_PROBLEMS  # noqa: E402
from recorded import commit, read, writer  # noqa: E402

PROBLEMS = {**USUAL, **FURTHER}
HERE = os.path.dirname(os.path.abspath(__file__))
CHECKPOINTS = (50, 100, 200, 500)
COLUMNS = ["problem", "sampler", "seed", *map(str, CHECKPOINTS), "commit"]
LONGEST = 50 if QUICK else 500  # trials per search
SEARCHED = QUICK_PROBLEMS if QUICK else USUAL
TIE = 1e-9  # relative to the largest regret of a problem
RIVALS = {"tpe": ["Optuna TPE", "Syne Tune CQR"], "gp": ["Optuna GP"]}


def applies(its, config):
    return "when" not in its or eval(its["when"], {}, config)  # these conditions mean the same in Python


def ours(sampler, problem, seed, trials):
    """Returns the losses of a search by `crescendo ask-tell`, which decides like a sweep."""
    sweep = {"metric": {"name": "loss"}, "run_cap": trials, "seed": seed, "method": sampler,
             "scheduler": {"type": "fifo", "max": 1}, "command": ["true"], "parameters": PROBLEMS[problem].space}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "sweep.yaml")
        with open(file, "w") as out:
            json.dump(sweep, out)
        asked = subprocess.Popen([CRESCENDO, "ask-tell", file], text=True, bufsize=1, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)

        def tell(event):
            asked.stdin.write(json.dumps(event) + "\n")
            return [action for action in json.loads(asked.stdout.readline())["actions"]
                    if action["action"] == "start_trial"]

        losses = []
        starts = tell({"event": "slots_joined", "slots": [{"slot": 0, "node": 0}]})
        while starts:
            losses.append(PROBLEMS[problem](starts[0]["config"]))
            starts = tell({"event": "trial_reported", "trial": starts[0]["trial"], "resource": 1,
                           "metrics": {"loss": losses[-1]}})
        asked.stdin.close()
        asked.wait()
    return losses


def optunas(sampler, problem, seed, trials):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    is_conditional = any("when" in its for its in PROBLEMS[problem].space.values())
    kinds = {"TPE": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True, group=is_conditional),
             "GP": lambda: optuna.samplers.GPSampler(seed=seed),
             "CMA-ES": lambda: optuna.samplers.CmaEsSampler(seed=seed)}
    losses = []

    def suggest(trial, key, its):
        if "values" in its:
            return trial.suggest_categorical(key, its["values"])
        if its.get("distribution") == "int_uniform":
            return trial.suggest_int(key, its["min"], its["max"])
        return trial.suggest_float(key, its["min"], its["max"], log=its.get("distribution") == "log_uniform_values")

    def objective(trial):
        config = {}
        for key, its in PROBLEMS[problem].space.items():
            if applies(its, config):
                config[key] = suggest(trial, key, its)
        losses.append(PROBLEMS[problem](config))
        return losses[-1]

    optuna.create_study(sampler=kinds[sampler]()).optimize(objective, n_trials=trials)
    return losses


def syne_tunes(sampler, problem, seed, trials):
    """Runs Syne Tune. Its spaces have no conditions: it searches all parameters in each trial."""
    from syne_tune.backend.trial_status import Trial
    from syne_tune.config_space import choice, loguniform, randint, uniform
    from syne_tune.optimizer import baselines

    import quick_trees

    quick_trees.replace()

    def domain(its):
        if "values" in its:
            return choice(its["values"])
        kind = {"int_uniform": randint, "log_uniform_values": loguniform}.get(its.get("distribution"), uniform)
        return kind(its["min"], its["max"])

    space = PROBLEMS[problem].space
    search = getattr(baselines, sampler)({key: domain(its) for key, its in space.items()}, metric="loss",
                                         do_minimize=True, random_seed=seed)
    losses = []
    for number in range(trials):
        proposed = search.suggest().config
        config = {}
        for key, its in space.items():
            if applies(its, config):
                config[key] = proposed[key]
        losses.append(PROBLEMS[problem](config))
        search.on_trial_complete(Trial(number, proposed, None), {"loss": losses[-1]})
    return losses


SAMPLERS = {"random": lambda *search: ours("random", *search), "sobol": lambda *search: ours("sobol", *search),
            "tpe": lambda *search: ours("tpe", *search), "gp": lambda *search: ours("gp", *search),
            "cmaes": lambda *search: ours("cmaes", *search),
            "Optuna TPE": lambda *search: optunas("TPE", *search), "Optuna GP": lambda *search: optunas("GP", *search),
            "Optuna CMA-ES": lambda *search: optunas("CMA-ES", *search),
            "Syne Tune CQR": lambda *search: syne_tunes("CQR", *search)}


def regrets(losses, problem):
    """Returns the regret at each checkpoint; empty beyond the end of the search."""
    return [min(losses[:count]) - PROBLEMS[problem].minimum if len(losses) >= count else "" for count in CHECKPOINTS]


def measured(path):
    return {(row["problem"], row["sampler"], int(row["seed"])):
            [float(row[str(count)]) if row[str(count)] else None for count in CHECKPOINTS] for row in read(path)}


def is_done(values, trials):
    """Whether a search with these known regrets was as long."""
    return sum(value is not None for value in values) >= sum(count <= trials for count in CHECKPOINTS)


def add(path, key, values):
    with writer(path, COLUMNS) as write:
        write([dict(zip(COLUMNS, [*key, *(f"{value:.6g}" if value != "" else "" for value in values), commit()]))])


def problems_of(rows):
    return [problem for problem in PROBLEMS if any(name == problem for name, _, _ in rows)]


def table(rows):
    counts = [count for count in CHECKPOINTS if count <= LONGEST]
    for problem in problems_of(rows):
        print(f"\n#### {problem}\n\n| sampler | seeds | " + " | ".join(f"{count} trials" for count in counts) + " |")
        print("|---" * (len(counts) + 2) + "|")
        for sampler in SAMPLERS:
            found = [values for (a, b, _), values in rows.items() if (a, b) == (problem, sampler)]
            cells = []
            for i in range(len(counts)):
                values = sorted(each[i] for each in found if each[i] is not None)
                if len(values) > 1:
                    low, _, high = statistics.quantiles(values, n=4)
                    cells.append(f"{statistics.median(values):.3g} ({low:.3g}, {high:.3g})")
                else:
                    cells.append("–")
            if found:
                print(f"| {sampler} | {len(found)} | " + " | ".join(cells) + " |")


def duels(rows):
    """Prints our samplers next to others of the same kind."""
    from scipy.stats import wilcoxon
    counts = [count for count in CHECKPOINTS if count <= LONGEST]
    print("\n| problem | ours | the other | " + " | ".join(f"{count} trials" for count in counts) + " |")
    print("|---" * (len(counts) + 3) + "|")
    for problem in problems_of(rows):
        tie = TIE * max((value for (name, _, _), values in rows.items() if name == problem
                         for value in values if value is not None), default=0)
        for sampler, others in RIVALS.items():
            for other in others:
                cells = []
                for i in range(len(counts)):
                    pairs = [(values[i], rows[problem, other, seed][i]) for (a, b, seed), values in rows.items()
                             if (a, b) == (problem, sampler) and (problem, other, seed) in rows]
                    pairs = [(a, b) for a, b in pairs if a is not None and b is not None and abs(a - b) > tie]
                    if len(pairs) < 2:
                        cells.append("–")
                        continue
                    wins = sum(a < b for a, b in pairs)
                    cells.append(f"{wins} of {len(pairs)} (p {wilcoxon([a - b for a, b in pairs]).pvalue:.2g})")
                print(f"| {problem} | {sampler} | {other} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2 if QUICK else 30)
    parser.add_argument("--only", default="random,tpe,gp" if QUICK else ",".join(SAMPLERS), help="samplers")
    parser.add_argument("--problems", default=",".join(SEARCHED), help=f"of {', '.join(PROBLEMS)}")
    parser.add_argument("--csv", default="" if QUICK else os.path.join(HERE, "quality.csv"))
    parser.add_argument("--table", action="store_true", help="only print what is recorded")
    parser.add_argument("--trials", type=int, default=LONGEST, help="of each search")
    arguments = parser.parse_args()
    path = arguments.csv or os.path.join(tempfile.mkdtemp(), "quality.csv")
    samplers = arguments.only.split(",")
    if importlib.util.find_spec("syne_tune") is None:
        samplers = [each for each in samplers if not each.startswith("Syne Tune")]
    done = measured(path)
    for seed in range(0 if arguments.table else arguments.seeds):
        missing = [(problem, sampler, seed) for problem in arguments.problems.split(",") for sampler in samplers
                   if not is_done(done.get((problem, sampler, seed), []), arguments.trials)]
        for problem, sampler, _ in missing:
            add(path, (problem, sampler, seed), regrets(SAMPLERS[sampler](problem, seed, arguments.trials), problem))
        print(f"seed {seed}: {len(missing)} searches measured, the others are in {path}", file=sys.stderr)
    table(measured(path))
    if not QUICK:
        duels(measured(path))


if __name__ == "__main__":
    main()
