"""Samplers in Python: `crescendo.sampler`, and the examples."""

import json
import os
import random
import runpy
import socket
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

from crescendo.sampler import Search, Trial

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BEGIN = {"request": "begin", "version": 1, "goal": "minimize", "seed": 1, "later": "unknown", "options": {"keep": 3},
         "parameters": {"lr": {"distribution": "log_uniform_values", "min": 1e-3, "max": 10.0},
                        "width": {"distribution": "int_uniform", "min": 1, "max": 9},
                        "act": {"distribution": "categorical", "values": ["relu", "gelu"]}}}


class Program:
    """A sampler program, started as crescendo starts it."""

    def __init__(self, *command, stderr=None):
        ours, theirs = socket.socketpair()
        with theirs:
            environment = {**os.environ, "CRESCENDO_FD": str(theirs.fileno())}
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, stderr=stderr)
        self.connection = ours
        self.answers = ours.makefile()

    def send(self, *messages):
        self.connection.sendall("".join(json.dumps(message) + "\n" for message in messages).encode())

    def propose(self, number):
        rng = random.Random(number)
        draw = {"lr": 10 ** rng.uniform(-3, 1), "width": rng.randint(1, 9), "act": rng.choice(["relu", "gelu"])}
        self.send({"request": "propose", "proposal": number, "draw": draw})
        return json.loads(self.answers.readline())

    def tell(self, trial, config, value):
        told = {"request": "tell", "trial": trial, "proposal": trial, "config": config}
        self.send({**told, "status": "running"})
        self.send({**told, "status": "finished", "resource": 9, "value": value})

    def end(self):
        self.answers.close()
        self.connection.close()
        return self.process.wait(timeout=300)


def loss(config):
    return abs(config["width"] - 7) + abs(config["lr"] - 0.1)


class Samplers(unittest.TestCase):
    @staticmethod
    def questions(count, told_after):
        """Requests for `count` proposals, with one tell request after the first `told_after`."""
        questions = [{"request": "propose", "proposal": number, "draw": {"width": 1}} for number in range(count)]
        return [*questions[:told_after], {"request": "tell", "trial": 7, "status": "running", "config": {}},
                *questions[told_after:]]

    def learn(self, *command, trials):
        """The losses of `trials` trials, one after the other."""
        program = Program(*command)
        program.send(BEGIN)
        losses = []
        for trial in range(trials):
            config = program.propose(trial)["config"]
            self.assertEqual(set(config), set(BEGIN["parameters"]))
            losses.append(loss(config))
            program.tell(trial, config, losses[-1])
        self.assertEqual(program.end(), 0)
        return losses

    def test_a_class_may_start_from_the_draw_of_a_question(self):
        script = """if True:
            from crescendo import sampler
            class Mine:
                def __init__(self, search):
                    pass
                def propose(self, number, draw):
                    return {**draw, "width": 7}
            sampler.serve(Mine)"""
        program = Program(sys.executable, "-c", script)
        program.send(BEGIN)
        config = program.propose(3)["config"]
        self.assertEqual((config["width"], set(config)), (7, {"lr", "width", "act"}))
        self.assertEqual(program.end(), 0)

    def test_a_configuration_may_have_numbers_of_numpy(self):
        script = """if True:
            from crescendo import sampler
            class Number:  # as numpy.int64, which JSON does not know
                def tolist(self):
                    return 64
            class Mine:
                def __init__(self, search):
                    pass
                def propose(self, number):
                    return {"width": Number() if number == 0 else {1}}
            sampler.serve(Mine)"""
        program = Program(sys.executable, "-c", script, stderr=subprocess.PIPE)
        program.send(BEGIN)

        self.assertEqual(program.propose(0), {"config": {"width": 64}})
        program.send({"request": "propose", "proposal": 1, "draw": {}})
        with program.process.stderr as errors:
            self.assertIn("propose() returned {1} (set); return numbers", errors.read().decode())
        self.assertEqual(program.end(), 1)

    def test_a_class_answers_begin_propose_tell_and_refused(self):
        script = """if True:
            from crescendo import sampler
            class Mine:
                def __init__(self, search):
                    self.said = [search.goal, search.options["keep"]]
                def propose(self, number):
                    if number == 2:
                        raise StopIteration
                    return {"said": self.said} if number else None
                def tell(self, trial):
                    self.said += [trial.value, trial.ended]
                def refuse(self, number, reason):
                    self.said += [reason]
            sampler.serve(Mine)"""
        program = Program(sys.executable, "-c", script)
        program.send(BEGIN)
        self.assertEqual(program.propose(0), {"config": None})
        program.tell(3, {}, 0.5)
        program.send({"request": "refused", "proposal": 0, "reason": "too wide"})
        said = ["minimize", 3, None, False, 0.5, True, "too wide"]
        self.assertEqual(program.propose(1), {"config": {"said": said}})
        self.assertEqual(program.propose(2), {"done": True})
        self.assertEqual(program.end(), 0)

    def test_a_class_gets_all_messages_that_come_at_once(self):
        script = """if True:
            from crescendo import sampler
            class Mine:
                def __init__(self, search):
                    self.told = []
                def propose(self, number):
                    return {"told": self.told}
                def tell(self, trial):
                    self.told += [trial.trial]
            sampler.serve(Mine)"""
        program = Program(sys.executable, "-c", script)

        program.send(BEGIN, *self.questions(5, told_after=3))
        program.connection.shutdown(socket.SHUT_WR)  # a program that loses a question ends, so the test cannot hang

        told = [json.loads(line)["config"]["told"] for line in program.answers]
        self.assertEqual(told, [[], [], [], [7], [7]])
        self.assertEqual(program.end(), 0)

    def test_the_example_in_plain_python_gets_all_messages_that_come_at_once(self):
        program = Program(sys.executable, EXAMPLES / "sampler/evolution.py")

        program.send(BEGIN, *self.questions(5, told_after=3))
        program.connection.shutdown(socket.SHUT_WR)

        self.assertEqual(len(list(program.answers)), 5)
        self.assertEqual(program.end(), 0)

    def test_a_sampler_that_is_started_by_hand_says_what_starts_it(self):
        environment = {name: value for name, value in os.environ.items() if name != "CRESCENDO_FD"}

        done = subprocess.run(
            [sys.executable, "-c", "from crescendo import sampler; sampler.serve(None)"],
            env=environment,
            capture_output=True,
            text=True,
        )

        self.assertEqual(done.returncode, 1)
        self.assertIn("crescendo validate sweep.yaml --sample 5", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_sampler_behind_a_program_that_closes_its_socket_says_what_to_do(self):
        done = subprocess.run(
            [sys.executable, "-c", "from crescendo import sampler; sampler.serve(None)"],
            env={**os.environ, "CRESCENDO_FD": "99"},
            capture_output=True,
            text=True,
        )

        self.assertIn("instead of `conda run`, use the path of the environment's python3", done.stderr)

    def test_a_class_that_learns_nothing_needs_no_tell(self):
        script = """if True:
            from crescendo import sampler
            class Mine:
                def __init__(self, search):
                    pass
                def propose(self, number):
                    return {"width": number}
            sampler.serve(Mine)"""
        program = Program(sys.executable, "-c", script)
        program.send(BEGIN)
        program.tell(0, {}, 0.5)
        self.assertEqual(program.propose(1), {"config": {"width": 1}})
        self.assertEqual(program.end(), 0)

    def test_the_example_in_plain_python_learns(self):
        losses = self.learn(sys.executable, EXAMPLES / "sampler/evolution.py", trials=80)
        self.assertLess(sum(losses[60:]), sum(losses[:20]))

    @unittest.skipUnless(find_spec("optuna"), "optuna is not installed")
    def test_the_example_with_optuna_learns(self):
        losses = self.learn(sys.executable, EXAMPLES / "sampler/optuna_tpe.py", trials=60)
        self.assertLess(sum(losses[40:]), sum(losses[:20]))

    @unittest.skipUnless(find_spec("optuna"), "optuna is not installed")
    def test_the_example_with_optuna_proposed_steps_from_the_lower_end_that_are_no_multiples_of_q(self):
        program = Program(sys.executable, EXAMPLES / "sampler/optuna_tpe.py")
        program.send({**BEGIN, "parameters": {"b": {"distribution": "q_uniform", "min": 1, "max": 9, "q": 2},
                                              "c": {"distribution": "q_uniform", "min": 0.1, "max": 0.3, "q": 0.1}}})
        configs = [program.propose(number)["config"] for number in range(30)]
        self.assertEqual({config["b"] for config in configs}, {2, 4, 6, 8})
        self.assertEqual({round(config["c"], 9) for config in configs}, {0.1, 0.2, 0.3})
        self.assertEqual(program.end(), 0)

    @unittest.skipUnless(find_spec("optuna"), "optuna is not installed")
    def test_the_example_with_optuna_forgot_the_trials_that_an_earlier_session_had_stopped(self):
        tpe = runpy.run_path(str(EXAMPLES / "sampler/optuna_tpe.py"))["Tpe"](
            Search(seed=1, parameters=BEGIN["parameters"]))
        config = {"lr": 0.1, "width": 3, "act": "relu"}
        tpe.tell(Trial(0, "stopped", config, value=0.5, resource=3))
        tpe.tell(Trial(1, "finished", config, value=0.2, resource=9))
        tpe.tell(Trial(2, "failed", config))
        told = [(trial.state.name, trial.intermediate_values) for trial in tpe.study.get_trials()]
        self.assertEqual(told, [("PRUNED", {3: 0.5}), ("COMPLETE", {9: 0.2})])

    @unittest.skipUnless("CRESCENDO_BINARY" in os.environ, "there is no crescendo")
    def test_the_example_in_plain_python_knows_all_distributions(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sweep.yaml").write_text(json.dumps({
                "name": "all", "metric": {"name": "loss"}, "run_cap": 20, "seed": 1, "slots": 2,
                "parameters": {"a": {"distribution": "log_normal", "mu": -7, "sigma": 1},
                               "b": {"distribution": "q_uniform", "min": 1, "max": 9, "q": 2},
                               "c": {"values": ["x", "y"]},
                               "d": {"min": 0.0, "max": 1.0, "when": "c == 'x'"},
                               "e": {"expression": "2 * b"}},
                "sampler": {"command": [sys.executable, str(EXAMPLES / "sampler/evolution.py")]},
                "scheduler": {"type": "fifo", "max": 1},
                "command": ["sh", "-c", """echo '{"resource": 1, "metrics": {"loss": '$1'}}' >&$CRESCENDO_FD""",
                            "sh", "${b}"]}))
            subprocess.run([os.environ["CRESCENDO_BINARY"], "run", "sweep.yaml"], check=True, cwd=folder,
                           stdout=subprocess.DEVNULL)
            journal = (Path(folder) / "all/journal.jsonl").read_text()
            self.assertEqual(journal.count('"origin":"program"'), 20)

    @unittest.skipUnless("CRESCENDO_BINARY" in os.environ, "there is no crescendo")
    def test_the_example_runs_as_a_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder) / "out"
            subprocess.run([os.environ["CRESCENDO_BINARY"], "run", "sweep.yaml", "--dir", directory], check=True,
                           cwd=EXAMPLES / "sampler", stdout=subprocess.DEVNULL)
            journal = (directory / "journal.jsonl").read_text()
            self.assertEqual(journal.count('"origin":"program"'), 27)


if __name__ == "__main__":
    unittest.main()
