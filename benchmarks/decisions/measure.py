"""Compares reports per second: ours, Optuna 5's SuccessiveHalvingPruner, Ray Tune 2.60's AsyncHyperBandScheduler.

    PYTHON -m pip install --target build/peers "optuna==5.*" "ray[tune]==2.60.*"
    PYTHONPATH=build/peers PYTHON benchmarks/decisions/measure.py

All run ASHA with eta 3 on the same 10,000 curves of up to 81 reports, one trial after the other, without training, and
at most a minute each. Optuna keeps its trials in memory. Ray's class is called directly, without a cluster.
"""
import os
import random
import subprocess
import sys
import tempfile
import time
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import BIN  # noqa: E402

TRIALS, MAX, ETA, PATIENCE = 10_000, 81, 3, 60


def ours(floors):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(map(repr, floors)))
        file.flush()
        run = subprocess.run([os.path.join(BIN, "decisions"), file.name], check=True, capture_output=True, text=True)
    return float(run.stdout), len(floors)


def rate(floors, begin_trial):
    """`begin_trial(id)` returns a function that takes (resource, loss) and returns whether the trial stops."""
    begin = time.perf_counter()
    reports = 0
    for trial, floor in enumerate(floors):
        stops = begin_trial(trial)
        for resource in range(1, MAX + 1):
            reports += 1
            if stops(resource, floor + 1 / resource):
                break
        if time.perf_counter() - begin > PATIENCE:
            break
    return reports / (time.perf_counter() - begin), trial + 1


def optuna(floors):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=ETA)
    study = optuna.create_study(pruner=pruner, sampler=optuna.samplers.RandomSampler(seed=1))

    def begin_trial(_):
        trial = study.ask()

        def stops(resource, loss):
            trial.report(loss, resource)
            prunes = trial.should_prune()
            if prunes:
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            elif resource == MAX:
                study.tell(trial, loss)
            return prunes

        return stops

    return rate(floors, begin_trial)


def ray(floors):
    from ray.tune.schedulers import AsyncHyperBandScheduler

    scheduler = AsyncHyperBandScheduler(time_attr="resource", metric="loss", mode="min", max_t=MAX, grace_period=1,
                                        reduction_factor=ETA)

    def begin_trial(number):
        trial = types.SimpleNamespace(trial_id=str(number))
        scheduler.on_trial_add(None, trial)

        def stops(resource, loss):
            result = {"resource": resource, "loss": loss}
            return scheduler.on_trial_result(None, trial, result) == AsyncHyperBandScheduler.STOP

        return stops

    return rate(floors, begin_trial)


if __name__ == "__main__":
    generator = random.Random(1)
    floors = [generator.random() for _ in range(TRIALS)]
    own, _ = ours(floors)
    print(f"{'':10} {'reports/s':>12} {'trials':>8} {'ours is faster by':>18}")
    print(f"{'crescendo':10} {own:12,.0f} {TRIALS:8,}")
    for name, measure in (("ray", ray), ("optuna", optuna)):
        reports, trials = measure(floors)
        print(f"{name:10} {reports:12,.0f} {trials:8,} {own / reports:18,.0f}", flush=True)
