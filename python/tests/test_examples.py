"""The examples hold what docs/your-own-program.md says of them."""

import difflib
import os
import subprocess
import sys
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
        for name in ("report.yaml", "grow.yaml"):
            with self.subTest(name):
                done = subprocess.run(
                    [CRESCENDO, "validate", name], cwd=EXAMPLES, env=ENVIRONMENT, capture_output=True
                )
                self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
