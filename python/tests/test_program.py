"""A plain program against a socket, and in sweeps of the real crescendo."""

import contextlib
import copy
import doctest
import errno
import io
import json
import os
import pickle
import socket
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import crescendo
from crescendo import program, protocol

HERE = Path(__file__).parent
CRESCENDO = os.environ.get("CRESCENDO_BINARY")


class ProgramTest(unittest.TestCase):
    """A thread answers reports as crescendo does."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.reports = []

    def trial(self, stop_at=None, max_resource=5):
        ours, theirs = socket.socketpair()
        environment = {
            "RANK": "0",
            "CRESCENDO_TRIAL": "7",
            "CRESCENDO_SEED": "123",
            "CRESCENDO_TRIAL_DIR": self.folder.name,
            **({} if max_resource is None else {"CRESCENDO_MAX_RESOURCE": str(max_resource)}),
        }
        threading.Thread(target=self.answer, args=(theirs, stop_at), daemon=True).start()
        with mock.patch.dict(os.environ, environment):
            trial = program.Trial(ours)
        self.addCleanup(trial._stream.close)
        self.addCleanup(ours.close)
        return trial

    def answer(self, theirs, stop_at):
        with theirs, theirs.makefile("rw") as stream:
            for line in stream:
                self.reports.append(json.loads(line))
                decision = "stop" if self.reports[-1]["resource"] == stop_at else "continue"
                stream.write(json.dumps({"decision": decision}) + "\n")
                stream.flush()

    def test_only_rank_0_reports_and_saves_and_all_ranks_learn_the_decision(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        theirs.sendall(b'{"decision":"continue"}\n{"decision":"stop","save":true}\n')
        with mock.patch.dict(os.environ, {"RANK": "1", "CRESCENDO_TRIAL_DIR": self.folder.name}):
            trial = program.Trial(ours)
        self.addCleanup(trial._stream.close)

        epochs = [epoch for epoch in trial.epochs(9) if trial.report(loss=1, save=lambda path: path.touch()) or True]

        self.assertEqual(epochs, [1, 2])
        self.assertTrue(trial.stopped)
        self.assertEqual(list(Path(self.folder.name).iterdir()), [])
        theirs.setblocking(False)
        self.assertRaises(BlockingIOError, theirs.recv, 1)
        theirs.close()

    def test_a_saver_that_all_ranks_have_to_call_is_called_on_each_with_the_same_path(self):
        folder, meeting = Path(self.folder.name), threading.Barrier(2)
        (folder / "saved-1").mkdir()  # left by an earlier process that was killed while saving
        (folder / "saved-1/0").write_text("half")
        (folder / "saved-best").touch()  # the program's own
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        theirs.sendall(b'{"decision":"continue"}\n' * 2)
        with mock.patch.dict(os.environ, {"RANK": "1", "CRESCENDO_TRIAL_DIR": self.folder.name}):
            other = program.Trial(ours)
        self.assertTrue((folder / "saved-1").exists())  # only rank 0 removes it
        trials = [self.trial(), other]
        self.addCleanup(other._stream.close)
        self.assertFalse((folder / "saved-1").exists())

        def report(trial):
            def save(path):
                meeting.wait(timeout=30)
                path.mkdir(exist_ok=True)
                (path / str(trial.rank)).write_text("whole")
                meeting.wait(timeout=30)

            for _ in range(2):
                trial.report(loss=1, save=save, save_on="all")
            return trial.checkpoint

        with ThreadPoolExecutor(2) as threads:
            self.assertEqual(list(threads.map(report, trials)), [folder / "saved-2"] * 2)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["saved-2", "saved-best", "saved.json"])
        self.assertEqual(sorted(path.name for path in (folder / "saved-2").iterdir()), ["0", "1"])
        with self.assertRaisesRegex(ValueError, "save_on is 'every'; use 'main', for rank 0 only, or 'all'"):
            trials[0].report(loss=1, save=print, save_on="every")

    def test_a_program_reports_each_epoch_until_the_trial_is_over(self):
        trial = self.trial(max_resource=3)
        epochs = [epoch for epoch in trial.epochs() if trial.report(val_loss=1 / epoch)]

        self.assertEqual(epochs, [1, 2, 3])
        self.assertEqual([report["resource"] for report in self.reports], [1, 2, 3])
        self.assertEqual(self.reports[1]["metrics"], {"val_loss": 0.5})
        self.assertEqual((trial.number, trial.seed, trial.max_resource, trial.resource), (7, 123, 3, 3))

    def test_resources_and_measures_may_be_numbers_of_numpy_or_floats_as_frameworks_count(self):
        class Number:  # of NumPy
            def __init__(self, value):
                self.value = value

            def __float__(self):
                return float(self.value)

        trial = self.trial()
        trial.resumed(Number(2), epoch=1.0, val_loss=1)
        epochs = trial.epochs()
        self.assertEqual(repr(next(epochs)), "2")
        trial.report(val_loss=1, resource=Number(4), data_wait=Number(0.5), save=lambda path: path.touch())
        trial.report(val_loss=1, resource=5.0)

        self.assertEqual([repr(report["resource"]) for report in self.reports], ["2", "4", "5"])
        self.assertEqual(self.reports[1]["data_wait"], 0.5)

    def test_a_sweep_without_a_max_leaves_it_to_the_program_how_many_epochs_it_has(self):
        self.assertEqual(list(self.trial(max_resource=None).epochs(limit=12)), list(range(1, 13)))
        self.assertEqual(list(self.trial(max_resource=3).epochs(limit=12)), [1, 2, 3])
        self.assertEqual(list(program.Trial(None).epochs()), list(range(1, 11)))

        with self.assertRaisesRegex(ValueError, r"no scheduler.max and trial.epochs\(\) has no limit"):
            next(self.trial(max_resource=None).epochs())

    def test_a_limit_that_a_max_replaces_is_told_once_to_who_may_have_a_schedule_of_that_length(self):
        def noted(trial, limit):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                next(trial.epochs(limit))
            return said.getvalue()

        self.assertRegex(noted(self.trial(max_resource=3), 12), r"max \(3\) overrides .*\(12\); .*max_resource\n$")
        begun = self.trial(max_resource=3)
        begun.resumed(1, val_loss=1)
        for trial, limit in (
            (self.trial(max_resource=3), 3),
            (self.trial(max_resource=3), None),
            (self.trial(max_resource=None), 12),
            (begun, 12),
            (program.Trial(None), 12),
        ):
            self.assertEqual(noted(trial, limit), "")

    def test_the_multiple_of_the_batch_is_that_of_the_start_until_a_decision_says_another(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(theirs.close)
        self.addCleanup(ours.close)
        with mock.patch.dict(os.environ, {"CRESCENDO_BATCH_MULTIPLE": "2", "CRESCENDO_MAX_RESOURCE": "5"}):
            trial = program.Trial(ours)
        self.addCleanup(trial._stream.close)

        theirs.sendall(b'{"decision":"continue"}\n')
        trial.report(loss=1)
        self.assertEqual(trial.batch_multiple, 2)
        theirs.sendall(b'{"decision":"continue","batch_multiple":4}\n')
        trial.report(loss=1)
        self.assertEqual(trial.batch_multiple, 4)

    def test_a_program_stops_when_it_is_told(self):
        trial = self.trial(stop_at=2)
        epochs = [(epoch, trial.report(val_loss=0)) for epoch in trial.epochs()]

        self.assertEqual(epochs, [(1, True), (2, False)])
        self.assertTrue(trial.stopped)

    def test_a_report_after_the_stop_ends_the_program_with_status_0(self):
        trial = self.trial(stop_at=1)
        trial.report(val_loss=0)

        with self.assertRaises(SystemExit) as left, contextlib.redirect_stderr(io.StringIO()) as said:
            trial.report(val_loss=0)
        self.assertEqual(left.exception.code, 0)
        self.assertRegex(said.getvalue(), "it reported again instead of stopping; .*trial.stopped is true")

    def test_a_resumed_program_sends_its_checkpoints_report_again_and_continues_after_it(self):
        trial = self.trial(stop_at=2)
        for epoch in trial.epochs():
            trial.report(val_loss=epoch / 10, save=lambda path, epoch=epoch: path.write_text(f"weights {epoch}"))
        self.reports.clear()
        trial = self.trial()

        self.assertEqual(trial.checkpoint.read_text(), "weights 2")
        self.assertEqual(trial.resource, 2)
        self.assertEqual(next(trial.epochs()), 3)
        self.assertEqual(self.reports, [{"resource": 2, "metrics": {"val_loss": 0.2}}])
        self.assertEqual(sorted(path.name for path in trial.directory.iterdir()), ["saved-2", "saved.json"])

    def test_a_resumed_program_counts_its_epochs_apart_from_another_resource(self):
        for scale in (1000, 2):  # steps, and half epochs
            trial = self.trial(max_resource=3 * scale, stop_at=2 * scale)
            for epoch in trial.epochs():
                trial.report(val_loss=1, resource=scale * epoch, save=lambda path: path.touch())
            trial = self.trial(max_resource=3 * scale)

            self.assertIsNotNone(trial.checkpoint)
            self.assertEqual(trial.resource, 2 * scale)
            epochs = trial.epochs()
            self.assertEqual(next(epochs), 3)
            trial.report(val_loss=1, resource=3 * scale)
            self.assertEqual(list(epochs), [])
            (trial.directory / "saved.json").unlink()

    def test_a_resource_of_several_epochs_has_so_many_more_of_them(self):
        trial = self.trial(max_resource=3)
        epochs = []
        for epoch in trial.epochs():
            epochs.append(epoch)
            if epoch % 2 == 0:
                trial.report(val_loss=1, resource=epoch // 2)

        self.assertEqual(epochs, [1, 2, 3, 4, 5, 6])

    def test_a_program_that_saves_and_does_not_load_is_told_instead_of_beginning_anew_at_a_later_epoch(self):
        self.trial().report(val_loss=1, save=lambda path: path.touch())
        self.reports.clear()

        with self.assertRaisesRegex(RuntimeError, "its checkpoint at 1, but .* load trial.checkpoint"):
            next(self.trial().epochs())
        with self.assertRaisesRegex(RuntimeError, "load trial.checkpoint"):
            self.trial().report(val_loss=1)
        self.assertEqual(self.reports, [])

    def test_decisions_that_come_at_once_are_read_one_after_the_other(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(theirs.close)
        self.addCleanup(ours.close)
        with mock.patch.dict(os.environ, {"CRESCENDO_MAX_RESOURCE": "5"}):
            trial = program.Trial(ours)
        self.addCleanup(trial._stream.close)

        theirs.sendall(b'{"decision":"continue"}\n{"decision":"continue","batch_multiple":4}\n')
        theirs.shutdown(socket.SHUT_WR)

        self.assertEqual([trial.report(loss=1), trial.report(loss=1)], [True, True])
        self.assertEqual(trial.batch_multiple, 4)

    def test_rank_0_may_load_the_checkpoint_for_all(self):
        self.trial().report(val_loss=1, save=lambda path: path.touch())
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        theirs.sendall(b'{"decision":"continue"}\n')
        with mock.patch.dict(os.environ, {"RANK": "1", "CRESCENDO_TRIAL_DIR": self.folder.name}):
            trial = program.Trial(ours)
        self.addCleanup(trial._stream.close)

        self.assertEqual(next(trial.epochs(limit=2)), 2)

    def test_a_checkpoint_may_be_a_folder(self):
        def save(path):
            path.mkdir()
            (path / "weights").write_text("1 2 3")

        self.trial().report(val_loss=0, save=save)

        self.assertEqual((self.trial().checkpoint / "weights").read_text(), "1 2 3")

    def test_a_checkpoint_may_have_links_that_lead_elsewhere_nowhere_or_to_itself(self):
        def save(path):
            path.mkdir()
            (path / "weights").write_text("1 2 3")
            (path / "latest").symlink_to(".")
            (path / "former").symlink_to("gone")

        self.trial().report(val_loss=0, save=save)

        self.assertEqual((self.trial().checkpoint / "latest/weights").read_text(), "1 2 3")

    def test_a_checkpoint_that_was_a_link_to_a_folder_stayed_beside_later_ones(self):
        own = Path(self.folder.name, "own")
        own.mkdir()
        for _ in range(2):  # the second process starts over
            trial = self.trial()
            for resource in (1, 2):
                trial.report(val_loss=0, resource=resource, save=lambda path: path.symlink_to("own"))
            (own.parent / "saved.json").unlink()

        self.assertEqual(sorted(path.name for path in own.parent.iterdir()), ["own", "saved-2"])

    def test_a_file_system_that_cannot_sync_folders_takes_checkpoints(self):
        sync = os.fsync

        def refusing(number, folders):
            def refuse(descriptor):
                if stat.S_ISDIR(os.fstat(descriptor).st_mode) == folders:
                    raise OSError(number, os.strerror(number))
                sync(descriptor)

            return mock.patch("os.fsync", refuse)

        def save(path):
            path.mkdir()
            (path / "weights").write_text("1 2 3")

        for number in (errno.EINVAL, errno.EBADF):
            with refusing(number, folders=True):
                self.trial().report(val_loss=0, resource=1, save=save)
            self.assertEqual((self.trial().checkpoint / "weights").read_text(), "1 2 3")
            (Path(self.folder.name) / "saved.json").unlink()
        for number, folders in ((errno.EIO, True), (errno.EINVAL, False)):
            with refusing(number, folders), self.assertRaises(OSError):
                self.trial().report(val_loss=0, resource=1, save=save)

    def test_a_checkpoint_is_on_disk_before_the_record_that_names_it(self):
        done, sync, replace = [], os.fsync, os.replace

        def note_sync(descriptor):
            done.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name.split(".tmp")[0])
            sync(descriptor)

        def note_replace(temporary, path):
            done.append("replace")
            replace(temporary, path)

        def save(path):
            path.mkdir()
            (path / "weights").touch()

        with mock.patch("os.fsync", note_sync), mock.patch("os.replace", note_replace):
            self.trial().report(val_loss=0, save=save)

        folder = Path(self.folder.name).name
        self.assertEqual(done, ["weights", "saved-1", "saved.json", "replace", folder])

    def test_a_checkpoint_that_was_half_written_does_not_count(self):
        def fail(path):
            path.write_text("half")
            raise OSError("no space")

        trial = self.trial()
        trial.report(val_loss=1, save=lambda path: path.write_text("whole"))
        with self.assertRaises(OSError):
            trial.report(val_loss=2, save=fail)

        self.assertEqual(self.trial().checkpoint.read_text(), "whole")

    def test_a_program_that_stood_still_does_not_write_into_the_record_of_its_successor(self):
        for name in ("saved.json.tmp", "saved.json.tmp.node-1.17"):
            standing = Path(self.folder.name, name)
            with open(standing, "w") as file:
                self.trial().report(val_loss=1, resource=1, save=lambda path: path.write_text("whole"))
                file.write("of the former process")

            self.assertEqual(self.trial().checkpoint.read_text(), "whole")
            self.assertFalse(standing.exists())
            (standing.parent / "saved.json").unlink()

    def test_a_trial_whose_checkpoint_is_gone_or_damaged_begins_anew_and_says_so(self):
        folder = Path(self.folder.name)
        for damage, told in [
            (lambda: (folder / "saved-1").unlink(), "saved-1 is gone"),
            (lambda: (folder / "saved.json").write_text(""), "saved.json is damaged"),
            (lambda: (folder / "saved.json").write_text("[]"), "saved.json is damaged"),
            (lambda: (folder / "saved.json").write_text("{}"), "saved.json is damaged"),
            (lambda: (folder / "saved.json").write_bytes(b'{"file": "saved-1\xff"}'), "saved.json is damaged"),
        ]:
            self.trial().report(val_loss=1, save=lambda path: path.write_text("whole"))
            damage()

            with contextlib.redirect_stderr(io.StringIO()) as printed:
                trial = self.trial()

            self.assertIsNone(trial.checkpoint)
            self.assertEqual(next(trial.epochs()), 1)
            self.assertIn(told + ", so the trial starts over", printed.getvalue())
            self.assertEqual((folder / "saved-1").exists(), "damaged" in told)  # a user may want it
            trial.report(val_loss=1, save=lambda path: path.mkdir())  # in its place
            self.assertTrue((folder / "saved-1").is_dir())
            (folder / "saved.json").unlink()

    def test_a_program_with_checkpoints_of_its_own_says_where_it_continues(self):
        trial = self.trial()
        trial.resumed(3, val_loss=0.3)

        self.assertEqual(list(trial.epochs()), [4, 5])
        self.assertEqual(self.reports, [{"resource": 3, "metrics": {"val_loss": 0.3}}])

    def test_a_checkpoint_at_the_resource_of_the_former_one_replaces_it(self):
        self.trial().report(val_loss=1, resource=2, save=lambda path: path.write_text("former"))
        trial = self.trial()
        trial.resumed(1, val_loss=1)
        trial.report(val_loss=1, resource=2, save=lambda path: path.write_text("later"))

        self.assertEqual(self.trial().checkpoint.read_text(), "later")

    def test_a_program_with_checkpoints_of_its_own_says_its_epoch_where_it_reports_steps(self):
        trial = self.trial(max_resource=5000)
        trial.resumed(3000, epoch=3, val_loss=0.3)

        self.assertEqual(next(trial.epochs()), 4)

    def test_a_report_that_was_lost_is_sent_though_the_program_has_nothing_left_to_train(self):
        trial = self.trial()
        trial.resumed(5, val_loss=0.3)
        self.assertEqual([report["resource"] for report in self.reports], [5])

        trial.report(val_loss=0.2, resource=6, save=lambda path: path.touch())
        self.reports.clear()
        with mock.patch("atexit.register") as register:
            trial = self.trial()
            for _ in range(2):
                self.assertIsNotNone(trial.checkpoint)
        (at_exit,) = [call.args[0] for call in register.call_args_list]
        with mock.patch("os.getpid", return_value=0):
            at_exit()  # in a process forked by the program
        self.assertEqual(self.reports, [])
        for _ in range(2):
            at_exit()
        self.assertEqual(self.reports, [{"resource": 6, "metrics": {"val_loss": 0.2}}])

    def test_a_trial_that_has_reported_owes_nothing_at_the_end(self):
        self.trial().report(val_loss=1, save=lambda path: path.touch())
        with mock.patch("atexit.register") as register:
            trial = self.trial()
            self.assertIsNotNone(trial.checkpoint)
            trial.report(val_loss=0.5, save=lambda path: path.touch())
        self.reports.clear()
        for call in register.call_args_list:
            call.args[0]()

        self.assertEqual(self.reports, [])

    def test_the_wait_for_data_is_measured(self):
        trial = self.trial()
        self.assertEqual(list(trial.waiting_for([1, 2])), [1, 2])
        trial.report(val_loss=0)
        trial.report(val_loss=0, data_wait=0.25)

        self.assertTrue(0 < self.reports[0]["data_wait"] <= 1)
        self.assertEqual(self.reports[1]["data_wait"], 0.25)

    def test_epochs_are_timed_so_that_the_sweep_knows_what_more_workers_bring(self):
        trial = self.trial(max_resource=4)
        for epoch in trial.epochs():
            time.sleep(0.01)
            trial.batch_multiple = 10  # an epoch has a tenth of the steps
            trial.report(val_loss=0, **({"step_seconds": 0.5} if epoch == 4 else {}))

        self.assertTrue(all(report["step_seconds"] >= 0.1 for report in self.reports), self.reports)
        self.assertEqual(self.reports[3]["step_seconds"], 0.5)
        self.assertEqual(self.reports[3]["metrics"], {"val_loss": 0})

    def test_a_report_measures_only_what_came_after_the_one_before(self):
        with mock.patch("crescendo.program.time") as clock:
            clock.monotonic.return_value = 50.0
            trial = self.trial(max_resource=4)

            def item_after(seconds):
                clock.monotonic.return_value += seconds
                yield

            for _ in trial.epochs():
                for resource, wait, step in ((2, 2.0, 2.0), (5, 1.5, 4.5)):
                    list(trial.waiting_for(item_after(wait)))
                    clock.monotonic.return_value += step
                    trial.report(val_loss=0, resource=resource)
                break

        self.assertEqual([each["data_wait"] for each in self.reports], [2.0 / 4.0, 1.5 / 6.0])
        self.assertEqual([each["step_seconds"] for each in self.reports], [4.0 / 2, 6.0 / 3])

    def test_a_report_of_several_epochs_was_timed_as_if_it_covered_only_the_last_one(self):
        with mock.patch("crescendo.program.time") as clock:
            clock.monotonic.return_value = 0.0
            trial = self.trial(max_resource=4)
            for epoch in trial.epochs():
                clock.monotonic.return_value += 3.0
                if epoch in (1, 4):
                    trial.report(val_loss=0)

        self.assertEqual([each["step_seconds"] for each in self.reports], [3.0, 3.0])

    def test_what_a_program_knows_of_its_steps_is_no_metric(self):
        self.trial().report(val_loss=0, step_seconds=0.5, group_batch=256, noise_scale=810)

        steps = {"step_seconds": 0.5, "group_batch": 256.0, "noise_scale": 810.0}
        self.assertEqual(self.reports, [{"resource": 1, "metrics": {"val_loss": 0.0}, **steps}])

    def test_numbers_that_are_not_finite_become_null(self):
        self.trial().report(val_loss=float("nan"))

        self.assertEqual(self.reports[0]["metrics"], {"val_loss": None})

    def test_mistakes_are_explained(self):
        trial = self.trial()
        with self.assertRaisesRegex(ValueError, "resource is 0; resources, .* count from 1"):
            trial.report(val_loss=1, resource=0)
        trial.report({"val/loss": 1}, resource=4)
        with self.assertRaisesRegex(ValueError, "resource is 4, but 4 was already reported"):
            trial.report(val_loss=1, resource=4)
        with self.assertRaisesRegex(TypeError, "metric 'val_loss' is \\[1\\], a list"):
            trial.report(val_loss=[1], resource=5)
        with self.assertRaisesRegex(ValueError, "no metric"):
            trial.report(resource=6)
        with self.assertRaisesRegex(FileNotFoundError, "save wrote nothing"):
            trial.report(val_loss=1, resource=7, save=lambda path: None)
        with mock.patch.dict(os.environ, CRESCENDO_FD="999"), self.assertRaisesRegex(
            RuntimeError, "no such socket.*such as papermill, begin the command with `env, -u, CRESCENDO_FD`"
        ):
            protocol.inherited_socket()

    def test_a_socket_of_the_programs_own_is_not_taken_for_crescendos_that_was_closed(self):
        with socket.socket() as own, mock.patch.dict(os.environ, CRESCENDO_FD=str(own.fileno())):
            with self.assertRaisesRegex(RuntimeError, "belongs to another socket.*as torchrun and"):
                protocol.inherited_socket()

            self.assertEqual(own.getsockname()[0], "0.0.0.0")  # it is still open

    def test_habits_of_other_tools_are_told_what_to_write_instead(self):
        trial = self.trial()
        next(trial.epochs())
        for unnamed, named in (((0.1,), {}), ((1,), {"val_loss": 0.1}), ((0.1, 1), {}), (({"val_loss": 0.1}, 1), {})):
            with self.subTest(unnamed), self.assertRaisesRegex(
                TypeError, r"a (float|int) without a name: write trial.report\(val_loss=0.1\); .*, or resource=3"
            ):
                trial.report(*unnamed, **named)
        with self.assertRaisesRegex(TypeError, 'give each number a name, as in {"val.loss": …}'):
            trial.report({"val": {"loss": 0.1}})
        for name, words in (
            ("suggest_float", "the sweep file has the ranges.*the program's arguments"),
            ("params", "no params: their values are the program's arguments"),
            ("should_prune", "report.* returns whether to continue"),
        ):
            with self.subTest(name), self.assertRaisesRegex(AttributeError, words):
                getattr(trial, name)
        self.assertEqual(self.reports, [])

    def test_other_attributes_are_missing_as_python_has_them(self):
        trial = program.Trial(None)

        with self.assertRaisesRegex(AttributeError, "'Trial' object has no attribute 'nothing'"):
            trial.nothing
        self.assertFalse(hasattr(trial, "suggest_int"))
        self.assertEqual(copy.copy(trial).seed, trial.seed)
        self.assertEqual(pickle.loads(pickle.dumps(trial)).number, trial.number)

    def test_a_process_that_the_program_spawns_knows_its_trial_and_does_not_report(self):
        script = """
            import multiprocessing
            import sys

            import crescendo

            trial = crescendo.trial()


            def report(_):
                try:
                    trial.report(val_loss=1)
                except RuntimeError as error:
                    return trial.number, trial.seed, str(trial.directory), str(error)


            if __name__ == "__main__":
                with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
                    print(*pool.map(report, [0])[0], sep="\\n")
        """
        path = Path(self.folder.name, "train.py")
        path.write_text(textwrap.dedent(script))
        ours, theirs = socket.socketpair()
        with ours, theirs:
            environment = {
                **os.environ,
                "CRESCENDO_FD": str(theirs.fileno()),
                "CRESCENDO_TRIAL": "7",
                "CRESCENDO_SEED": "123",
                "CRESCENDO_TRIAL_DIR": self.folder.name,
            }
            for method in ("spawn", "forkserver"):
                done = subprocess.run(
                    [sys.executable, str(path), method],
                    env=environment,
                    pass_fds=[theirs.fileno()],
                    capture_output=True,
                    text=True,
                    timeout=300,
                )

                number, seed, directory, error = done.stdout.splitlines() or [done.stderr] * 4
                self.assertEqual((number, seed, directory), ("7", "123", self.folder.name))
                self.assertRegex(error, "only the process that Crescendo started can report")

    def test_the_end_of_the_sweep_is_a_stop(self):
        trial = self.trial()
        trial._stream.close()
        ours, theirs = socket.socketpair()
        theirs.close()
        trial = program.Trial(ours)
        self.addCleanup(ours.close)

        self.assertFalse(trial.report(val_loss=0))

    def test_a_timeout_that_the_program_set_for_its_sockets_does_not_end_the_wait_for_an_answer(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(socket.setdefaulttimeout, None)
        socket.setdefaulttimeout(5)
        with mock.patch.dict(os.environ, CRESCENDO_FD=str(theirs.detach())), protocol.inherited_socket() as inherited:
            self.assertIsNone(inherited.gettimeout())

    def test_programs_that_the_program_starts_do_not_hold_its_socket_open(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        theirs.set_inheritable(True)  # as crescendo hands it over
        with mock.patch.dict(os.environ, CRESCENDO_FD=str(theirs.detach())), protocol.inherited_socket() as inherited:
            self.assertFalse(inherited.get_inheritable())

    def test_a_report_that_could_not_be_sent_is_not_taken_for_the_end_of_the_sweep(self):
        trial = self.trial()
        trial._socket = mock.Mock(sendall=mock.Mock(side_effect=OSError(errno.ENOBUFS, "No buffer space available")))

        with self.assertRaisesRegex(OSError, "No buffer space"):
            trial.report(val_loss=0)

    def test_outside_a_sweep_reports_are_printed(self):
        trial = program.Trial(None)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for _ in trial.epochs(limit=2):
                trial.report(val_loss=0.5, accuracy=1)

        self.assertEqual(printed.getvalue().splitlines()[1], "epoch 2: val_loss 0.5, accuracy 1.0")
        self.assertIsNone(trial.directory)

    def test_the_examples_in_the_documentation_of_the_code_hold(self):
        for module in (program, protocol):
            self.assertEqual(doctest.testmod(module, verbose=False).failed, 0)
        self.assertTrue(callable(crescendo.trial))


@unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
class SweepTest(unittest.TestCase):
    def test_a_sweep_of_a_plain_program_whose_report_was_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            sweep = {
                "metric": {"name": "loss"},
                "run_cap": 4,
                "slots": 2,
                "bind": "off",
                "parameters": {"x": {"values": [1, 2, 3]}},
                "scheduler": {"type": "asha", "max": 4, "reduction_factor": 2},
                "command": [sys.executable, str(HERE / "report.py"), "${args}", "--die-at=2"],
            }
            Path(folder, "sweep.yaml").write_text(json.dumps(sweep))
            run = [CRESCENDO, "run", "sweep.yaml", "--dir", "out"]
            subprocess.run(run, cwd=folder, check=True, capture_output=True)
            listed = subprocess.run(
                [CRESCENDO, "trials", "out", "--format", "json"], cwd=folder, check=True, capture_output=True
            )
            trials = json.loads(listed.stdout)
            ends = Path(folder, "ends.txt").read_text().splitlines()

        self.assertEqual({trial["status"] for trial in trials} - {"stopped", "finished"}, set())
        for trial in trials:
            self.assertEqual(trial["loss"], trial["resource"] * trial["x"])
            self.assertEqual(trial["failures"], 1 if trial["resource"] >= 2 else 0)
        self.assertEqual(len(ends), 4)


if __name__ == "__main__":
    unittest.main()
