"""Scripts for W&B run unchanged in a sweep, with the real wandb package."""

import contextlib
import importlib.util
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from crescendo.wandb import Reports

CRESCENDO = os.environ.get("CRESCENDO_BINARY")
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "WANDB__SERVICE_WAIT": "300",  # seconds for W&B's helper to start, in place of 30: the machine may be busy
}


def write(path, script):
    path.parent.mkdir(exist_ok=True)
    path.write_text(textwrap.dedent(script))


class FakeTrial:
    """A trial that stops at a resource."""

    rank = 0

    def __init__(self, end, max_resource=None):
        self.end, self.max_resource = end, max_resource
        self.resource = 0
        self.reports = []

    def report(self, metrics):
        self.resource += 1
        self.reports.append(metrics)
        return self.resource < self.end


class ReportsTest(unittest.TestCase):
    def test_a_report_has_all_numbers_since_the_one_before(self):
        trial = FakeTrial(end=9)
        reports = Reports(trial, "val.loss")
        for data in ({"loss": 3, "note": "1"}, {"loss": 2}, {"val": {"loss": 1, "x": object()}}, {"val.loss": 0.5}):
            reports.add(data)

        self.assertEqual(trial.reports, [{"loss": 2.0, "val.loss": 1.0}, {"val.loss": 0.5}])

    def test_a_trial_that_is_to_stop_ends_and_one_that_is_complete_may_do_the_rest(self):
        with self.assertRaises(SystemExit) as ended:
            Reports(FakeTrial(end=1, max_resource=2), "loss").add({"loss": 1})
        self.assertEqual(ended.exception.code, 0)
        Reports(FakeTrial(end=1, max_resource=1), "loss").add({"loss": 1})

    def test_who_never_reports_is_told_what_was_logged(self):
        reports = Reports(FakeTrial(end=9), "val_loss")
        reports.add({"valid_loss": 1})
        with contextlib.redirect_stderr(io.StringIO()) as said:
            reports.end()

        self.assertIn("never logged it, only: valid_loss", said.getvalue())

    def test_what_a_forked_process_logs_is_no_report_but_spoken_of(self):
        trial = FakeTrial(end=9)
        reports = Reports(trial, "val_loss")
        fold = os.fork()
        if fold == 0:
            reports.add({"val_loss": 1})
            reports.end()
            os._exit(len(trial.reports))
        self.assertEqual(os.waitpid(fold, 0)[1], 0)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            reports.end()

        self.assertIn("only processes that the script started passed it to wandb.log", said.getvalue())


@unittest.skipUnless(importlib.util.find_spec("wandb"), "not installed: wandb")
class EndTest(unittest.TestCase):
    def end(self, script):
        """Runs a script as a trial, without a sweep. Returns what it has reported and what it printed."""
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder, "sweep/trials/000000")
            trial.mkdir(parents=True)
            (trial / "params.json").write_text("{}")
            Path(folder, "train.py").write_text(script)
            ours, theirs = socket.socketpair()
            ours.shutdown(socket.SHUT_WR)  # a script that reports learns that the sweep is over
            with ours:
                with theirs:
                    environment = {
                        **ENVIRONMENT,
                        "CRESCENDO_FD": str(theirs.fileno()),
                        "CRESCENDO_TRIAL_DIR": str(trial),
                        "CRESCENDO_METRIC": "val_loss",
                    }
                    command = [sys.executable, "-m", "crescendo.wandb", "train.py"]
                    done = subprocess.run(
                        command, cwd=folder, env=environment, pass_fds=[theirs.fileno()], capture_output=True, text=True
                    )
                return ours.makefile().read(), done.stderr

    def test_a_script_that_ends_well_without_a_report_is_told_what_is_not_seen(self):
        self.assertIn("logs of processes that the script starts are not seen", self.end("")[1])

    def test_a_script_that_refuses_its_arguments_has_said_why_it_reports_nothing(self):
        said = self.end("raise SystemExit(2)")[1]

        self.assertNotIn("never logged it", said)

    def test_a_script_that_catches_every_exception_of_its_log_ends_at_the_next_one(self):
        script = "import wandb\nrun = wandb.init()\nfor loss in range(1000):\n    print(loss, flush=True)\n"
        script += "    try:\n        run.log({'val_loss': loss})\n    except:\n        pass\n"
        reported, said = self.end(script + "raise ValueError('it has trained on')")

        self.assertEqual(reported.count("val_loss"), 1)
        self.assertNotIn("it has trained on", said)

    def test_a_further_run_does_not_get_what_is_logged_to_the_first_one(self):
        script = "import wandb\nfirst = wandb.init()\nfurther = wandb.init(reinit='create_new')\n"
        script += "assert wandb.log is first.log is not further.log\nfurther.log({'val_loss': 1})"
        reported, said = self.end(script)

        self.assertEqual(reported.count("val_loss"), 1, said)

    def test_the_summary_of_a_script_that_crashed_is_no_result(self):
        reported, said = self.end("import wandb\nwandb.init().summary['val_loss'] = 1\nraise ValueError('NaN')")

        self.assertEqual(reported, "")
        self.assertIn("ValueError: NaN", said)


@unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
@unittest.skipUnless(importlib.util.find_spec("wandb"), "not installed: wandb")
class SweepTest(unittest.TestCase):
    def print_file(self, script, *words, path="train.py"):
        """The sweep file that a script prints if called with these words, on a machine without an account."""
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder, path), script)
            command = [sys.executable, "-m", "crescendo.wandb", "--sweep-file", *words]
            environment = {**ENVIRONMENT, "HOME": folder}
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

    def sweep(self, script, file, path="train.py"):
        """Runs a sweep. Returns its journal, and whether each trial has a run of W&B that was recorded offline."""
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder, path), script)
            Path(folder, "sweep.yaml").write_text(f"{textwrap.dedent(file)}bind: off\n")
            command = [CRESCENDO, "run", "sweep.yaml", "--dir", "out"]
            done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            trials = Path(folder, "out/trials")
            runs = [any(trial.glob("wandb/offline-run-*/run-*.wandb")) for trial in trials.iterdir()]
            journal = [json.loads(line) for line in Path(folder, "out/journal.jsonl").read_text().splitlines()]
            return journal, runs

    def losses(self, journal):
        """The losses that each trial has reported, in order."""
        found = {}
        for note in journal:
            if note.get("event") == "trial_reported":
                found.setdefault(note["trial"], []).append((note["resource"], note["metrics"]["val_loss"]))
        return sorted(found.values())

    def test_the_parameters_are_in_its_config_and_early_terminate_ends_the_script(self):
        script = """
            import wandb

            wandb.init(project="squares", config={"x": 7.0, "epochs": 4})
            wandb.config.update({"x": 8.0})  # a default, which does not count in a sweep
            for epoch in range(wandb.config.epochs):
                wandb.log({"epoch": epoch})
                wandb.log({"val_loss": wandb.config.x + epoch})
        """
        file = """
            program: train.py
            method: grid
            metric: {name: val_loss, goal: minimize}
            parameters: {x: {values: [1.0e-5, 2, 3]}}
            initial: [{x: 1.0e-5}]
            early_terminate: {type: hyperband, min_iter: 2, eta: 3}
            slots: 1
        """
        journal, runs = self.sweep(script, file)

        self.assertEqual(
            self.losses(journal),
            [[(n + 1, 1e-5 + n) for n in range(4)], [(1, 2), (2, 3)], [(1, 3), (2, 4)]],
        )
        self.assertEqual(runs, [True] * 3)

    def test_the_example_runs(self):
        if not importlib.util.find_spec("sklearn"):
            self.skipTest("not installed: scikit-learn")
        example = Path(__file__).parents[2] / "examples/wandb"
        file = (example / "sweep.yaml").read_text().replace("run_cap: 27", "run_cap: 2")
        journal, runs = self.sweep((example / "train.py").read_text(), file)

        accuracies = [note["metrics"]["val_accuracy"] for note in journal if note.get("event") == "trial_reported"]
        self.assertGreater(max(accuracies), 0.7)
        self.assertEqual(runs, [True] * 2)

    def test_a_script_that_has_its_sweep_prints_the_file_and_has_its_function_called_for_the_trial(self):
        script = """
            import subprocess
            import sys

            import numpy
            import wandb

            wandb.login()
            print("hello")
            subprocess.run(["echo", "method: none"])

            def train():
                assert sys.argv == ["train.py", "--sweep", "a b"]
                with wandb.init() as run:
                    run.log({"loss": 9})
                    run.summary["val_loss"] = run.config["optimizer"]["lr"] * len(run.config["text"])

            sweep = {
                "method": "grid",
                "metric": {"name": "val_loss", "goal": "minimize"},
                "parameters": {
                    "optimizer": {"parameters": {"lr": {"values": numpy.array([1.0e-5, 2])}}},
                    "text": {"value": "1e-3"},
                },
            }
            if sys.argv[1:]:
                wandb.agent(wandb.sweep(sweep=sweep, project="mine"), function=train, count=9)
        """
        file = self.print_file(script, "train.py", "--sweep", "a b")

        command = '["python3", "-m", "crescendo.wandb", "train.py", "--sweep", "a b"]'
        self.assertTrue(file.startswith(f'command: {command}\nmethod: "grid"\n'), file)
        self.assertTrue(file.endswith("run_cap: 9\n"), file)
        self.assertEqual(self.losses(self.sweep(script, file)[0]), [[(1, 4e-5)], [(1, 8)]])

    def test_a_sweep_that_names_its_program_keeps_it(self):
        script = """
            import wandb

            wandb.agent(wandb.sweep({"program": "worker.py", "method": "random"}))
        """

        self.assertEqual(self.print_file(script, "train.py"), 'program: "worker.py"\nmethod: "random"\n')

    def test_a_script_that_calls_init_again_reports_once_for_each_log(self):
        script = """
            import wandb

            wandb.init()
            assert wandb.init() is wandb.run
            wandb.log({"val_loss": wandb.config.x})
            wandb.run.log({"val_loss": 8})
            wandb.finish()
            wandb.init()
            wandb.log({"val_loss": 9})
        """
        file = """
            program: train.py
            metric: {name: val_loss, goal: minimize}
            parameters: {x: {value: 7}}
            run_cap: 1
        """

        self.assertEqual(self.losses(self.sweep(script, file)[0]), [[(1, 7), (2, 8), (3, 9)]])

    def test_a_module_is_run_as_python_runs_it(self):
        script = """
            import sys

            import wandb
            from .train import __name__ as sibling

            def train():
                assert __name__ == "__main__" and sys.argv[1:] == ["-v"]
                wandb.init()
                wandb.log({"val_loss": wandb.config.x})

            sweep = {"metric": {"name": "val_loss"}, "method": "grid", "parameters": {"x": {"values": [1, 2]}}}
            if __name__ == "__main__":
                wandb.agent(wandb.sweep(sweep), train)
        """
        file = self.print_file(script, "-m", "pkg.train", "-v", path="pkg/train.py")

        self.assertIn('["python3", "-m", "crescendo.wandb", "-m", "pkg.train", "-v"]', file)
        self.assertEqual(self.losses(self.sweep(script, file, path="pkg/train.py")[0]), [[(1, 1)], [(1, 2)]])

    def test_the_folds_of_a_cross_validation_are_recorded_and_their_mean_is_the_report(self):
        script = """
            import multiprocessing
            import os

            import wandb

            def train(fold):
                for name in [name for name in os.environ if name.startswith("WANDB_")]:
                    del os.environ[name]  # as in W&B's example
                wandb.init(name=f"fold {fold}").log({"val_loss": fold})
                wandb.finish()

            folds = [multiprocessing.get_context("fork").Process(target=train, args=[fold]) for fold in (1, 2)]
            for fold in folds:
                fold.start()
                fold.join()
            wandb.init().log({"val_loss": wandb.config.x})
            assert [fold.exitcode for fold in folds] == [0, 0]
        """
        file = """
            program: train.py
            metric: {name: val_loss, goal: minimize}
            parameters: {x: {value: 7}}
            run_cap: 1
        """

        self.assertEqual(self.losses(self.sweep(script, file)[0]), [[(1, 7)]])


if __name__ == "__main__":
    unittest.main()
