"""What a trial leaves in its process does not reach the next one."""

import contextlib
import io
import itertools
import json
import logging
import os
import socket
import sys
import tempfile
import types
import unittest
from datetime import timedelta
from pathlib import Path
from unittest import mock

import torch
import torch._dynamo

from crescendo.protocol import Channel
from crescendo.torch import leftovers, session, settings

CPU = torch.device("cpu")


class Run:
    """Like wandb.run."""

    def __init__(self, wandb, number, error=None):
        self.wandb, self.number, self.error = wandb, number, error

    def finish(self):
        self.wandb.run = None
        self.wandb.finished.append(self.number)
        if self.error:
            raise self.error


def fake_wandb():
    return types.SimpleNamespace(run=None, finished=[])


def train_two(train):
    """Runs trials 3 and 4 on one worker."""
    train_each(train, [3, 4])


def train_each(train, numbers):
    """Runs these trials on one worker. Crescendo ends each but the last, which fails. For a trial that comes twice in a
    row, train is called again."""
    ours, theirs = socket.socketpair()
    with ours, theirs, tempfile.TemporaryDirectory() as folder:
        join = {"type": "join", "generation": 0, "rank": 0, "size": 1, "max_resource": 9, "seed": 1, "settings": {}}
        join.update(directory=folder, state="new")
        for former, number in zip([None, *numbers], numbers):
            if former not in (None, number):
                theirs.sendall(json.dumps({"type": "leave", "trial": former}).encode() + b"\n")
            theirs.sendall(json.dumps({**join, "trial": number}).encode() + b"\n")
        served = session.Session(
            Channel(ours),
            CPU,
            arguments=settings.Arguments(),
            timeout=timedelta(seconds=5),
            checkpoint_every=600,
        )

        num_calls = itertools.count(1)

        def call(trial):
            train(trial)
            if next(num_calls) == len(numbers):
                raise ValueError("enough")
            trial._control.check()

        with contextlib.redirect_stderr(io.StringIO()):
            served.run(call, None)


class SettingsTest(unittest.TestCase):
    def test_a_default_device_that_torch_2_6_cannot_name_is_the_cpu(self):
        unnamed = AttributeError("'NoneType' object has no attribute 'device'")
        with mock.patch("torch.get_default_device", side_effect=unnamed):
            leftovers.Settings().restore()

        self.assertEqual(torch.zeros(1).device, CPU)

    def test_what_train_sets_in_torch_is_not_there_in_the_next_trial(self):
        noted = leftovers.Settings()
        self.addCleanup(noted.restore)
        seen = []

        def look():
            precision = torch.get_float32_matmul_precision()
            cudnn = torch.backends.cudnn
            modes = (torch.is_grad_enabled(), torch.is_anomaly_enabled(), torch.are_deterministic_algorithms_enabled())
            device = torch.zeros(1).device.type
            flags = (cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32)
            return torch.get_default_dtype(), precision, modes, device, flags, torch.get_num_threads()

        before = look()

        def train(trial):
            seen.append(look())
            torch.set_default_dtype(torch.float64)
            torch.set_default_device("meta")
            torch.set_grad_enabled(False)
            torch.autograd.set_detect_anomaly(True)
            torch.use_deterministic_algorithms(True)
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = True
            torch.backends.cudnn.allow_tf32 = False
            torch.set_num_threads(torch.get_num_threads() + 1)

        train_two(train)

        self.assertEqual(seen, [before, before])

    @unittest.skipUnless(hasattr(torch.backends.cuda.matmul, "fp32_precision"), "torch has one name for a precision")
    def test_a_precision_that_is_set_by_its_newer_name_is_put_back(self):
        noted = leftovers.Settings()
        before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.fp32_precision = torch.backends.cuda.matmul.fp32_precision = "tf32"
        noted.restore()

        self.assertEqual((torch.backends.cuda.matmul.allow_tf32, torch.backends.fp32_precision), (before, "none"))
        self.assertEqual(torch.get_float32_matmul_precision(), "highest")

        inherited = torch.backends.cuda.matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision
        torch.set_float32_matmul_precision("high")
        noted.restore()

        self.assertEqual(
            (torch.backends.cuda.matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision), inherited
        )

    def test_a_trial_that_changes_its_folder_and_copies_what_it_prints_does_so_for_itself_alone(self):
        class Copy(io.TextIOBase):
            """Like the class of scripts that write what they print to a log as well."""

            def __init__(self, stream, path):
                self.stream, self.file = stream, open(path, "a")

            def write(self, text):
                self.stream.write(text)
                return self.file.write(text)

            def flush(self):
                self.file.flush()

        copies = []

        def train(trial):
            print("trial", trial.number, Path("data").exists())
            os.chdir(elsewhere)
            copies.append(Copy(sys.stdout, Path(elsewhere, f"{trial.number}.log")))
            sys.stdout = copies[-1]
            print("copied", trial.number)
            copies[-1].file.close()  # like a `with` that ends by an exception, which does not restore sys.stdout

        former = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
            Path(folder, "data").touch()
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    train_two(train)
            finally:
                os.chdir(former)
            logs = [Path(elsewhere, f"{number}.log").read_text() for number in (3, 4)]

        self.assertEqual(printed.getvalue(), "trial 3 True\ncopied 3\ntrial 4 True\ncopied 4\n")
        self.assertEqual(logs, ["copied 3\n", "copied 4\n"])

    def test_a_process_whose_settings_are_as_they_were_is_left_alone(self):
        noted = leftovers.Settings()
        with mock.patch("torch.set_default_device") as device, mock.patch("torch.set_default_dtype") as kind:
            noted.restore()

        self.assertEqual((device.call_count, kind.call_count), (0, 0))


class TrackerRunsTest(unittest.TestCase):
    def test_a_run_of_wandb_ends_with_its_trial(self):
        wandb, found = fake_wandb(), []

        def train(trial):
            found.append(wandb.run)
            wandb.run = Run(wandb, trial.number)

        with mock.patch.dict(sys.modules, wandb=wandb):
            train_two(train)

        self.assertEqual((found, wandb.finished), ([None, None], [3]))

    def test_a_run_that_the_program_began_for_all_trials_stays_open(self):
        wandb = fake_wandb()
        wandb.run = first = Run(wandb, 0)
        with mock.patch.dict(sys.modules, wandb=wandb):
            train_two(lambda trial: None)

        self.assertEqual((wandb.run, wandb.finished), (first, []))

    def test_a_run_that_cannot_be_ended_does_not_end_the_worker(self):
        wandb, numbers = fake_wandb(), []

        def train(trial):
            numbers.append(trial.number)
            wandb.run = Run(wandb, trial.number, OSError("no space"))

        with mock.patch.dict(sys.modules, wandb=wandb):
            train_two(train)

        self.assertEqual((numbers, wandb.finished), ([3, 4], [3]))


class LogHandlersTest(unittest.TestCase):
    def test_what_a_trial_logs_goes_to_its_own_file(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(logging.root, "handlers", []):

            def train(trial):
                path = Path(folder, f"{trial.number}.log")
                logging.basicConfig(handlers=[logging.FileHandler(path), logging.StreamHandler(sys.stderr)])
                logging.warning("trial %d", trial.number)

            train_two(train)
            written = [Path(folder, f"{number}.log").read_text() for number in (3, 4)]
            for handler in logging.root.handlers:
                handler.close()

        self.assertEqual(written, ["WARNING:root:trial 3\n", "WARNING:root:trial 4\n"])

    def write_lines(self, numbers):
        """What these trials on one worker log to their own files, and the remaining handlers."""
        logger = logging.getLogger("train")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(logger, "handlers", [logging.NullHandler()]):

            def train(trial):
                logger.addHandler(logging.FileHandler(Path(folder, f"{trial.number}.log")))
                logger.addHandler(logging.NullHandler())
                logger.warning("trial %d", trial.number)

            train_each(train, numbers)
            left = list(map(type, logger.handlers))
            for handler in logger.handlers:
                handler.close()
            return [path.read_text() for path in sorted(Path(folder).iterdir())], left

    def test_a_file_of_a_trial_that_a_logger_with_a_name_writes_to_is_closed_with_the_trial(self):
        written, left = self.write_lines([3, 4])

        self.assertEqual(written, ["trial 3\n", "trial 4\n"])
        # Trial 4 is not over, so its handler remains. Handlers without a file may belong to a library, which adds them
        # only once.
        self.assertEqual(left, [logging.NullHandler] * 2 + [logging.FileHandler, logging.NullHandler])

    def test_a_second_call_of_train_does_not_write_each_line_twice(self):
        self.assertEqual(self.write_lines([3, 3])[0], ["trial 3\n" * 2])

    def test_a_handler_of_the_program_serves_all_trials(self):
        with mock.patch.object(logging.root, "handlers", [logging.NullHandler()]) as handlers:
            train_two(lambda trial: None)

            self.assertEqual(len(handlers), 1)


class CompiledTest(unittest.TestCase):
    def train(self, widths):
        """The number of compiled graphs and of graphs run, in trials whose models have these widths."""
        counts = [0, 0]

        def backend(graph, inputs):
            counts[0] += 1

            def run(*values):
                counts[1] += 1
                return graph(*values)

            return run

        def train(trial):
            model = torch.nn.Linear(2, widths[trial.number])
            torch.compile(model, backend=backend)(torch.zeros(1, 2))

        torch._dynamo.reset()
        train_each(train, range(len(widths)))
        return counts

    def test_a_model_of_yet_another_shape_is_compiled_too(self):
        self.assertEqual(self.train(range(2, 14)), [12, 12])

    def test_trials_of_the_same_shape_share_what_is_compiled(self):
        self.assertEqual(self.train([2] * 4), [1, 4])


if __name__ == "__main__":
    unittest.main()
