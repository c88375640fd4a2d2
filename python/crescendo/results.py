"""Results of a sweep, for notebooks: its trials and their reports as plain lists, or as a frame."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from crescendo.protocol import without_point

class Results:
    """What is known of a sweep now; it may still be running.

    `trials` has a dict for each trial, with the columns of `crescendo trials`. `reports` has a dict for each report, in
    the order of time: `trial`, `resource`, `time` (seconds that the sweep had been at work), `seconds` (the training
    clock), `workers` and every metric, which is None where the report lacks it; a metric that has the name of another
    column is `metrics.NAME`. `best` is the best trial as `crescendo best` shows it, or None;
    its `config` has whole numbers without a point, as programs get them.
    """

    def __init__(
        self,
        directory: Path,
        trials: list[dict[str, Any]],
        reports: list[dict[str, Any]],
        best: dict[str, Any] | None,
    ) -> None:
        self.directory = directory
        self.trials = trials
        self.reports = reports
        self.best = best

    def __repr__(self) -> str:
        return f"Results({str(self.directory)!r}: {len(self.trials)} trials, {len(self.reports)} reports)"

    def frame(self, what: str = "trials", library: str | None = None) -> Any:
        """`trials` or `reports` as a frame of pandas, or of polars where only that is installed; `library` chooses.

        In polars a column has one type: one with lists beside single values is their JSON.
        """
        if what not in ("trials", "reports"):
            raise ValueError(f"frame({what!r}): there are 'trials' and 'reports'")
        rows = self.trials if what == "trials" else self.reports
        for name in [library] if library else ["pandas", "polars"]:
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue
            if name == "polars":  # it guesses types from the first rows unless it may look at all of them
                return module.DataFrame(_with_one_kind_a_column(rows), infer_schema_length=None)
            return module.DataFrame(rows)
        missing = f"{library} is not" if library else "neither pandas nor polars is"
        raise ImportError(f"{missing} installed; use .{what}, a list of dicts")


def load(directory: str | os.PathLike[str], program: str | None = None) -> Results:
    """Reads a sweep's directory.

    The `crescendo` program says what its trials are, so a notebook and the command line cannot disagree. `program` is
    its path; by default the one in CRESCENDO_BINARY, or on PATH. Raises ValueError with the program's own message if
    there is no sweep, or a damaged one.
    """
    directory = Path(directory)
    program = program or os.environ.get("CRESCENDO_BINARY") or shutil.which("crescendo")
    if program is None:
        raise FileNotFoundError("the program `crescendo` is not on PATH; add its folder, or use load(DIR, program=…)")
    with tempfile.TemporaryDirectory() as folder:
        _ask(program, "export", directory, "--to", "json", "--out", folder)
        trials, reports = (json.loads((Path(folder) / f"{name}.json").read_text()) for name in ("trials", "reports"))
    best = json.loads(_ask(program, "best", directory, "--format", "json"))
    if best is not None:
        best["config"] = {name: without_point(value) for name, value in best["config"].items()}
    return Results(directory, trials, reports, best)


def _with_one_kind_a_column(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where lists or dictionaries stand beside other values, all of the column are their JSON."""
    kinds: dict[str, set[Any]] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None:
                kinds.setdefault(name, set()).add(type(value) if isinstance(value, (list, dict)) else None)
    mixed = {name for name, found in kinds.items() if len(found) > 1}

    def written(name: str, value: Any) -> Any:
        return json.dumps(value) if name in mixed and value is not None else value

    return [{name: written(name, value) for name, value in row.items()} for row in rows]


def _ask(program: str, verb: str, directory: Path, *options: str) -> str:
    done = subprocess.run([program, verb, str(directory), *options], capture_output=True, text=True)
    if done.returncode != 0 and done.stdout.strip() != "null":  # null: no trial is the best yet
        raise ValueError(done.stderr.strip() or f"crescendo {verb} ended with status {done.returncode}")
    return done.stdout
