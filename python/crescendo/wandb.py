"""Runs an unchanged Weights & Biases script in a sweep.

    python -m crescendo.wandb SCRIPT [ARGUMENT …]
    python -m crescendo.wandb --sweep-file SCRIPT [ARGUMENT …]

For a script that Python starts as a module, give `-m MODULE` here, too.

The first line runs the script. `wandb.config` holds the trial's parameters, as in a W&B sweep. Each `wandb.log` call
with the sweep's metric is a report; the number of such calls so far is the resource. If the trial must stop, the script
ends in that call, as W&B's agent would end it. `wandb.agent(…, function)` calls the function once. Runs are recorded
offline in the trial's folder, unless the environment sets another WANDB_DIR or WANDB_MODE.

The second line is for a script that gives its sweep to `wandb.sweep` as a dictionary. It prints the sweep file on
stdout; what the script itself prints goes to stderr.
"""

from __future__ import annotations

import atexit
import json
import mmap
import os
import runpy
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

import crescendo
from crescendo.files import replace_file
from crescendo.protocol import number_of

METRIC_VARIABLE = "CRESCENDO_METRIC"


def main() -> None:
    words = sys.argv[1:]
    prints_file = words[:1] == ["--sweep-file"]
    if prints_file:
        del words[0]
    script = words[1:] if words[:1] == ["-m"] else words
    if not script or script[0].startswith("-"):
        raise SystemExit("usage: python -m crescendo.wandb [--sweep-file] SCRIPT|-m MODULE [ARGUMENT …]")
    if prints_file:
        print_sweep_file(words)
    elif os.environ.get("CRESCENDO_FD"):
        run_as_trial(words)
    else:
        run(words)


def run(words: List[str]) -> None:
    """Runs a script or module, as `python WORDS` would."""
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path[0] = str(Path(words[0]).resolve().parent)
        runpy.run_path(words[0], run_name="__main__")


def run_as_trial(words: List[str]) -> None:
    reports = attach(crescendo.trial())
    try:
        run(words)
    except BaseException as ended:
        if not isinstance(ended, SystemExit) or ended.code not in (None, 0):
            atexit.unregister(reports.end)  # the script's own error says why there is no result
        raise


def attach(trial: crescendo.Trial) -> Reports:
    """Connects `wandb` to the trial: it gets the trial's parameters, and what it logs is reported."""
    metric = os.environ.get(METRIC_VARIABLE)
    if not metric:
        raise SystemExit(
            "crescendo: the sweep file does not name the metric, so it is unknown which calls of wandb.log are "
            "reports; add metric: {name: val_loss, goal: minimize}"
        )
    assert trial.directory is not None
    for name, value in {
        "WANDB_MODE": "offline",
        "WANDB_DIR": str(trial.directory),
        "WANDB_NAME": f"trial {trial.number}",
        "WANDB_RUN_GROUP": trial.directory.parent.parent.name,
    }.items():
        os.environ.setdefault(name, value)
    place = {name: os.environ[name] for name in ("WANDB_MODE", "WANDB_DIR")}
    os.environ["WANDB_SWEEP_PARAM_PATH"] = str(_write_parameters(trial.directory, trial.rank))
    import wandb

    reports = Reports(trial, metric)
    atexit.register(reports.end)
    init = wandb.init

    def init_and_report(*arguments: Any, **options: Any) -> Any:
        for name, value in place.items():  # W&B's cross-validation example removes them all in each fold
            os.environ.setdefault(name, value)
        run = init(*arguments, **options)
        log = run.log
        if getattr(log, "_crescendo", False):
            return run  # wrapped by an earlier init()
        reports.watch(type(run.summary))

        def log_and_report(data: Mapping[str, Any], *more: Any, **named: Any) -> None:
            log(data, *more, **named)
            reports.add(data)

        log_and_report._crescendo = True  # type: ignore[attr-defined]
        run.log = log_and_report
        if wandb.run is run:  # not with reinit="create_new"
            wandb.log = log_and_report
        return run

    def agent(_sweep: Any = None, function: Any = None, *_: Any, **__: Any) -> None:
        if function is None:
            raise SystemExit("crescendo: wandb.agent() without a function starts programs; crescendo does that itself")
        function()

    wandb.init = init_and_report
    wandb.agent = agent
    wandb.sweep = lambda *_, **__: "crescendo"
    return reports


def print_sweep_file(words: List[str]) -> None:
    """Runs a script until it calls `wandb.agent`, and prints the sweep that it gave to `wandb.sweep`."""
    os.environ.setdefault("WANDB_MODE", "offline")  # otherwise wandb.login() asks for an account
    import wandb

    with os.fdopen(os.dup(1), "w", encoding="utf-8") as file:
        os.dup2(2, 1)  # output of the script and of its child processes stays out of the file
        found: Dict[str, Any] = {}

        def note_sweep(sweep: Mapping[str, Any], *_: Any, **__: Any) -> str:
            # Through JSON, so that tuples become lists, and NumPy's arrays and numbers become Python's.
            found.clear()
            found.update(json.loads(json.dumps(sweep, default=lambda value: value.tolist())))
            return "crescendo"

        def note_end(_sweep: Any = None, function: Any = None, *_: Any, count: Optional[int] = None, **__: Any) -> None:
            if function is not None:  # W&B would call it in this process and start no program
                found.pop("program", None)
                found.pop("command", None)
            if count is not None:
                found["run_cap"] = count
            raise SystemExit(0)

        wandb.sweep, wandb.agent = note_sweep, note_end
        try:
            run(words)
        except SystemExit as ended:
            if ended.code not in (None, 0):
                raise
        if not found:
            raise SystemExit("crescendo: the script passed no sweep to wandb.sweep, so there is nothing to print")
        if "program" not in found and "command" not in found:
            # No ${args}: a function gets its parameters from wandb.config, and the script's arguments are the user's.
            found = {"command": ["python3", "-m", "crescendo.wandb", *words], **found}
        file.write(_yaml(found))


def _yaml(sweep: Mapping[str, Any]) -> str:
    """The sweep as YAML, with lists on one line. Quotes strings, because some YAML readers take 1e-3 for a number."""
    import yaml  # comes with wandb

    class Key(str):
        pass

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        pass

    Dumper.add_representer(Key, lambda dumper, key: dumper.represent_str(str(key)))
    Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))
    Dumper.add_representer(
        list, lambda dumper, items: dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)
    )
    keyed = json.loads(json.dumps(sweep), object_pairs_hook=lambda pairs: {Key(name): value for name, value in pairs})
    text: str = yaml.dump(keyed, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=float("inf"))
    return text


class Reports:
    """Turns what a script logs in this process into reports.

    Forked processes, such as the folds of a cross-validation, inherit this object but do not report: each would count
    its reports from 1.
    """

    def __init__(self, trial: crescendo.Trial, metric: str) -> None:
        self._trial = trial
        self._metric = metric
        self._process = os.getpid()
        self._logged_in_fork = mmap.mmap(-1, 1)  # shared with forks: whether one logged the metric
        self._numbers: Dict[str, float] = {}  # numbers logged since the last report
        self._names: Dict[str, None] = {}  # names of all numbers logged so far
        self._summary: Dict[str, float] = {}  # what the script wrote to wandb.summary itself
        self._has_reported = False
        self._has_ended = False
        self._watched: Any = None

    def add(self, data: Mapping[str, Any]) -> None:
        """Takes what a script logs. Ends the program if the trial must stop."""
        numbers = dict(_numbers_in(data))
        if os.getpid() != self._process:
            self._note_fork(numbers)
            return
        self._numbers.update(numbers)
        self._names.update(dict.fromkeys(numbers))
        if self._metric not in numbers:
            return
        self._has_reported = True
        if self._has_ended:  # the script caught SystemExit, as a bare `except:` does
            sys.modules["wandb"].finish()
            os._exit(0)
        try:
            continues = self._trial.report(self._numbers)
            self._numbers = {}
            # A complete trial may still save its model, for example. If it logs the metric again, report() ends it.
            if not continues and self._trial.resource != self._trial.max_resource:
                raise SystemExit(0)
        except SystemExit:
            self._has_ended = True
            raise

    def watch(self, summary: Any) -> None:
        """Records what the script writes to objects of W&B's summary class."""
        if self._watched is summary:
            return
        self._watched = summary
        update = summary.update

        def note_and_update(written: Any, data: Mapping[str, Any]) -> None:
            self._summary.update(_numbers_in(data))
            if os.getpid() != self._process:
                self._note_fork(self._summary)
            update(written, data)

        summary.update = note_and_update

    def end(self) -> None:
        """Called when the script ends. Reports a metric that is only in the summary. Prints a message if there is
        none."""
        if self._has_reported or os.getpid() != self._process:
            return
        if self._metric in self._summary:
            self._trial.report({**self._numbers, **self._summary})
        elif self._trial.rank == 0:
            said = f"crescendo: the sweep's metric is {self._metric}, but {self._what_was_logged()}"
            print(said, file=sys.stderr, flush=True)

    def _note_fork(self, numbers: Mapping[str, float]) -> None:
        if self._metric in numbers:
            self._logged_in_fork[0] = 1

    def _what_was_logged(self) -> str:
        if self._logged_in_fork[0]:
            return (
                "only processes that the script started passed it to wandb.log, which does not count as a report; log "
                "the trial's value, such as the mean of all folds, in the script's own process"
            )
        names = ", ".join(self._names) or "nothing"
        return f"the script never logged it, only: {names}; logs of processes that the script starts are not seen"


def _numbers_in(data: Mapping[str, Any], prefix: str = "") -> Iterator[Tuple[str, float]]:
    """Yields the numbers in logged data, which may also have images or tables. A number in a dictionary gets W&B's
    dotted name.

    >>> dict(_numbers_in({"loss": 1, "val": {"loss": 0.5}, "note": "7", "weights": [1, 2]}))
    {'loss': 1.0, 'val.loss': 0.5}
    """
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _numbers_in(value, f"{prefix}{name}.")
            continue
        number = None if isinstance(value, str) else _number(value)
        if number is not None:
            yield prefix + str(name), number


def _number(value: Any) -> Optional[float]:
    try:
        return number_of(value)
    except (TypeError, ValueError, RuntimeError):  # RuntimeError: a tensor with several elements
        return None


def _write_parameters(directory: Path, rank: int) -> Path:
    """Writes the file in which W&B's agent passes parameters to wandb.init(), where they override its own values."""
    import yaml  # comes with wandb

    parameters = json.loads((directory / "params.json").read_bytes())
    path = directory / f"wandb-parameters-{rank}.yaml"  # one file per process of the trial
    entries = {name: {"value": value} for name, value in parameters.items()}
    replace_file(path, yaml.safe_dump({"wandb_version": 1, **entries}, sort_keys=False).encode())
    return path


if __name__ == "__main__":
    main()
