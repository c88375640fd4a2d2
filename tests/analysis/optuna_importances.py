#!/usr/bin/env python3
"""Prints Optuna's importances of the problems in importance.cpp, and of the conditional one in
tests/launch/report/parameter_importance.cpp, for the expected values there.

usage: pip install optuna scikit-learn && python3 tests/analysis/optuna_importances.py
"""
import math

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def place(trial, dimension):
    """A low-discrepancy sequence that both languages compute alike."""
    return math.fmod((trial + 1) * math.sqrt((2, 3, 5, 7)[dimension]), 1.0)


def choice(trial, dimension, number):
    return int(place(trial, dimension) * number)


def additive(trial):
    x = [place(trial, i) for i in range(3)]
    return dict(zip("abc", x)), 4 * x[0] + 2 * x[1] * x[1] + 0.2 * x[2]


def interacting(trial):
    x = [place(trial, i) for i in range(4)]
    return dict(zip("abcd", x)), 3 * (x[0] - 0.5) * (x[1] - 0.5) + x[2]


def with_choices(trial):
    x, kind, other = place(trial, 0), choice(trial, 1, 3), choice(trial, 2, 2)
    return {"x": x, "kind": kind, "other": other}, (0, 1, 3)[kind] + 2 * x + 0.3 * other


def log_uniform(trial):
    """`lr` is drawn log-uniformly, and its exponent matters. Optuna nevertheless sees plain values."""
    x = [place(trial, i) for i in range(3)]
    return {"lr": 10 ** (3 * x[0] - 4), "b": x[1], "c": x[2]}, 16 * (x[0] - 0.6) ** 2 + x[1] + 0.2 * x[2]


def exponent(trial):
    """The same with the exponent as the parameter, which is how Crescendo sees it."""
    return {"lr": place(trial, 0), "b": place(trial, 1), "c": place(trial, 2)}, log_uniform(trial)[1]


def conditional(trial):
    """`momentum` exists only with sgd."""
    is_sgd, lr, momentum = choice(trial, 0, 2) == 0, place(trial, 1), place(trial, 2)
    if is_sgd:
        return {"optimizer": "sgd", "lr": lr, "momentum": momentum}, 1 + lr + 2 * momentum
    return {"optimizer": "adam", "lr": lr}, 3 * lr


def distribution(problem, name):
    if name == "optimizer":
        return optuna.distributions.CategoricalDistribution(["sgd", "adam"])
    if problem is log_uniform and name == "lr":
        return optuna.distributions.FloatDistribution(1e-4, 1e-1, log=True)
    if problem is with_choices and name != "x":
        return optuna.distributions.CategoricalDistribution(range(3 if name == "kind" else 2))
    return optuna.distributions.FloatDistribution(0, 1)


for problem in (additive, interacting, with_choices, log_uniform, exponent, conditional):
    study = optuna.create_study()
    for number in range(200):
        params, value = problem(number)
        distributions = {name: distribution(problem, name) for name in params}
        study.add_trial(optuna.trial.create_trial(params=params, distributions=distributions, value=value))
    found = optuna.importance.FanovaImportanceEvaluator(seed=1).evaluate(study)
    print(problem.__name__, {name: round(float(share), 3) for name, share in found.items()})
    if problem is conditional:  # only the trials that have these parameters
        names = ["optimizer", "lr", "momentum"]
        found = optuna.importance.FanovaImportanceEvaluator(seed=1).evaluate(study, params=names)
        print(problem.__name__, "with momentum", {name: round(float(share), 3) for name, share in found.items()})
