"""The examples hold what docs/your-own-program.md says of them."""

import difflib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples/pytorch"
CRESCENDO = os.environ.get("CRESCENDO_BINARY")
# The examples' first line looks for python3 along the path.
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def num_changed_lines(name):
    """Lines of the script that plain.py does not have, without the first one of its documentation."""
    plain, changed = ((EXAMPLES / each).read_text().splitlines() for each in ("plain.py", name))
    new = [line for line in difflib.ndiff(plain, changed) if line.startswith("+ ") and line.strip("+ ")]
    return len([line for line in new if '"""' not in line])


class ExamplesTest(unittest.TestCase):
    def test_the_steps_are_as_small_as_the_page_says(self):
        self.assertEqual(num_changed_lines("report.py"), 6)
        self.assertEqual(num_changed_lines("grow.py"), 8)

    def test_a_growing_script_runs_by_hand(self):
        done = subprocess.run(
            [str(EXAMPLES / "grow.py"), "--epochs", "1"], env=ENVIRONMENT, capture_output=True, text=True
        )
        self.assertRegex(done.stdout, r"^epoch 1: val_accuracy 0\.\d+\n$", done.stderr)

    @unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
    def test_crescendo_accepts_the_sweep_files(self):
        for name in ("report.yaml", "grow.yaml", "accelerate.yaml"):
            with self.subTest(name):
                done = subprocess.run(
                    [CRESCENDO, "validate", name], cwd=EXAMPLES, env=ENVIRONMENT, capture_output=True
                )
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    @unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
    @unittest.skipUnless(importlib.util.find_spec("accelerate"), "not installed: accelerate")
    def test_a_loop_of_accelerate_is_started_anew_with_two_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            text = (EXAMPLES / "accelerate.yaml").read_text()
            for long, short in (("run_cap: 9", "run_cap: 1"), ("max: 9", "max: 2"), ("factor: 3", "factor: 2")):
                text = text.replace(long, short)
            Path(folder, "sweep.yaml").write_text(text.replace("with_acc", f"{EXAMPLES}/with_acc") + "bind: off\n")
            command = [CRESCENDO, "run", "sweep.yaml", "--dir", "out"]
            done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            journal = [json.loads(line) for line in Path(folder, "out/journal.jsonl").read_text().splitlines()]

        self.assertEqual([note["resource"] for note in journal if note.get("event") == "trial_reported"], [1, 2])
        self.assertEqual([note["generation"] for note in journal if note.get("note") == "regrouped"], [1])


if __name__ == "__main__":
    unittest.main()
