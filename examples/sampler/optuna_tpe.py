"""Uses Optuna's TPE as a sweep's sampler (pip install optuna)."""

import math

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from crescendo import sampler


def distribution_of(parameter):
    kind = parameter["distribution"]
    if kind == "categorical":
        return CategoricalDistribution(parameter["values"])
    if kind == "constant":
        return CategoricalDistribution([parameter["value"]])
    if kind == "int_uniform":
        return IntDistribution(parameter["min"], parameter["max"])
    if kind not in ("uniform", "q_uniform", "log_uniform_values"):
        raise ValueError(f"Optuna has no {kind}; use a range, such as uniform or log_uniform_values")
    low, high = parameter["min"], parameter["max"]
    if kind == "q_uniform":  # multiples of q between them; Optuna counts steps from the lower end
        q = parameter["q"]
        return FloatDistribution(math.ceil(low / q - 1e-9) * q, math.floor(high / q + 1e-9) * q, step=q)
    return FloatDistribution(low, high, log=kind == "log_uniform_values")


class Tpe:
    def __init__(self, search):
        searched = {name: each for name, each in search.parameters.items() if "expression" not in each}
        self.space = {name: distribution_of(each) for name, each in searched.items()}
        tpe = optuna.samplers.TPESampler(seed=search.seed, multivariate=True, constant_liar=True)
        self.study = optuna.create_study(direction=search.goal, sampler=tpe)
        self.asked = {}

    def propose(self, number):
        self.asked[number] = self.study.ask(self.space)
        return self.asked[number].params

    def tell(self, trial):
        states = {"finished": TrialState.COMPLETE, "stopped": TrialState.PRUNED, "failed": TrialState.FAIL}
        state = TrialState.FAIL if trial.ended and trial.value is None else states.get(trial.status)
        own = self.asked.get(trial.proposal)
        if own and trial.value is not None:
            own.report(trial.value, trial.resource)
        value = trial.value if state == TrialState.COMPLETE else None
        if own and state:
            self.study.tell(self.asked.pop(trial.proposal), value, state)
        elif state in (TrialState.COMPLETE, TrialState.PRUNED):  # from an earlier session, or chosen by the user
            params = {name: trial.config[name] for name in self.space if name in trial.config}
            distributions = {name: self.space[name] for name in params}
            reports = {trial.resource: trial.value}
            self.study.add_trial(create_trial(state=state, value=value, params=params, distributions=distributions,
                                              intermediate_values=reports))

    def refuse(self, number, reason):
        self.study.tell(self.asked.pop(number), state=TrialState.FAIL)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler.serve(Tpe)
