"""Results of a sweep, for notebooks: its trials and their reports as plain lists, or as a data frame."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crescendo.protocol import without_point


@dataclass(repr=False)
class Results:
    """Results of a sweep so far; it may still be running.

    `trials` has one dict per trial, with the columns of `crescendo trials`. `reports` has one dict per report, in order
    of time: `trial`, `resource`, `time` (seconds for which the sweep had been running), `seconds` (the training clock),
    `workers` and every metric, which is None if the report lacks it. A metric with the name of another column becomes
    `metrics.NAME`. `best` is the best trial as `crescendo best` shows it, or None. Whole numbers in its `config` are
    integers, as programs get them.
    """

    directory: Path
    trials: list[dict[str, Any]]
    reports: list[dict[str, Any]]
    best: dict[str, Any] | None

    def __repr__(self) -> str:
        return f"Results({str(self.directory)!r}: {len(self.trials)} trials, {len(self.reports)} reports)"

    def frame(self, what: str = "trials", library: str | None = None) -> Any:
        """Returns `trials` or `reports` as a pandas data frame, or a polars one if only polars is installed. `library`
        chooses one of the two. Raises ImportError if the library is not installed.

        A polars column has one type, so a column that mixes lists with single values holds JSON text.
        """
        if what not in ("trials", "reports"):
            raise ValueError(f"frame({what!r}): use 'trials' or 'reports'")
        rows = self.trials if what == "trials" else self.reports
        for name in [library] if library else ["pandas", "polars"]:
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue
            if name == "polars":  # None: infer types from all rows. Not strict: a list may have both 0 and 0.9.
                return module.DataFrame(_with_one_kind_a_column(rows), infer_schema_length=None, strict=False)
            return module.DataFrame(rows)
        missing = f"{library} is not" if library else "neither pandas nor polars is"
        raise ImportError(f"{missing} installed; use .{what}, a list of dicts")


def load(directory: str | os.PathLike[str], program: str | None = None) -> Results:
    """Reads a sweep's directory.

    It asks the `crescendo` program for the trials, so a notebook and the command line cannot disagree. `program` is the
    path of that program; by default CRESCENDO_BINARY, or `crescendo` on PATH. Raises FileNotFoundError if there is no
    such program, and ValueError with the program's own message if there is no sweep or a damaged one.
    """
    directory = Path(directory)
    program = program or os.environ.get("CRESCENDO_BINARY") or shutil.which("crescendo")
    if program is None:
        raise FileNotFoundError("the program `crescendo` is not on PATH; add its folder, or use load(DIR, program=…)")
    with tempfile.TemporaryDirectory() as folder:
        _ask(program, "export", directory, "--to", "json", "--out", folder)
        trials, reports = (json.loads((Path(folder) / f"{name}.json").read_bytes()) for name in ("trials", "reports"))
    best = json.loads(_ask(program, "best", directory, "--format", "json"))
    if best is not None:
        best["config"] = {name: without_point(value) for name, value in best["config"].items()}
    return Results(directory, trials, reports, best)


def _with_one_kind_a_column(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns each column that mixes lists or dictionaries with other values into JSON text."""
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
    done = subprocess.run([program, verb, str(directory), *options], capture_output=True, encoding="utf-8")
    if done.returncode != 0 and done.stdout.strip() != "null":  # null: no trial has a result yet
        raise ValueError(done.stderr.strip() or f"crescendo {verb} ended with status {done.returncode}")
    return done.stdout
