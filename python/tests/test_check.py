"""The conformance test finds mistakes, and finds none in correct trainers."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from crescendo import check
from crescendo.fake import Unexpected

HERE = Path(__file__).parent
CRESCENDO = os.environ.get("CRESCENDO_BINARY")

STUB = f"""#!{sys.executable}
import json, os, socket, sys

stream = socket.socket(fileno=int(os.environ["CRESCENDO_FD"])).makefile("rw")

def send(**message):
    stream.write(json.dumps(message) + "\\n")
    stream.flush()

"""


class StubTest(unittest.TestCase):
    """Trainers with one mistake each."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def trainer(self, code):
        program = Path(self.folder.name, "trainer")
        program.write_text(STUB + code)
        program.chmod(0o755)
        return [str(program)]

    def complaint(self, function, code):
        conformance = check.Conformance(self.trainer(code), {}, patience=60)
        self.addCleanup(conformance.close)
        with self.assertRaises(Unexpected) as complaint:
            function(conformance)
        return str(complaint.exception)

    def test_trainers_that_time_their_steps_are_told_from_those_that_do_not(self):
        for more, times in (({}, False), ({"step_seconds": 0.1}, True)):
            conformance = check.Conformance([], {}, patience=60)
            report = {"type": "report", "resource": 1, **more}
            conformance._crescendo = mock.Mock(arrivals=[(0.0, 0, {"type": "progress"}), (0.1, 0, report)])
            conformance.close()
            self.assertEqual(conformance.times_steps, times)

    def test_processes_of_a_killed_trainer_held_its_connections_open(self):
        program = self.trainer("if os.fork(): send(type='hello', pid=1, version='')\nstream.readline()")
        with check.Crescendo(1, program) as crescendo:
            crescendo.kill(0)
            crescendo.trainers[0].socket.settimeout(60)

            self.assertEqual(crescendo.trainers[0].socket.recv(1), b"")

    def test_a_trainer_has_as_long_to_start_as_a_sweep_gives_it(self):
        with mock.patch.object(check, "Crescendo") as started:
            started.return_value.arrivals = []
            conformance = check.Conformance(["train"], {}, patience=60)
            self.addCleanup(conformance.close)
            self.assertEqual(conformance.crescendo.patience, 60)

        started.assert_called_once_with(4, ["train"], patience=300)

    def test_the_answer_to_check_is_the_last_line(self):
        for end in ("", "; print('done')"):
            answer = "print('loads data'); print('{\"problems\": []}')" + end
            conformance = check.Conformance([sys.executable, "-c", answer], {}, patience=60)
            self.addCleanup(conformance.close)
            if end:
                with self.assertRaisesRegex(Unexpected, "last line .*'problems'; it prints 'loads data"):
                    check.check_settings(conformance)
            else:
                check.check_settings(conformance)

    def test_a_trainer_that_a_sweep_starts_needs_no_word_that_only_doctor_gives(self):
        trainer = [sys.executable, "-c", "raise SystemExit('what is --check-group?')"]
        with mock.patch.object(check, "CHECKS", []), contextlib.redirect_stdout(io.StringIO()) as said:
            num_failed = check.run(trainer, {})

        self.assertEqual(num_failed, 0)
        self.assertIn("note    it has no --check-group, so CRESCENDO_TRAINER must not name it", said.getvalue())

    def test_a_hello_that_lacks_something(self):
        said = self.complaint(check.check_hello, "send(type='hello', pid=1)\nstream.readline()")
        self.assertIn("'hello' lacks the key 'version'", said)

    def test_a_trainer_that_dies_at_once(self):
        said = self.complaint(check.check_hello, "raise SystemExit('no such data')")
        self.assertIn("it ended before it sent 'hello'; its last words:\nno such data", said)

    def test_members_of_a_group_hash_words_alike_unless_the_user_says_otherwise(self):
        for given, seed in (({}, "0"), ({"PYTHONHASHSEED": "7"}, "7")):
            with mock.patch.dict(os.environ):
                os.environ.pop("PYTHONHASHSEED", None)
                os.environ.update(given)
                said = self.complaint(check.check_hello, "raise SystemExit('seed ' + os.environ['PYTHONHASHSEED'])")
                self.assertIn(f"its last words:\nseed {seed}", said)

    def test_a_trainer_that_gives_no_sign_of_life(self):
        said = self.complaint(check.check_hello, "send(type='hello', pid=1, version='')\nstream.readline()")
        self.assertIn("no 'progress'", said)

    def test_a_trainer_that_does_not_wait_for_the_decision(self):
        said = self.complaint(
            check.check_decision,
            "send(type='hello', pid=1, version='')\n"
            "join = json.loads(stream.readline())\n"
            "place = {'trial': join['trial'], 'generation': join['generation']}\n"
            "for epoch in range(1, 4):\n"
            "    send(type='report', resource=epoch, metrics={'loss': 1}, **place)\n"
            "stream.readline()",
        )
        self.assertIn("it sends 'report' before the decision", said)

    def test_a_trainer_that_fails_where_it_has_to_be_silent(self):
        said = self.complaint(
            check.check_hello,
            "send(type='hello', pid=1, version='')\n"
            "send(type='failed', trial=0, kind='error', message='no such data')\n"
            "stream.readline()",
        )
        self.assertRegex(said, "it sends 'failed' while it is idle: .*no such data")

    def test_a_report_of_something_else(self):
        said = self.complaint(
            check.check_new,
            "send(type='hello', pid=1, version='')\n"
            "join = json.loads(stream.readline())\n"
            "place = {'trial': join['trial'], 'generation': join['generation']}\n"
            "send(type='regrouped', seconds=0.1, **place)\n"
            "send(type='report', resource=1, metrics={'note': 'x', 'loss': [1]}, **place)\n"
            "stream.readline()",
        )
        self.assertIn("metric 'loss' is neither a number, null nor a text: [1]", said)


class ConformanceTest(unittest.TestCase):
    def run_check(self, *words):
        check_it = [sys.executable, "-m", "crescendo.check", "--patience", "600"]  # torch loads slowly on a busy machine
        done = subprocess.run([*check_it, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(check.CHECKS)} of {len(check.CHECKS)} checks pass", done.stdout)
        self.assertNotIn("note ", done.stdout)

    def test_a_growing_program_of_crescendo_torch(self):
        self.run_check(sys.executable, str(HERE / "grow.py"), "--batch-size=8")

    @unittest.skipUnless(CRESCENDO, "CRESCENDO_BINARY names no crescendo")
    def test_crescendo_trainer(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder, "table.csv")
            table.write_text("x,label\n" + "".join(f"{i / 64},{i % 2}\n" for i in range(64)))
            location = f"{folder}/table.h5:/train"
            subprocess.run([CRESCENDO, "data", "convert", str(table), location], check=True, capture_output=True)
            settings = {"model": "mlp", "width": 4, "batch_size": 8, "data": {"train": location}}
            self.run_check("--settings", json.dumps(settings), str(Path(CRESCENDO).with_name("crescendo-trainer")))


if __name__ == "__main__":
    unittest.main()
