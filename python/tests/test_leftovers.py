"""What a trial leaves in its process does not reach the next one."""

import contextlib
import io
import json
import socket
import sys
import tempfile
import types
import unittest
from datetime import timedelta
from unittest import mock

import torch

from crescendo.protocol import Channel
from crescendo.torch import leftovers, session, settings

CPU = torch.device("cpu")


class Run:
    """As wandb.run."""

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
    """Trials 3 and 4 on one worker. Crescendo ends the first, and the second fails."""
    ours, theirs = socket.socketpair()
    with ours, theirs, tempfile.TemporaryDirectory() as folder:
        join = {"type": "join", "generation": 0, "rank": 0, "size": 1, "max_resource": 9, "seed": 1, "settings": {}}
        join.update(directory=folder, state="new")
        for order in ({**join, "trial": 3}, {"type": "leave", "trial": 3}, {**join, "trial": 4}):
            theirs.sendall(json.dumps(order).encode() + b"\n")
        served = session.Session(
            Channel(ours),
            CPU,
            arguments=settings.Arguments(),
            timeout=timedelta(seconds=5),
            checkpoint_every=600,
        )

        def call(trial):
            train(trial)
            if trial.number == 4:
                raise ValueError("enough")
            trial._control.check()

        with contextlib.redirect_stderr(io.StringIO()):
            served.run(call, None)


class SettingsTest(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
