"""A warm trainer's end of the trial protocol, in this process and without a group."""

import argparse
import contextlib
import importlib
import io
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import numpy
import torch

import crescendo.torch
from crescendo.protocol import Channel
from crescendo.torch import _pass_over_warnings, checkpoint, session, settings, state
from loaders import loader_of

CPU = torch.device("cpu")


class SessionTest(unittest.TestCase):
    """A mistake of a program is reported in `failed`, and the process ends."""

    def failure(self, train, test=None, checkpoint_every=600, arguments=None, **order):
        ours, theirs = socket.socketpair()
        with ours, theirs, tempfile.TemporaryDirectory() as folder:
            join = {"type": "join", "trial": 3, "generation": 0, "rank": 0, "size": 1, "max_resource": 9, "seed": 1}
            join.update({"settings": {}, "directory": folder, "state": "new", **order})
            theirs.sendall(json.dumps(join).encode() + b"\n")
            served = session.Session(
                Channel(ours),
                CPU,
                arguments=arguments or settings.Arguments(),
                timeout=session.timedelta(seconds=5),
                checkpoint_every=checkpoint_every,
            )
            self.assertEqual(served.run(train, test), 1)
            ours.shutdown(socket.SHUT_RDWR)
            lines = [json.loads(line) for line in theirs.makefile("rb")]
            self.log = Path(folder, "trainer.log").read_text() if Path(folder, "trainer.log").exists() else ""
        self.assertEqual((lines[0]["type"], lines[-1]["type"], lines[-1]["trial"]), ("hello", "failed", 3))
        return lines[-1]["kind"], lines[-1]["message"]

    def test_an_exception_is_told_with_its_place(self):
        def train(trial):
            raise ValueError("nothing works today")

        kind, message = self.failure(train)
        self.assertEqual(kind, "error")
        self.assertRegex(message, r"^test_session.py:\d+: ValueError: nothing works today$")
        self.assertIn("Traceback", self.log)

    def test_an_exception_in_text_that_the_program_executes_is_told_with_the_place_in_its_file(self):
        def train(trial):
            exec("assert trial is None")  # the way nanoGPT reads its arguments

        self.assertRegex(self.failure(train)[1], r"^test_session.py:\d+: AssertionError$")

    def test_an_except_that_catches_all_made_a_failure_of_each_order_to_leave(self):
        def wait(trial):
            while True:
                trial._control.check()

        def catch(end):
            def train(trial):
                try:
                    wait(trial)
                except:  # noqa: E722
                    end()

            return train

        for train in (wait, catch(lambda: None), catch(lambda: sys.exit(1)), catch(lambda: 1 / 0)):
            ours, theirs = socket.socketpair()
            with ours, theirs, tempfile.TemporaryDirectory() as folder:
                join = {"type": "join", "trial": 3, "generation": 0, "rank": 0, "size": 1, "max_resource": 9, "seed": 1}
                join.update({"settings": {}, "directory": folder, "state": "new"})
                for order in (join, {"type": "leave", "trial": 3}):
                    theirs.sendall(json.dumps(order).encode() + b"\n")
                theirs.shutdown(socket.SHUT_WR)
                options = {"timeout": session.timedelta(seconds=5), "checkpoint_every": 600}
                served = session.Session(Channel(ours), CPU, arguments=settings.Arguments(), **options)
                self.assertEqual(served.run(train, None), 0)
                ours.shutdown(socket.SHUT_RDWR)
                said = [json.loads(line)["type"] for line in theirs.makefile("rb")]

            self.assertEqual(said, ["hello", "left"])

    def test_a_train_function_that_parses_the_command_line_itself_finds_the_parameters_there(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float, default=0.1)
        parser.add_argument("--width", type=int, default=8)
        found = []

        def train(trial):
            found.append(parser.parse_args())
            raise ValueError("enough")

        with mock.patch.object(sys, "argv", ["train.py", "--width=16"]):
            with_words = settings.Arguments(parser, sys.argv[1:])
            for arguments in (with_words, with_words, settings.Arguments()):
                lr = 0.5 + len(found)
                self.failure(train, arguments=arguments, settings={"lr": lr})

        widths = [16, 16, 8]  # the last one got no parser, so it has no arguments of its own
        self.assertEqual([(args.lr, args.width) for args in found], list(zip([0.5, 1.5, 2.5], widths)))

    def test_what_train_draws_follows_from_the_trials_seed(self):
        drawn = []

        def train(trial):
            drawn.append((random.random(), numpy.random.rand(), torch.rand(1).item()))
            raise ValueError("enough")

        for before in (1, 2):
            random.seed(before)
            numpy.random.seed(before)
            self.failure(train)
        self.assertEqual(drawn[0], drawn[1])

    def test_steps_are_signs_of_life(self):
        moves = []

        def train(trial):
            model = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters())
            trial.attach(model=model, optimizer=optimizer)
            for (x,) in trial.batches(loader_of(12)):
                model(x).sum().backward()
                optimizer.step()
                moves.append(trial._control._channel.num_moves)
            raise ValueError("enough")

        self.failure(train)
        self.assertEqual(len(set(moves)), 3)

    def test_a_trial_is_saved_between_its_steps(self):
        saved = []

        def train(trial):
            model = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters())
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            trial.attach(model=model, optimizer=optimizer, scheduler=scheduler)
            for (x,) in trial.batches(loader_of(12)):
                model(x).sum().backward()
                optimizer.step()
                scheduler.step()
            raise ValueError("enough")

        def save_checkpoint(replica, path):
            saved.append((replica.progress.step, replica.objects["scheduler"].last_epoch))

        with mock.patch.object(session, "save_checkpoint", save_checkpoint):
            self.failure(train, checkpoint_every=0)
        self.assertTrue(saved)
        self.assertTrue(all(step == scheduled for step, scheduled in saved), saved)

    def test_only_rank_0_saves_and_for_a_hundredth_of_the_time_at_most(self):
        served = session.Session(
            mock.Mock(), CPU, arguments=settings.Arguments(), timeout=session.timedelta(), checkpoint_every=10
        )
        served.terms = mock.MagicMock(rank=0)
        with mock.patch.object(session, "save_checkpoint") as save, mock.patch.object(session, "time") as clock:
            clock.monotonic.side_effect = lambda: now[0]
            save.side_effect = lambda *_: now.__setitem__(0, now[0] + 2.0)  # it takes two seconds
            now = [1000.0]
            for seconds, rank, saves in ((0.0, 1, 0), (0.0, 0, 1), (199.0, 0, 1), (2.0, 0, 2)):
                now[0] += seconds
                served.terms.rank = rank
                served.save_if_due(mock.Mock())
                self.assertEqual(save.call_count, saves)

    def test_memory_that_is_used_up_is_a_failure_of_its_own(self):
        def train(trial):
            torch.empty(1 << 60)

        self.assertEqual(self.failure(train)[0], "out_of_memory")

    def test_libraries_of_gpus_have_words_of_their_own_for_no_memory(self):
        for words, kind in (
            ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "out_of_memory"),
            ("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", "out_of_memory"),
            ("CUDA driver error: CUDA_ERROR_OUT_OF_MEMORY", "out_of_memory"),
            ("CUDA error: out of memory", "out_of_memory"),
            ("CUDA error: an illegal memory access was encountered", "error"),
        ):
            def train(trial):
                raise RuntimeError(words)

            with self.subTest(words):
                self.assertEqual(self.failure(train)[0], kind)

    def test_a_full_disk_is_a_failure_of_its_own(self):
        def train(trial):
            raise checkpoint.SaveError(Path("checkpoint.pt"), OSError(28, os.strerror(28)))

        self.assertEqual(self.failure(train)[0], "disk")

    def test_a_program_that_exits_is_told_of_with_its_words_and_its_place(self):
        def train(trial):
            sys.exit("no such data set")

        kind, message = self.failure(train)
        self.assertEqual(kind, "error")
        self.assertRegex(message, r"^test_session.py:\d+: .*sys.exit\('no such data set'\) while its trial trained")
        self.assertRegex(self.failure(lambda trial: sys.exit())[1], r"called sys.exit\(\) while its trial trained")

    def failure_of_test(self, test):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            checkpoint.save_checkpoint(state.Replica(3, {"model": torch.nn.Linear(1, 1)}), path)
            order = {"type": "evaluate", "resource": 0, "checkpoint": str(path), "data": "test"}
            with contextlib.redirect_stderr(io.StringIO()):
                return self.failure(lambda trial: None, test, **order)[1]

    def test_a_test_that_exits_is_told_of_with_its_words(self):
        message = self.failure_of_test(lambda trial: sys.exit(3))

        self.assertRegex(message, r"called sys.exit\(3\) while its trial was tested")

    def test_a_test_that_returns_no_numbers_by_name_is_told_what_to_return(self):
        message = self.failure_of_test(lambda trial: 0.3)

        self.assertRegex(message, "^TypeError: test returned 0.3; .* numbers by name, such as {'test_loss': 0.3}$")

    def test_a_train_function_that_returns_is_told_what_to_do(self):
        kind, message = self.failure(lambda trial: None)
        self.assertIn("returned after 0 of 9 epochs; crescendo decides when a trial is over", message)

    def test_a_test_that_nobody_wrote_is_refused(self):
        order = {"type": "evaluate", "resource": 1, "checkpoint": "x/checkpoint.pt", "data": "test"}
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIn("no test function", self.failure(lambda trial: None, **order)[1])


class OrdersTest(unittest.TestCase):
    """A session with a trial, without a channel."""

    def setUp(self):
        self.channel = mock.Mock()
        self.served = session.Session(
            self.channel, CPU, arguments=settings.Arguments(), timeout=session.timedelta(), checkpoint_every=10
        )
        place = {"trial": 3, "generation": 4, "rank": 0, "size": 1, "max_resource": 9, "seed": 1}
        self.served.terms = session.Join.parse({**place, "settings": {}, "directory": "", "state": "new"})
        self.served._replica = state.Replica(3, {"model": torch.nn.Linear(1, 1)})

    def test_only_rank_0_saves_when_it_leaves(self):
        terms, replica = self.served.terms, self.served._replica
        for rank in (1, 0):
            terms.rank = rank
            self.served.terms, self.served._replica = terms, replica
            with mock.patch.object(session, "save_checkpoint") as save:
                self.served._leave({"trial": 3, "save": True})
            self.assertEqual(save.called, rank == 0)
            self.channel.send.assert_called_with(type="left", trial=3, saved=rank == 0)

    def test_a_decision_about_another_trial_is_no_answer(self):
        progress, terms = self.served._replica.progress, self.served.terms
        progress.pending, terms.batch_multiple = True, 2
        for trial, pending, checkpoint_at in ((2, True, None), (3, False, 5)):
            self.served._obey({"type": "decision", "trial": trial, "checkpoint_at": 5}, self.served._replica)
            self.assertEqual((progress.pending, terms.checkpoint_at), (pending, checkpoint_at))
        self.assertEqual(terms.batch_multiple, 2)  # the order says nothing about it

    def test_a_trial_that_was_saved_after_its_report_repeats_it(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.served._replica.progress.report = {"resource": 1, "metrics": {"loss": 0.5}}
            checkpoint.save_checkpoint(self.served._replica, Path(folder, session.CHECKPOINT))
            self.served._replica = None
            self.served.terms.directory, self.served.terms.state = Path(folder), "checkpoint"
            self.served._form(state.Replica(3, {"model": torch.nn.Linear(1, 1)}))

        self.channel.send.assert_called_once_with(
            type="report", trial=3, generation=4, resource=1, metrics={"loss": 0.5}
        )

    def test_a_trial_waits_after_its_last_epoch_even_if_told_to_continue(self):
        self.served._replica.progress.epoch = 9
        self.channel.wait.return_value = {"type": "leave", "trial": 3}

        with self.assertRaises(session.Interruption):
            self.served.wait_for_end(self.served._replica)

    def test_a_repeated_report_has_no_measurements(self):
        self.served._replica.progress.report = {"resource": 1, "metrics": {"loss": 0.5}}
        self.served._measures = {"data_wait": 0.25}
        for _ in range(2):
            self.served._send_report(self.served._replica)

        sent = [call.kwargs for call in self.channel.send.call_args_list]
        self.assertEqual([each.get("data_wait") for each in sent], [0.25, None])
        self.assertEqual([each["resource"] for each in sent], [1, 1])


class SentTest(unittest.TestCase):
    def test_a_report_that_came_with_the_state_of_rank_0_is_not_taken_for_the_one_that_was_sent_before(self):
        ours, theirs = socket.socketpair()
        with ours, theirs, theirs.makefile("rb") as stream:
            served = session.Session(
                Channel(ours),
                CPU,
                arguments=settings.Arguments(),
                timeout=session.timedelta(seconds=5),
                checkpoint_every=600,
            )
            replica = state.Replica(3, {"model": torch.nn.Linear(1, 1)})
            place = {"trial": 3, "generation": 4, "rank": 0, "size": 1, "max_resource": 9, "seed": 1}
            served.terms = session.Join.parse({**place, "settings": {}, "directory": "", "state": "memory"})
            served._replica = replica
            for resource in (1, 2, 2):  # a peer that has died since was rank 0 at the second report
                replica.progress.report = {"resource": resource, "metrics": {"loss": 0.5}}
                replica.progress.pending = True
                served.terms.reported = resource - 1
                served._form(replica)
            ours.shutdown(socket.SHUT_RDWR)
            sent = [json.loads(line) for line in stream]

        self.assertEqual([message["resource"] for message in sent], [1, 2])


class MeetingTest(unittest.TestCase):
    """One of two members waits for the other."""

    def setUp(self):
        ours, self.theirs = socket.socketpair()
        self.stream = self.theirs.makefile("rb")
        for each in (ours, self.theirs, self.stream):
            self.addCleanup(each.close)
        self.addCleanup(ours.shutdown, socket.SHUT_RDWR)
        self.channel = Channel(ours)
        self.served = session.Session(
            self.channel,
            CPU,
            arguments=settings.Arguments(),
            timeout=session.timedelta(seconds=0),
            checkpoint_every=600,
        )
        place = {"trial": 3, "generation": 4, "rank": 0, "size": 2, "max_resource": 9, "seed": 1, "settings": {}}
        self.served.terms = session.Join.parse({**place, "directory": "", "state": "new"})

    def say(self, message):
        self.theirs.sendall(json.dumps(message).encode() + b"\n")

    def meet(self, answers):
        """Lets the member meet while `answers` reply to its requests. Checks its last request and that it waits."""
        seen = []

        def other():
            for answer in answers:
                asked = json.loads(self.stream.readline())
                seen.append((asked["op"], asked["key"], self.channel.is_waiting))
                self.say({**answer, "id": asked["id"]} if answer["type"] == "store" else answer)

        thread = threading.Thread(target=other)
        thread.start()
        try:
            self.served.meet()
        finally:
            thread.join()
            self.assertEqual(seen[-1], ("get", f"meeting/{self.served._num_meetings}", True))
            self.assertFalse(self.channel.is_waiting)

    def test_a_member_that_waits_is_alive(self):
        for number in (1, 2):
            self.meet([{"type": "store", "number": 1}, {"type": "store", "value": "YWxs"}])  # all

            self.assertEqual(self.served._num_meetings, number)

    def test_an_order_ends_the_wait(self):
        with self.assertRaises(session.Interruption) as caught:
            self.meet([{"type": "store", "number": 1}, {"type": "leave", "trial": 3}])

        self.assertFalse(caught.exception.is_stranded)

    def test_a_member_that_lost_another_strands_those_that_wait_for_it(self):
        with self.assertRaises(session.Interruption) as caught, contextlib.redirect_stderr(io.StringIO()):
            self.meet([{"type": "store", "number": 1}, {"type": "store", "value": "bG9zdA=="}])  # lost
        told = json.loads(self.stream.readline())

        self.assertTrue(caught.exception.is_stranded)
        self.assertEqual((told["op"], told["key"], told["value"]), ("set", "meeting/2", "bG9zdA=="))


class StartTest(unittest.TestCase):
    def test_a_torch_that_is_too_old_is_named(self):
        with mock.patch.object(torch, "__version__", "2.5.1+cu124"):
            with self.assertRaisesRegex(ImportError, "needs torch 2.6 or later, but this is 2.5.1"):
                importlib.reload(crescendo.torch)

    def test_a_process_that_the_program_spawns_is_told_how_to_pass_over_the_call_of_run(self):
        with mock.patch.object(crescendo.torch, "inherited_socket", return_value=None):  # as in a spawned process
            with self.assertRaisesRegex(RuntimeError, r"called crescendo.torch.run\(\); call it under if __name__"):
                crescendo.torch._channel()


    def test_what_a_script_prints_below_the_call_of_run_was_taken_for_the_answer_to_a_check(self):
        question = io.StringIO('{"settings": {}}')
        with mock.patch.object(sys, "argv", ["train.py", "--check"]), mock.patch.object(sys, "stdin", question):
            with contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
                crescendo.torch.run(lambda trial: None)

        self.assertEqual((ended.exception.code, json.loads(said.getvalue())), (0, {"problems": []}))


class WarningsTest(unittest.TestCase):
    def test_a_trainer_passes_over_a_warning_that_ends_what_it_starts(self):
        trainer = os.fork()
        if trainer == 0:
            try:
                _pass_over_warnings()
                os.kill(os.getpid(), signal.SIGTERM)
                forked = os.fork()
                if forked == 0:
                    os.kill(os.getpid(), signal.SIGTERM)
                    os._exit(0)
                ends = [os.waitpid(forked, 0)[1], -subprocess.run(["sh", "-c", "kill -TERM $$"]).returncode]
                os._exit(0 if ends == [signal.SIGTERM] * 2 else 3)
            finally:
                os._exit(4)

        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(trainer, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
