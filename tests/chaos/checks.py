"""What must hold for a sweep after any fault. Each check returns a list of complaints, empty if all is well."""

import csv
import io
import json
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import journal
import sweeps


def check_journal(sweep_folder):
    """Checks that every line is complete, numbered and sealed."""
    path = Path(sweep_folder) / "journal.jsonl"
    content = path.read_bytes()
    complaints = [] if content.endswith(b"\n") else [f"{path}: the last line of a finished sweep is torn"]
    for number, line in enumerate(journal.whole_lines(content)):
        try:
            journal.record_of(line, number, path)
        except (journal.Damaged, ValueError) as error:
            complaints.append(str(error))
    return complaints


def check_reports(records, sweep):
    """Checks that every trial reports the resources 1, 2, 3, …, each once."""
    resources = defaultdict(list)
    for report in journal.reports(records):
        resources[report["trial"]].append(report["resource"])
    complaints = [f"trial {trial} reported {found}, not each of 1 to {max(found)} once and in order"
                  for trial, found in sorted(resources.items()) if found != list(range(1, len(found) + 1))]
    if sorted(resources) != list(range(sweep.num_trials)):
        complaints.append(f"the trials that reported are {sorted(resources)}, not 0 to {sweep.num_trials - 1}")
    return complaints


def check_losses(records, sweep, account):
    """Programs' losses are those of undisturbed trials: no state was mixed up, and no epoch was silently restarted."""
    complaints = []
    expected = {trial: sweeps.expected_losses(sweep, processes) for trial, processes in account.items()}
    for report in journal.reports(records):
        losses = expected.get(report["trial"])
        if losses and report["loss"] != losses[report["resource"] - 1]:
            complaints.append(f"trial {report['trial']} reported {report['loss']} after {report['resource']} epochs; "
                              f"undisturbed it has {losses[report['resource'] - 1]}")
    return complaints


def check_account(sweep, account):
    """Every step was trained, but never by two processes that did not know about each other."""
    complaints = []
    for trial, processes in sorted(account.items()):
        steps = {step["step"] for steps in processes.values() for step in steps}
        if steps != set(range(1, len(steps) + 1)):
            complaints.append(f"trial {trial}: of its steps {sorted(set(range(1, max(steps))) - steps)} were left out")
        if sweep.steps_per_epoch == 0:
            continue  # processes of one group may train at the same time
        spans = sorted((steps[0]["time"], steps[-1]["time"], pid) for pid, steps in processes.items() if steps)
        complaints += [f"trial {trial}: process {later[2]} began before process {former[2]} had ended"
                       for former, later in zip(spans, spans[1:]) if later[0] < former[1]]
    return complaints


class Commands:
    """What crescendo says about a finished sweep."""

    def __init__(self, crescendo, folder):
        self.crescendo, self.folder = crescendo, folder

    def run(self, *words):
        done = subprocess.run([self.crescendo, *words], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def status(self):
        """The status, and the reason if there is none."""
        code, out, err = self.run("status", str(self.folder), "--format", "json")
        return (json.loads(out), "") if code == 0 else (None, err.strip())

    def trials_csv(self):
        return self.run("trials", str(self.folder), "--format", "csv")[1]

    def replay(self):
        code, out, err = self.run("simulate", "--replay", str(self.folder), "--format", "json")
        return [] if code == 0 and json.loads(out)["differences"] == 0 else [f"replaying the journal: {err.strip() or out}"]


def check_state(commands, records, sweep):
    """status, results.csv and a replay of the journal agree with one another and with the reports."""
    status, trouble = commands.status()
    if status is None:
        return [f"crescendo status: {trouble}"]
    complaints = [] if status["state"] == "finished" else [f"the sweep is {status['state']}"]
    results = (commands.folder / "results.csv").read_text() if (commands.folder / "results.csv").exists() else ""
    if results != commands.trials_csv():
        complaints.append("results.csv is not what `crescendo trials --format csv` prints")
    rows = list(csv.DictReader(io.StringIO(results)))
    by_status = Counter(row["status"] for row in rows)
    counts = {name: count for name, count in status["trials"].items() if count and name != "begun"}
    if counts != by_status or status["trials"]["begun"] != sweep.num_trials:
        complaints.append(f"status counts {status['trials']}, results.csv {dict(by_status)}")
    if by_status["failed"]:
        complaints.append(f"{by_status['failed']} trials failed, of faults that were not theirs")
    last = {report["trial"]: report for report in journal.reports(records)}
    for row in rows:
        report = last.get(int(row["trial"]))
        if report is not None and report["resource"] != int(row["resource"]):
            complaints.append(f"trial {row['trial']} reported {report['resource']} last, results.csv has {row['resource']}")
    best = status["best"] or {}
    smallest = min((report["loss"], report["trial"]) for report in last.values()) if last else None
    if smallest and best.get("trial") != smallest[1]:
        complaints.append(f"the best trial is {smallest[1]} by its last report, status says {best.get('trial')}")
    return complaints + commands.replay()


def check_sweep(crescendo, folder, sweep, account_folder):
    """Runs all checks above. If the journal is damaged, the other checks are skipped."""
    complaints = check_journal(folder)
    if complaints:
        return complaints
    records = journal.read(folder / "journal.jsonl")
    account = sweeps.read_account(account_folder)
    return (check_reports(records, sweep) + check_losses(records, sweep, account) + check_account(sweep, account) +
            check_state(Commands(crescendo, folder), records, sweep))
