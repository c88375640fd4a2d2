"""The examples do what docs/your-own-program.md says about them."""

import difflib
import importlib.util
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from collections import defaultdict
from pathlib import Path
from unittest import mock

import torch

EXAMPLES = Path(__file__).parents[2] / "examples"
PYTORCH = EXAMPLES / "pytorch"
CRESCENDO = os.environ.get("CRESCENDO_BINARY")
# The first line of each example looks for python3 in PATH.
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def num_changed_lines(name):
    """The number of lines that the script has and plain.py does not, without the first line of its docstring."""
    plain, changed = ((PYTORCH / each).read_text().splitlines() for each in ("plain.py", name))
    new = [line for line in difflib.ndiff(plain, changed) if line.startswith("+ ") and line.strip("+ ")]
    return len([line for line in new if '"""' not in line])


class ExamplesTest(unittest.TestCase):
    def test_the_steps_are_as_small_as_the_page_says(self):
        self.assertEqual(num_changed_lines("report.py"), 8)
        self.assertEqual(num_changed_lines("grow.py"), 9)

    def test_a_growing_script_runs_by_hand(self):
        done = subprocess.run(
            [str(PYTORCH / "grow.py"), "--epochs", "1"], env=ENVIRONMENT, capture_output=True, text=True
        )
        self.assertRegex(done.stdout, r"^epoch 1: val_accuracy 0\.\d+\n$", done.stderr)


class TransformersTest(unittest.TestCase):
    """The example with stand-ins for the library and the trial."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.calls = []
        self.arguments = mock.MagicMock()

    def run_example(self):
        """What the example did, in order."""
        def note(name):
            return lambda *arguments, **options: self.calls.append((name, arguments, options)) or mock.MagicMock()

        trainer = mock.MagicMock()
        trainer.train.side_effect = note("train")
        library = types.SimpleNamespace(
            BertConfig=mock.MagicMock(),
            BertForSequenceClassification=note("model"),
            Trainer=lambda **_: trainer,
            TrainerCallback=object,
            TrainingArguments=self.arguments,
            set_seed=note("set_seed"),
        )
        trial = types.SimpleNamespace(directory=Path(self.folder.name), seed=7, max_resource=2)
        crescendo = types.SimpleNamespace(trial=lambda: trial)
        script = str(EXAMPLES / "frameworks/with_transformers.py")
        with mock.patch.dict(sys.modules, torch=torch, transformers=library, crescendo=crescendo):
            with mock.patch.object(sys, "argv", [script]):
                self.script = runpy.run_path(script)
        return self.calls

    def test_the_model_follows_from_the_trials_seed(self):
        self.assertEqual([call[:2] for call in self.run_example()[:1]], [("set_seed", (7,))])
        self.assertEqual([name for name, *_ in self.calls], ["set_seed", "model", "train"])

    def test_several_workers_train_together_also_on_cpus_and_their_losses_are_not_added_up(self):
        self.run_example()

        options = self.arguments.call_args.kwargs
        self.assertEqual(options["use_cpu"], not torch.cuda.is_available())
        self.assertIs(options["average_tokens_across_devices"], False)

    def test_a_checkpoint_that_is_half_written_is_passed_over(self):
        self.assertEqual(self.run_example()[-1][2], {"resume_from_checkpoint": None})
        for step, files in ((32, ["model.safetensors", "trainer_state.json"]), (4, ["trainer_state.json"]), (64, [])):
            folder = Path(self.folder.name, f"checkpoint-{step}")
            folder.mkdir()
            for name in files:
                (folder / name).touch()

        self.assertEqual(self.run_example()[-1][2], {"resume_from_checkpoint": f"{self.folder.name}/checkpoint-32"})

    def test_an_early_stop_of_the_scripts_own_stands(self):
        self.run_example()
        control = types.SimpleNamespace(should_training_stop=True)
        state = types.SimpleNamespace(epoch=3.0, log_history=[{"eval_loss": 0.5}])

        self.script["Report"](mock.MagicMock(stopped=False)).on_save(None, state, control)

        self.assertTrue(control.should_training_stop)


class LightningTest(unittest.TestCase):
    """The example with stand-ins for the library and the trial."""

    def trainer_options(self, **environment):
        library = mock.MagicMock()
        environments = types.SimpleNamespace(
            LightningEnvironment=lambda: "alone", TorchElasticEnvironment=lambda: "torchrun's"
        )
        names = ("lightning", "lightning.pytorch", "lightning.pytorch.plugins")
        modules = {**dict.fromkeys(names, library), "lightning.pytorch.plugins.environments": environments}
        library.pytorch = types.SimpleNamespace(
            Callback=object, LightningModule=torch.nn.Module, Trainer=library.Trainer, seed_everything=lambda seed: None
        )
        crescendo = types.SimpleNamespace(trial=mock.MagicMock())
        script = str(EXAMPLES / "frameworks/with_lightning.py")
        with mock.patch.dict(sys.modules, **modules, crescendo=crescendo), mock.patch.dict(os.environ, environment):
            with mock.patch.object(sys, "argv", [script]):
                self.script = runpy.run_path(script)
        options = library.Trainer.call_args.kwargs
        self.assertIs(options["default_root_dir"], crescendo.trial().directory)
        return {name: options.get(name) for name in ("devices", "num_nodes", "plugins")}

    def test_the_processes_of_a_trial_with_several_workers_train_together(self):
        variables = {"WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2"}

        self.assertEqual(self.trainer_options(), {"devices": 1, "num_nodes": 1, "plugins": ["alone"]})
        self.assertEqual(
            self.trainer_options(**variables), {"devices": 2, "num_nodes": 2, "plugins": ["torchrun's"]}
        )

    def test_an_early_stop_of_the_scripts_own_stands(self):
        self.trainer_options()
        trainer = mock.MagicMock(sanity_checking=False, should_stop=True)

        self.script["Report"](mock.MagicMock(stopped=False)).on_validation_end(trainer, None)

        self.assertTrue(trainer.should_stop)


# Trial 0 is the program's. Trial 1 only makes sure that trial 0 is paused at the first rung and continues: it reports
# later and a worse value.
ONE_OF_TWO = """
if [ $CRESCENDO_TRIAL = 0 ]; then echo >> starts; exec "$@"; fi
until grep -q trial_reported out/journal.jsonl; do sleep 0.1; done
echo '{"resource": 1, "metrics": {"METRIC": WORST}}' >&$CRESCENDO_FD
read -r answer <&$CRESCENDO_FD
"""


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"not installed: {module}")


@unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
class SweepFilesTest(unittest.TestCase):
    def sweep(self, example, trials=1, other=None):
        """Runs the sweep file of an example with fewer trials and epochs, and with `other` keys. Returns its journal."""
        file = EXAMPLES / example
        text = file.read_text()
        keys = {
            r"run_cap: \d+": f"run_cap: {trials}",
            r"max: \d+, reduction_factor: 3": "max: 2, reduction_factor: 2",
            **(other or {}),
        }
        for theirs, ours in keys.items():
            text, count = re.subn(theirs, ours, text)
            self.assertEqual(count, 1, theirs)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "one_of_two.sh").write_text(self.one_of_two(text))
            text = re.sub(r"\w+\.py", lambda script: f"{file.parent}/{script.group()}", text)
            Path(folder, "sweep.yaml").write_text(f"{text}bind: off\n")
            command = [CRESCENDO, "run", "sweep.yaml", "--dir", "out"]
            done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            starts = Path(folder, "starts")
            self.num_starts = len(starts.read_text()) if starts.exists() else None
            return [json.loads(line) for line in Path(folder, "out/journal.jsonl").read_text().splitlines()]

    def one_of_two(self, text):
        name, goal = re.search(r"metric: {name: (\w+), goal: (\w+)}", text).groups()
        return ONE_OF_TWO.replace("METRIC", name).replace("WORST", "-1" if goal == "maximize" else "99")

    def check_that_it_continues(self, example):
        """Checks that a trial of the program is paused and continues from its checkpoint in a new process."""
        journal = self.sweep(example, trials=2, other={
            r"(type: asha,)( mode: promote,)?": r"\1 mode: promote,",
            r"command: \[": "command: [bash, one_of_two.sh, ",
        })

        self.assertEqual(self.resources(journal), [[1, 2], [1]])
        self.assertEqual([note for note in journal if note.get("event") == "trial_failed"], [])
        self.assertEqual(self.num_starts, 2)

    def resources(self, journal):
        """The resources that each trial has reported, in order."""
        found = defaultdict(list)
        for note in journal:
            if note.get("event") == "trial_reported":
                found[note["trial"]].append(note["resource"])
        return list(found.values())

    def test_crescendo_accepts_the_sweep_files(self):
        for name in ("report.yaml", "grow.yaml", "accelerate.yaml"):
            with self.subTest(name):
                done = subprocess.run(
                    [CRESCENDO, "validate", name], cwd=PYTORCH, env=ENVIRONMENT, capture_output=True
                )
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_the_launcher_that_asks_ends_with_the_sweep(self):
        for metric in ("{name: val_loss, goal: minimize}", "{name: val_loss, goal: minimize, target: 0.5}"):
            with self.subTest(metric), tempfile.TemporaryDirectory() as folder:
                shutil.copy(EXAMPLES / "ask-tell/tune.py", folder)
                text = (EXAMPLES / "ask-tell/sweep.yaml").read_text()
                text, count = re.subn(r"metric: .*", f"metric: {metric}", text)
                self.assertEqual(count, 1)
                Path(folder, "sweep.yaml").write_text(text)
                done = subprocess.run(
                    [sys.executable, "tune.py", CRESCENDO], cwd=folder, capture_output=True, text=True, timeout=300
                )
                self.assertEqual(done.stdout.count("\n"), 1, done.stderr)
                self.assertLess(json.loads(done.stdout)["metrics"]["val_loss"], 0.5)

    @needs("accelerate")
    def test_a_loop_of_accelerate_is_started_anew_with_two_workers(self):
        journal = self.sweep("pytorch/accelerate.yaml")

        self.assertEqual(self.resources(journal), [[1, 2]])
        self.assertEqual([note["generation"] for note in journal if note.get("note") == "regrouped"], [1])

    def test_callbacks_of_frameworks_report_and_continue_from_their_checkpoints(self):
        for name in ("keras", "lightning", "transformers", "xgboost"):
            with self.subTest(name):
                if not importlib.util.find_spec(name):
                    self.skipTest(f"not installed: {name}")
                self.check_that_it_continues(f"frameworks/{name}.yaml")

    @needs("hydra")
    def test_a_hydra_application_gets_its_parameters_as_it_takes_them(self):
        self.assertEqual(self.resources(self.sweep("frameworks/hydra.yaml")), [[1, 2]])

    @needs("optuna")
    def test_an_objective_of_optuna_gets_the_trials_parameters_and_reports(self):
        self.assertEqual(self.resources(self.sweep("frameworks/optuna.yaml")), [[1, 2]])

    @needs("jax")
    def test_a_program_in_jax_is_paused_and_continues_from_its_checkpoint(self):
        self.check_that_it_continues("jax/sweep.yaml")


if __name__ == "__main__":
    unittest.main()
