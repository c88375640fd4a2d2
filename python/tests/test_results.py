"""Results of a sweep that the real crescendo ran, as lists and as frames."""

import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import crescendo

CRESCENDO = os.environ.get("CRESCENDO_BINARY")

SWEEP = """\
name: s
metric: {name: loss}
run_cap: 2
slots: 1
parameters: {x: {min: 0.0, max: 1.0}}
scheduler: {type: fifo, max: 2}
command: [bash, train.sh]
"""
TRAIN = """\
for resource in 1 2; do
  echo '{"resource": '$resource', "metrics": {"loss": 0.'$((5 - resource))', "other": 7}}' >&$CRESCENDO_FD
  read -r _ <&$CRESCENDO_FD
done
"""


@unittest.skipUnless(CRESCENDO, "needs CRESCENDO_BINARY")
class ResultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = Path(cls.folder.name)
        (folder / "sweep.yaml").write_text(SWEEP)
        (folder / "train.sh").write_text(TRAIN)
        subprocess.run([CRESCENDO, "run", "sweep.yaml"], cwd=folder, check=True, capture_output=True)
        cls.sweep = folder / "s"

    def test_trials_are_those_of_the_command(self):
        listed = subprocess.run([CRESCENDO, "trials", self.sweep, "--format", "json"], check=True, capture_output=True)

        results = crescendo.load(self.sweep)

        self.assertEqual(results.trials, json.loads(listed.stdout))
        self.assertEqual([trial["loss"] for trial in results.trials], [0.3, 0.3])
        self.assertEqual(results.best["trial"], 0)

    def test_reports_have_every_metric_in_the_order_of_time(self):
        reports = crescendo.load(self.sweep).reports

        self.assertEqual([(each["trial"], each["resource"], each["loss"], each["other"]) for each in reports],
                         [(0, 1, 0.4, 7), (0, 2, 0.3, 7), (1, 1, 0.4, 7), (1, 2, 0.3, 7)])
        self.assertEqual(sorted(each["time"] for each in reports), [each["time"] for each in reports])

    def test_a_record_that_is_being_written_does_not_count_yet(self):
        journal = self.sweep / "journal.jsonl"
        whole = journal.read_bytes()
        self.addCleanup(journal.write_bytes, whole)
        journal.write_bytes(whole + b'{"n":99,"event":"trial_rep')

        self.assertEqual(len(crescendo.load(self.sweep).reports), 4)

    def test_a_folder_without_a_sweep_is_refused_in_the_programs_words(self):
        with self.assertRaisesRegex(ValueError, "holds no sweep"):
            crescendo.load(self.folder.name)

    def test_a_missing_program_is_named(self):
        with mock.patch.dict(os.environ, {"PATH": ""}), self.assertRaisesRegex(FileNotFoundError, "not on PATH"):
            del os.environ["CRESCENDO_BINARY"]
            crescendo.load(self.sweep)

    def test_frames_have_a_row_each(self):
        results = crescendo.load(self.sweep)
        for library in ("pandas", "polars"):
            with self.subTest(library):
                if importlib.util.find_spec(library) is None:
                    with self.assertRaisesRegex(ImportError, library):
                        results.frame(library=library)
                    continue
                self.assertEqual(results.frame(library=library).shape[0], 2)
                self.assertEqual(list(results.frame("reports", library)["loss"]), [0.4, 0.3, 0.4, 0.3])

    def test_an_unknown_frame_is_refused(self):
        with self.assertRaisesRegex(ValueError, "'trials' and 'reports'"):
            crescendo.load(self.sweep).frame("rungs")
