#!/usr/bin/env python3
"""The campaign's checks notice what they should: a successful sweep is broken on purpose in each way.

usage: self_test.py BIN      folder of crescendo
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import checks
import faults
import journal
import processes
import rounds
import sweeps
import table


def write_journal(path, records):
    """Writes the records with new numbers and seals, so that only their content is wrong."""
    lines = []
    for number, record in enumerate(records):
        members = {"n": number, **{key: value for key, value in record.items() if key not in ("n", "crc")}}
        body = json.dumps(members, separators=(",", ":")).encode()[:-1]
        lines.append(body + journal.seal(body) + b"\n")
    path.write_bytes(b"".join(lines))


class BrokenSweeps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="chaos-self-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.sweep = sweeps.programs(random.Random(3), slots=4)
        (cls.folder / "sweep.yaml").write_text(cls.sweep.text)
        (cls.folder / "account").mkdir()
        subprocess.run([cls.crescendo, "run", "sweep.yaml"], cwd=cls.folder, check=True, capture_output=True,
                       env={**os.environ, "TEST_RECORD": str(cls.folder / "account")})

    def setUp(self):
        self.copy = Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("s", "account"):
            shutil.copytree(self.folder / name, self.copy / name)
        self.journal = self.copy / "s" / "journal.jsonl"
        self.records = journal.read(self.journal)
        self.reports = [number for number, record in enumerate(self.records) if record.get("event") == "trial_reported"]

    def complaints(self):
        return "\n".join(checks.check_sweep(self.crescendo, self.copy / "s", self.sweep, self.copy / "account"))

    def test_a_sweep_that_went_well_is_fine(self):
        self.assertEqual(self.complaints(), "")

    def test_a_line_that_was_deleted(self):
        lines = self.journal.read_bytes().splitlines(keepends=True)
        del lines[5]
        self.journal.write_bytes(b"".join(lines))
        self.assertIn("journal.jsonl:6: the line has the number 6", self.complaints())

    def test_a_byte_that_flipped(self):
        content = bytearray(self.journal.read_bytes())
        content[len(content) // 2] ^= 1
        self.journal.write_bytes(bytes(content))
        self.assertIn("the checksum does not match", self.complaints())

    def test_a_torn_end(self):
        self.journal.write_bytes(self.journal.read_bytes()[:-3])
        self.assertIn("torn", self.complaints())

    def test_a_report_that_is_missing(self):
        first = self.reports[0]
        write_journal(self.journal, self.records[:first] + self.records[first + 1:])
        self.assertIn("not each of 1 to", self.complaints())

    def test_a_report_that_is_there_twice(self):
        last = self.reports[-1]
        write_journal(self.journal, self.records[:last + 1] + self.records[last:])
        self.assertIn("not each of 1 to", self.complaints())

    def test_a_trial_that_is_missing(self):
        write_journal(self.journal, [record for record in self.records if record.get("trial") != 2])
        self.assertIn("the trials that reported are [0, 1, 3", self.complaints())

    def test_a_loss_that_no_undisturbed_trial_has(self):
        self.records[self.reports[3]]["loss"] += 0.5
        write_journal(self.journal, self.records)
        self.assertIn("undisturbed it has", self.complaints())

    def test_results_of_another_sweep(self):
        results = self.copy / "s" / "results.csv"
        results.write_text(results.read_text().replace("stopped", "finished").replace("0.", "1."))
        complaints = self.complaints()
        self.assertIn("results.csv is not what", complaints)
        self.assertIn("the sweep has different results now", complaints)

    def test_a_configuration_that_changed(self):
        (self.copy / "s" / "trials" / "000001" / "params.json").write_text('{"x": 2}')
        self.assertIn("a different configuration", self.complaints())

    def account_of(self, trial):
        return next(path for path in sorted((self.copy / "account").iterdir())
                    if json.loads(path.read_text().splitlines()[0])["trial"] == trial)

    def test_a_step_that_was_left_out(self):
        path = self.account_of(1)
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:2] + lines[3:]))
        self.assertIn("trial 1: of its steps [3] were left out", self.complaints())

    def test_two_processes_of_one_trial_at_a_time(self):
        path = self.account_of(1)
        shutil.copy(path, path.with_name("999999999"))
        self.assertIn("had ended", self.complaints())

    def test_steps_trained_twice_are_counted(self):
        path = self.account_of(1)
        again = [json.loads(line) | {"time": 9e9} for line in path.read_text().splitlines()[2:5]]
        path.with_name("999999999").write_text("".join(json.dumps(step) + "\n" for step in again))
        self.assertEqual(sweeps.steps_trained_twice(sweeps.read_account(self.copy / "account")[1]), 3)

    def test_a_process_that_is_left_behind(self):
        sleeper = subprocess.Popen(["sleep", "60"], env={**os.environ, processes.MARK: str(self.copy)})
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.assertEqual([left.pid for left in processes.await_none(str(self.copy), 0.1)], [sleeper.pid])


class CutTail(unittest.TestCase):
    """A crash may lose only records that no other process has seen."""

    LINES = [json.dumps(record) for record in ({"journal": "crescendo"}, {"trial": 1, "resource": 3},
                                               {"trial": 0, "resource": 2}, {"note": "session"},
                                               {"trial": 2, "resource": 2})]

    @staticmethod
    def account(**epochs):
        """An account of trials whose last trained epochs, counted from 0, are these."""
        return {int(trial[1:]): {7: [{"epoch": 0}, {"epoch": epoch}]} for trial, epoch in epochs.items()}

    def test_three_reports_that_were_not_answered_may_be_lost(self):
        self.assertEqual(faults.cut_tail(self.LINES, self.account(t0=1, t1=2, t2=1)), 3)
        self.assertEqual(faults.cut_tail(self.LINES, {}), 3)

    def test_a_report_whose_trial_went_on_is_on_the_disk(self):
        self.assertEqual(faults.cut_tail(self.LINES, self.account(t0=2, t1=2, t2=1)), 2)
        self.assertEqual(faults.cut_tail(self.LINES, self.account(t0=1, t1=2, t2=2)), 0)

    def test_the_first_line_stays(self):
        self.assertEqual(faults.cut_tail(self.LINES[:2], {}), 1)


class SparedRounds(unittest.TestCase):
    @staticmethod
    def results(spared, struck):
        return [rounds.Result("drain/0", "drain", "", each >= spared) for each in range(spared + struck)]

    def test_a_tenth_may_be_over_before_the_fault(self):
        self.assertFalse(table.spares_too_many(self.results(2, 18)))
        self.assertTrue(table.spares_too_many(self.results(3, 17)))

    def test_one_round_alone_may_be(self):
        self.assertFalse(table.spares_too_many(self.results(1, 0)))

    def test_none_of_three_rounds_of_a_fault_may_miss(self):
        self.assertEqual(table.never_struck(self.results(3, 0)), ["drain"])
        self.assertEqual(table.never_struck(self.results(2, 1)), [])
        self.assertEqual(table.never_struck(self.results(2, 0)), [])

    def test_the_last_line_tells_how_many(self):
        self.assertIn("| 18 (2 over before) |", table.markdown(self.results(2, 18)).splitlines()[-1])


if __name__ == "__main__":
    BrokenSweeps.crescendo = Path(sys.argv.pop(1)).resolve() / "crescendo"
    unittest.main()
