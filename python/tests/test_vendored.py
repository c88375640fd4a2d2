"""Scripts that were not written for Crescendo are tuned as examples/vendored/README.md says."""

import gzip
import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

VENDORED = Path(__file__).parents[2] / "examples/vendored"
FASHION = Path("/usr/share/datasets/fashion-mnist")
CRESCENDO = os.environ.get("CRESCENDO_BINARY")
# The sweep files look for python3 in PATH.
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def write_images(folder, train="train", test="t10k", count=256):
    """Writes a few images of clothes, as if torchvision had downloaded MNIST or a similar set."""
    folder.mkdir(parents=True)
    for part, name, number in (("train", train, count), ("t10k", test, 128)):
        for kind, head, size in (("images-idx3", 16, 28 * 28), ("labels-idx1", 8, 1)):
            with gzip.open(FASHION / f"{part}-{kind}-ubyte.gz") as packed:
                content = packed.read(head + number * size)
            (folder / f"{name}-{kind}-ubyte").write_bytes(content[:4] + struct.pack(">I", number) + content[8:])


def num_changed_lines(patch):
    return sum(bool(re.match(r"\+(?!\+\+ ).*\S", line)) for line in patch.read_text().splitlines())


@unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
class VendoredTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def sweep(self, name, file, **smaller):
        """Runs a sweep file of a vendored script with some smaller values. Returns the trials."""
        work = self.folder / name
        shutil.copytree(VENDORED / name, work, dirs_exist_ok=True)
        for patch in work.glob("*.patch"):
            made, script = re.search(r"^--- (\S+)\n\+\+\+ (\S+)", patch.read_text()).groups()[::-1]
            subprocess.run(["patch", "-s", "-o", made, script, patch.name], cwd=work, check=True)
        text = (work / file).read_text()
        for key, value in smaller.items():
            text, count = re.subn(rf"\b({key}(?:: |=))\d+(?![.\d])", rf"\g<1>{value}", text)
            self.assertEqual(count, 1)
        # Whether growing pays here depends on the speed of the machine.
        text = text.replace("{type: rasda,", "{type: rasda, grow_when: always,")
        (work / file).write_text(f"{text}bind: off\n")
        run = [CRESCENDO, "run", file, "--dir", "out"]
        done = subprocess.run(run, cwd=work, env=ENVIRONMENT, capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        listed = subprocess.run([CRESCENDO, "trials", "out", "--format", "json"], cwd=work, check=True,
                                capture_output=True)
        self.journal = [json.loads(line) for line in (work / "out/journal.jsonl").read_text().splitlines()]
        trials = json.loads(listed.stdout)
        self.assertEqual({trial["failures"] for trial in trials}, {0})
        return trials

    @needs("torchvision", "schedulefree")
    def test_the_mnist_example_is_tuned_as_it_is(self):
        write_images(self.folder / "data/MNIST/raw")

        trials = self.sweep("mnist", "print.yaml", run_cap=1, max=2)

        self.assertEqual([trial["resource"] for trial in trials], [2])
        self.assertTrue(all(0 < trial["val_loss"] < 3 for trial in trials))

    @needs("torchvision", "schedulefree")
    def test_the_mnist_example_grows_with_fifteen_changed_lines_at_most(self):
        write_images(self.folder / "data/MNIST/raw")

        (trial,) = self.sweep("mnist", "grow.yaml", run_cap=1, max=2, slots=2)

        self.assertEqual((trial["workers"], trial["resource"], trial["status"]), (2, 2, "finished"))
        self.assertTrue([note for note in self.journal if note.get("note") == "regrouped"])
        self.assertLessEqual(num_changed_lines(VENDORED / "mnist/grow.patch"), 15)

    def write_letters(self):
        folder = self.folder / "emnist/data/EMNIST/raw"
        write_images(folder, "emnist-balanced-train", "emnist-balanced-test", count=640)

    @needs("torchvision", "pytorch_warmup")
    def test_a_loop_with_schedules_by_the_step_is_tuned_as_it_is(self):
        self.write_letters()

        trials = self.sweep("emnist", "print.yaml", run_cap=1, max=2, epochs=2)

        self.assertEqual([(trial["resource"], trial["status"]) for trial in trials], [(2, "finished")])

    @needs("torchvision", "pytorch_warmup")
    def test_a_loop_with_schedules_by_the_step_grows_with_fifteen_changed_lines_at_most(self):
        self.write_letters()

        (trial,) = self.sweep("emnist", "grow.yaml", run_cap=1, max=2, slots=2, epochs=2)

        self.assertEqual((trial["workers"], trial["resource"], trial["status"]), (2, 2, "finished"))
        self.assertLessEqual(num_changed_lines(VENDORED / "emnist/grow.patch"), 15)

    @needs("sklearn")
    def test_a_scikit_learn_example_is_tuned_by_what_it_prints(self):
        trials = self.sweep("scikit-learn", "sweep.yaml", run_cap=2)

        self.assertEqual([trial["status"] for trial in trials], ["finished"] * 2)
        self.assertGreater(max(trial["accuracy"] for trial in trials), 0.7)
        self.assertLessEqual(num_changed_lines(VENDORED / "scikit-learn/arguments.patch"), 15)

    def test_a_program_of_the_system_is_tuned_by_what_it_prints(self):
        (self.folder / "data").write_text("".join(f"{i * i}\n" for i in range(20000)))
        sweep = {
            "metric": {"name": "saved", "goal": "maximize"},
            "run_cap": 4,
            "slots": 2,
            "bind": "off",
            "parameters": {"level": {"min": 1, "max": 9}},
            "scheduler": {"type": "fifo", "max": 1},
            "command": ["sh", "-c", "gzip -cv -${level} data > /dev/null"],
            "report": {"pattern": r"(?P<saved>\S+)%"},
        }
        (self.folder / "sweep.yaml").write_text(json.dumps(sweep))

        run = [CRESCENDO, "run", "sweep.yaml", "--dir", "out"]
        done = subprocess.run(run, cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        best = subprocess.run([CRESCENDO, "best", "out", "--format", "json"], cwd=self.folder, capture_output=True)
        self.assertGreater(json.loads(best.stdout)["metrics"]["saved"], 50)


if __name__ == "__main__":
    unittest.main()
