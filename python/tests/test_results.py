"""Results of a sweep that the real crescendo ran, as lists and as frames."""

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import crescendo
from crescendo import results

CRESCENDO = os.environ.get("CRESCENDO_BINARY")

SWEEP = """\
name: s
metric: {name: loss}
run_cap: 2
slots: 1
parameters:
  x: {min: 0.0, max: 1.0}
  width: {distribution: q_log_uniform_values, min: 8, max: 512, q: 1}
scheduler: {type: fifo, max: 2}
command: [bash, train.sh]
"""
TRAIN = """\
for resource in 1 2; do
  echo '{"resource": '$resource', "metrics": {"loss": 0.'$((5 - resource))', "other": 7, "time": 90}}' >&$CRESCENDO_FD
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
        self.assertEqual({each["metrics.time"] for each in reports}, {90})
        self.assertLess(max(each["time"] for each in reports), 90)

    def test_a_sweep_without_a_value_yet_has_no_best_trial(self):
        folder = Path(self.folder.name)
        (folder / "silent.sh").write_text("")
        (folder / "silent.yaml").write_text(SWEEP.replace("train.sh", "silent.sh").replace("name: s", "name: silent"))
        subprocess.run([CRESCENDO, "run", "silent.yaml"], cwd=folder, capture_output=True)

        results = crescendo.load(folder / "silent")

        self.assertIsNone(results.best)
        self.assertTrue(results.trials)
        self.assertEqual(results.reports, [])

    def test_reports_after_a_trials_end_do_not_count(self):
        folder = Path(self.folder.name)
        (folder / "on.sh").write_text("for i in 1 2 3 4; do echo epoch $i loss=0.5; done\n")
        pattern = "report: {pattern: 'epoch (?P<resource>.) loss=(?P<loss>.*)'}\n"
        (folder / "on.yaml").write_text(SWEEP.replace("train.sh", "on.sh").replace("name: s", "name: on") + pattern)
        subprocess.run([CRESCENDO, "run", "on.yaml"], cwd=folder, check=True, capture_output=True)

        reports = crescendo.load(folder / "on").reports

        self.assertEqual([(each["trial"], each["resource"]) for each in reports], [(0, 1), (0, 2), (1, 1), (1, 2)])

    def test_a_whole_number_of_the_best_configuration_has_no_point(self):
        best = crescendo.load(self.sweep).best

        parameters = json.loads((self.sweep / "trials/000000/params.json").read_text())
        self.assertEqual({name: type(value) for name, value in best["config"].items()}, {"x": float, "width": int})
        self.assertEqual(best["config"], parameters)

    def test_names_and_texts_of_any_language_are_read_in_any_locale(self):
        folder = Path(self.folder.name)
        sweep = SWEEP.replace("name: s", "name: e").replace("x: {min: 0.0, max: 1.0}", "é: {value: ß}")
        (folder / "e.yaml").write_text(sweep, encoding="utf-8")
        subprocess.run([CRESCENDO, "run", "e.yaml"], cwd=folder, check=True, capture_output=True)
        program = r"import crescendo; r = crescendo.load('e'); print(ascii([r.trials[0]['\xe9'], r.best['config']]))"
        ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}

        done = subprocess.run(
            [sys.executable, "-X", "utf8=0", "-c", program], cwd=folder, env=ascii_only, capture_output=True, text=True
        )

        self.assertRegex(done.stdout, r"^\['\\xdf', \{'\\xe9': '\\xdf', 'width': \d+\}\]$", done.stderr)

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

    @unittest.skipUnless(importlib.util.find_spec("polars"), "polars is not installed: scripts/install.sh tools")
    def test_a_column_with_lists_beside_single_values_is_a_column_of_polars(self):
        trials = [
            {"layers": value, "lr": 0.1, "widths": [1], "betas": [0, 0.9]} for value in ([64, 32], 64, "none", None)
        ]

        frame = results.Results(Path("s"), trials, [], None).frame(library="polars")

        self.assertEqual(frame["layers"].to_list(), ["[64, 32]", "64", '"none"', None])
        self.assertEqual((frame["lr"].to_list(), frame["widths"].to_list()), ([0.1] * 4, [[1]] * 4))
        self.assertEqual(frame["betas"].to_list(), [[0.0, 0.9]] * 4)

    @unittest.skipUnless(importlib.util.find_spec("pandas") and importlib.util.find_spec("matplotlib"),
                         "pandas and Matplotlib are not installed: scripts/install.sh tools")
    def test_the_lines_for_a_notebook_draw_a_plot(self):
        page = (Path(__file__).parents[2] / "examples/notebook.md").read_text()
        lines = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
        names = {"results/first": str(self.sweep), "val_accuracy": "loss", '"lr"': '"x"'}
        for of_the_page, of_this_sweep in names.items():
            self.assertIn(of_the_page, lines)
            lines = lines.replace(of_the_page, of_this_sweep)
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
        self.addCleanup(pyplot.close, "all")
        printed = io.StringIO()

        with contextlib.redirect_stdout(printed):
            exec(lines, {})

        self.assertEqual([list(line.get_ydata()) for line in pyplot.gca().lines], [[0.4, 0.3], [0.4, 0.3]])
        self.assertIn("{'loss': 0.3, 'other': 7.0, 'time': 90.0}", printed.getvalue())

    def test_an_unknown_frame_is_refused(self):
        with self.assertRaisesRegex(ValueError, "use 'trials' or 'reports'"):
            crescendo.load(self.sweep).frame("rungs")
