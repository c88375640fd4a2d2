"""A growing program in a sweep of the real crescendo."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).parent
CRESCENDO = os.environ.get("CRESCENDO_BINARY")


def write_sweep(folder, **keys):
    """Writes a sweep of one learning rate. Returns the command that runs it into `out`."""
    sweep = {"bind": "off", "parameters": {"lr": {"min": 0.01, "max": 0.3}}, **keys}
    Path(folder, "sweep.yaml").write_text(json.dumps(sweep))
    return [CRESCENDO, "run", "sweep.yaml", "--dir", "out"]


def journal(folder):
    return [json.loads(line) for line in Path(folder, "out", "journal.jsonl").read_text().splitlines()]


@unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
class GrowingSweepTest(unittest.TestCase):
    def test_a_trial_grows_from_one_worker_to_four_and_outlives_one_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            command = write_sweep(
                folder,
                metric={"name": "val_loss"},
                run_cap=1,
                slots=4,
                scheduler={"type": "rasda", "max": 8, "reduction_factor": 2, "grow_when": "always"},
                grow="in_place",
                command=[sys.executable, str(HERE / "grow.py"), "--pause=0.01", "--batch-size=8", "${args}"],
            )
            with open(Path(folder, "output"), "w") as output:
                run = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
                killed = self.kill_a_member(Path(folder, "out"), run)
                status = run.wait(timeout=400)
            self.assertEqual(status, 0, Path(folder, "output").read_text())
            listed = subprocess.run(
                [CRESCENDO, "trials", "out", "--format", "json"], cwd=folder, check=True, capture_output=True
            )
            trials = json.loads(listed.stdout)
            logs = "".join(log.read_text() for log in Path(folder, "out").glob("trials/*/trainer.log"))
            notes = journal(folder)

        self.assertTrue(killed)
        self.assertEqual({trial["status"] for trial in trials} - {"stopped", "finished"}, set())
        self.assertEqual(sum(trial["failures"] for trial in trials), 1)
        self.assertNotIn("its state in memory was lost", logs)
        self.assertEqual(max(trial["workers"] for trial in trials), 4)
        grown = [note for note in notes if note.get("event") == "trial_regrouped"]
        self.assertTrue([note for note in grown if "step" in note], grown)  # the time of its steps then

    def kill_a_member(self, sweep, run):
        """Kills a worker that has others in its group."""
        while run.poll() is None:
            for record in sweep.glob("trials/*/samples.jsonl"):
                # A line may be half written.
                for line in record.read_text().split("\n")[:-1]:
                    entry = json.loads(line)
                    if entry["rank"] == 1:
                        os.kill(entry["pid"], signal.SIGKILL)
                        return True
            time.sleep(0.01)
        return False

    def test_a_script_with_ddp_is_started_anew_with_more_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            command = write_sweep(
                folder,
                metric={"name": "loss"},
                run_cap=1,
                slots=2,
                parameters={"lr": {"min": 0.01, "max": 0.1}},
                scheduler={"type": "rasda", "max": 4, "reduction_factor": 2},
                grow="restart",
                command=[sys.executable, str(HERE / "ddp.py"), "${args}"],
            )
            done = subprocess.run(command, cwd=folder, timeout=400, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            notes = journal(folder)

        reports = [note for note in notes if note.get("event") == "trial_reported"]
        self.assertEqual([note for note in notes if note.get("event") == "trial_failed"], [])
        self.assertEqual({note["metrics"]["workers"] for note in reports}, {1, 2})
        self.assertEqual([note["resource"] for note in reports], [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
