"""A growing program against a fake crescendo: what a group does must not depend on its size or its faults."""

import json
import signal
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

import torch

import grow
from crescendo.fake import FakeCrescendo, Terms, Unexpected

PROGRAM = [sys.executable, str(Path(__file__).with_name("grow.py"))]
GROUP_TIMEOUT = 5  # seconds, in tests of this time-out


def wait_for(crescendo, *paths):
    """Waits until these files exist."""
    deadline = time.monotonic() + 180
    while missing := [path.name for path in paths if not path.exists()]:
        if time.monotonic() > deadline:
            raise Unexpected(f"{missing} do not appear")
        crescendo.serve(0.01)


def losses(reports):
    return [report["metrics"]["val_loss"] for report in reports]


def notes_of(directory, name="samples.jsonl"):
    """The workers' records of their steps, or of what `name` says."""
    return [json.loads(line) for line in (directory / name).read_text().splitlines()]


def samples_of(directory, epoch):
    """How often each sample was trained on in an epoch."""
    seen = Counter()
    for entry in notes_of(directory):
        if entry["epoch"] == epoch:
            seen.update(entry["samples"])
    return seen


class TrainersTest(unittest.TestCase):
    """The same warm trainers serve all tests of a class."""

    count = 4
    environment = {}

    @classmethod
    def setUpClass(cls):
        cls.crescendo = FakeCrescendo(cls.count, PROGRAM, cls.environment)
        cls.num_trials = 0

    @classmethod
    def tearDownClass(cls):
        cls.crescendo.close()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def terms(self, name="trial", settings=None, **more):
        """The terms of a new trial."""
        type(self).num_trials += 1
        directory = Path(self.folder.name) / name
        directory.mkdir(exist_ok=True)
        return Terms(directory=directory, settings=settings or {}, trial=self.num_trials, **more)

    def leave(self, members, terms, save=False):
        return self.crescendo.leave(members, save, terms.trial)

    def unread(self, trainer, terms, *kinds):
        """Unread messages of a trainer about this trial. Those of an earlier trial may be late or unexpected."""
        messages = self.crescendo.trainers[trainer].messages
        return [each for each in messages if each["type"] in kinds and each["trial"] == terms.trial]


class GrowingTest(TrainersTest):
    def regroup_after_reports(self, sizes, multiples, settings=None):
        """Losses of a trial that has one epoch with each of these sizes and batches."""
        terms = self.terms(f"{sizes}".replace(" ", ""), settings)
        found = []
        for index, (size, multiple) in enumerate(zip(sizes, multiples)):
            terms.batch_multiple = multiple
            members = list(range(size))
            self.crescendo.join(members, "memory" if index else "new", terms)
            found.append(self.crescendo.expect(0, "report"))
            terms.reported = found[-1]["resource"]
        self.leave(range(sizes[-1]), terms)
        self.directory = terms.directory
        return losses(found)

    def test_a_group_that_grows_learns_as_one_worker_with_the_same_batches(self):
        grown = self.regroup_after_reports([1, 2, 4], [1, 2, 4])
        for epoch in (1, 2, 3):
            self.assertEqual(samples_of(self.directory, epoch), Counter(range(256)))
        fixed = self.regroup_after_reports([1, 1, 1], [1, 2, 4])

        for one, other in zip(grown, fixed):
            self.assertAlmostEqual(one, other, delta=1e-5)
        self.assertLess(grown[-1], grown[0])

    def test_adam_keeps_its_state_when_the_group_grows_and_shrinks(self):
        settings = {"optimizer": "adam", "lr": 0.01}
        grown = self.regroup_after_reports([1, 4], [4, 4], settings)
        fixed = self.regroup_after_reports([1, 1], [4, 4], settings)

        for one, other in zip(grown, fixed):
            self.assertAlmostEqual(one, other, delta=1e-5)

    def test_a_last_short_step_with_fewer_samples_than_workers_is_one_step_of_all(self):
        settings = {"samples": 66}  # 64 + 2 with four workers
        grown = self.regroup_after_reports([4, 4], [4, 4], settings)
        fixed = self.regroup_after_reports([1, 1], [4, 4], settings)

        for one, other in zip(grown, fixed):
            self.assertAlmostEqual(one, other, delta=1e-5)

    def test_one_worker_of_a_group_is_the_main_one_before_they_meet(self):
        terms = self.terms()
        self.crescendo.train([0, 1], "new", terms, until=1)
        terms.reported = 1
        self.crescendo.join([0, 1, 2], "memory", terms)
        self.crescendo.expect(0, "report")
        self.leave([0, 1, 2], terms)
        calls = [tuple(each.values()) for each in notes_of(terms.directory, "calls.jsonl")]

        self.assertEqual(sorted(calls), [(0, 2, True), (1, 2, False), (2, 3, False)])

    def test_what_is_drawn_before_any_trial_is_the_same_on_each_worker(self):
        terms = self.terms()
        self.crescendo.train([0, 1], "new", terms, until=1)
        self.leave([0, 1], terms)
        drawn = [path.read_text() for path in terms.directory.glob("drawn-*")]

        self.assertEqual(len(drawn), 2)
        self.assertEqual(drawn[0], drawn[1])

    def test_what_is_drawn_at_an_epochs_start_is_the_same_on_each_worker_and_when_it_is_drawn_again(self):
        terms = self.terms(settings={"gate-step": 3})
        self.crescendo.join([0, 1], "new", terms)
        wait_for(self.crescendo, *(terms.directory / f"at-gate-{rank}" for rank in range(2)))
        (terms.directory / "gate").touch()
        self.crescendo.join([1, 0, 2], "memory", terms)  # within the first epoch
        self.crescendo.expect(1, "report")
        self.crescendo.go_on([0, 1, 2], terms)
        self.crescendo.expect(1, "report")
        self.leave([0, 1, 2], terms)

        notes = notes_of(terms.directory, "epochs.jsonl")
        drawn = [{str(each["drawn"]) for each in notes if each["epoch"] == epoch} for epoch in (1, 2)]
        self.assertEqual(Counter(each["epoch"] for each in notes), {1: 5, 2: 3})
        self.assertEqual([len(each) for each in drawn], [1, 1])
        self.assertNotEqual(drawn[0], drawn[1])

    def test_accumulation_changes_no_batch(self):
        settings = {"by-step": True}
        plain = self.terms("plain", settings, batch_multiple=4)
        halved = self.terms("halved", settings, batch_multiple=4, accumulation=2)
        first = self.crescendo.train([0, 1, 2, 3], "new", plain, until=2)  # a step is one pass
        self.leave([0, 1, 2, 3], plain)
        second = self.crescendo.train([0, 1], "new", halved, until=2)
        self.leave([0, 1], halved)

        for one, other in zip(first, second):
            for name in ("val_loss", "rate", "average"):
                self.assertAlmostEqual(one["metrics"][name], other["metrics"][name], delta=1e-5)
        self.assertEqual(max(len(entry["samples"]) for entry in notes_of(halved.directory)), 8)

    def test_gradients_are_clipped_alike_also_where_the_optimizer_has_a_part_of_the_model(self):
        found = []
        for members, accumulation in (([0], 1), ([0], 2), ([0, 1], 1), ([0, 1], 2)):
            terms = self.terms(f"{len(members)}-{accumulation}", {"head-only": True}, batch_multiple=2)
            terms.accumulation = accumulation
            reports = self.crescendo.train(members, "new", terms, until=2)
            self.leave(members, terms)
            notes = [each for each in notes_of(terms.directory) if each["updated"]]
            norms = [[each["norm"] for each in notes if each["rank"] == rank] for rank in members]

            self.assertEqual(norms[0], norms[-1])
            self.assertEqual(len(norms[0]), 16)  # 256 samples in steps of 32, twice
            found.append([*norms[0], *losses(reports)])
        for each in found[1:]:
            for one, other in zip(found[0], each):
                self.assertAlmostEqual(one, other, delta=1e-5)

    def test_a_regroup_of_the_same_size_changes_no_bit(self):
        states = []
        for again in (False, True):
            terms = self.terms(f"again-{again}", {"dropout": 0.3}, batch_multiple=2)
            self.crescendo.train([0, 1], "new", terms, until=1)
            terms.checkpoint_at = terms.reported = 1
            if again:
                self.crescendo.join([0, 1], "memory", terms)
            else:
                self.crescendo.go_on([0, 1], terms)
            self.crescendo.expect(0, "report")
            self.leave([0, 1], terms)
            states.append(torch.load(terms.directory / "checkpoint.pt", weights_only=True))

        progress = [json.loads(each["progress"]) for each in states]
        for each in progress:
            each["report"] = each["report"]["metrics"]
            del each["clock"]
        self.assertEqual(progress[0], progress[1])
        self.assertEqual(list(states[0]["model"]), list(states[1]["model"]))
        for name, values in states[0]["model"].items():
            self.assertTrue(torch.equal(values, states[1]["model"][name]), name)

    def test_a_resumed_trial_repeats_its_last_report_and_continues_as_if_nothing_had_been(self):
        whole = self.terms("whole", {"dropout": 0.3})
        expected = losses(self.crescendo.train([0], "new", whole, until=3))
        self.leave([0], whole)
        terms = self.terms("paused", {"dropout": 0.3}, checkpoint_at=2)
        self.crescendo.train([0], "new", terms, until=2)
        self.leave([0], terms)
        reports = self.crescendo.train([1], "checkpoint", terms, until=3)
        self.leave([1], terms)

        self.assertEqual([report["resource"] for report in reports], [2, 3])
        self.assertEqual(losses(reports), expected[1:])

    def test_a_trial_whose_checkpoint_is_damaged_begins_anew_and_the_file_is_put_aside(self):
        terms = self.terms("damaged", {"dropout": 0.3}, checkpoint_at=1)
        expected = losses(self.crescendo.train([0], "new", terms, until=1))
        self.leave([0], terms)
        path = terms.directory / "checkpoint.pt"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0x55
        path.write_bytes(content)
        reports = self.crescendo.train([1], "checkpoint", terms, until=1)
        self.leave([1], terms)

        self.assertEqual(losses(reports), expected)
        self.assertTrue((terms.directory / "checkpoint.pt.damaged").exists())

    def test_a_trial_that_is_saved_within_an_epoch_continues_there(self):
        terms = self.terms("saved", {"gate-step": 5})
        self.crescendo.join([0], "new", terms)
        wait_for(self.crescendo, terms.directory / "at-gate-0")
        self.crescendo.send(0, type="leave", trial=terms.trial, save=True)
        (terms.directory / "gate").touch()
        self.assertTrue(self.crescendo.expect(0, "left")["saved"])
        reports = self.crescendo.train([1, 2], "checkpoint", terms, until=1)
        self.leave([1, 2], terms)

        self.assertEqual(reports[0]["resource"], 1)
        self.assertEqual(samples_of(terms.directory, 1), Counter(range(256)))

    def test_what_follows_an_epochs_steps_counts_once_though_it_runs_again(self):
        whole = self.terms("whole")
        expected = [report["metrics"]["rate"] for report in self.crescendo.train([0], "new", whole, until=3)]
        self.leave([0], whole)
        terms = self.terms("saved", {"gate-step": -1})
        self.crescendo.join([0, 1], "new", terms)
        wait_for(self.crescendo, *(terms.directory / f"at-gate-{rank}" for rank in range(2)))  # after scheduler.step()
        self.crescendo.join([0], "memory", terms)
        self.crescendo.send(1, type="leave", trial=terms.trial, save=False)
        (terms.directory / "gate").touch()
        self.crescendo.expect(1, "left")
        first = self.crescendo.expect(0, "report")
        self.crescendo.go_on([0], terms)
        second = self.crescendo.expect(0, "report")
        self.leave([0], terms)

        self.assertEqual([report["metrics"]["rate"] for report in (first, second)], expected[:2])

    def test_a_trial_that_is_saved_behind_an_epochs_steps_continues_there(self):
        terms = self.terms("saved", {"gate-step": -1})
        self.crescendo.join([0], "new", terms)
        wait_for(self.crescendo, terms.directory / "at-gate-0")
        self.crescendo.send(0, type="leave", trial=terms.trial, save=True)
        (terms.directory / "gate").touch()
        self.assertTrue(self.crescendo.expect(0, "left")["saved"])
        reports = self.crescendo.train([1], "checkpoint", terms, until=2)
        self.leave([1], terms)

        self.assertEqual([report["resource"] for report in reports], [1, 2])
        self.assertEqual([report["metrics"]["rate"] for report in reports], [0.1, 0.05])

    def test_a_member_that_waits_at_its_report_goes_back_with_a_rank_0_that_holds_less(self):
        terms = self.terms(checkpoint_at=1)
        self.crescendo.train([0], "new", terms, until=1)
        terms.checkpoint_at = 9
        self.crescendo.go_on([0], terms)
        former = self.crescendo.expect(0, "report")
        self.crescendo.join([1, 0], "checkpoint", terms)
        self.assertEqual(self.crescendo.expect(1, "report")["resource"], 1)
        self.crescendo.go_on([1, 0], terms)
        again = self.crescendo.expect(1, "report")
        self.leave([0, 1], terms)

        self.assertEqual(again["resource"], 2)
        self.assertAlmostEqual(losses([again])[0], losses([former])[0], delta=1e-5)

    def test_the_best_trial_is_tested(self):
        terms = self.terms(checkpoint_at=1)
        (report,) = self.crescendo.train([0], "new", terms, until=1)
        self.leave([0], terms)
        order = {"type": "evaluate", "trial": terms.trial, "settings": {}, "resource": 1, "data": "test"}
        self.crescendo.send(1, **order, seed=terms.seed, checkpoint=str(terms.directory / "checkpoint.pt"))
        evaluated = self.crescendo.expect(1, "evaluated")

        self.assertEqual(evaluated["trial"], terms.trial)
        self.assertAlmostEqual(evaluated["metrics"]["test_loss"], losses([report])[0], delta=1e-5)
        self.assertTrue(evaluated["metrics"]["same_split"])

    def test_only_rank_0_reports_and_says_when_the_group_trains(self):
        terms = self.terms(batch_multiple=2)
        self.crescendo.join([2, 3], "new", terms)
        regrouped = self.crescendo.expect(2, "regrouped")
        report = self.crescendo.expect(2, "report")
        self.leave([2, 3], terms)

        self.assertEqual((regrouped["trial"], regrouped["generation"]), (terms.trial, self.crescendo.generation))
        self.assertEqual((report["resource"], list(report["metrics"])), (1, ["val_loss", "rate"]))
        self.assertTrue(0 <= report["data_wait"] <= 1)
        self.assertFalse(self.unread(3, terms, "report", "regrouped"))

    def test_steps_are_timed_so_that_the_sweep_knows_what_more_workers_bring(self):
        pause = 0.01
        terms = self.terms(settings={"pause": pause})  # 16 steps an epoch
        self.crescendo.join([0], "new", terms)
        alone = self.crescendo.expect(0, "report")
        terms.reported, terms.batch_multiple = 1, 4
        self.crescendo.join([0, 1], "memory", terms)
        together = self.crescendo.expect(0, "report")
        self.leave([0, 1], terms)
        begun, grown = self.unread(0, terms, "regrouped")
        (timed,) = self.unread(0, terms, "timed")

        self.assertNotIn("step_seconds", begun)  # reported later
        self.assertEqual((timed["generation"], timed["group_batch"]), (alone["generation"], 16))
        self.assertEqual(timed["samples_per_resource"], 256)  # per epoch
        self.assertEqual((alone["group_batch"], together["group_batch"]), (16, 64))
        for message in (alone, timed, grown, together):
            self.assertGreaterEqual(message["step_seconds"], pause)
        self.assertEqual(set(grown["phases"]), {"group", "state", "data", "step"})
        self.assertAlmostEqual(sum(grown["phases"].values()), grown["seconds"])
        self.assertTrue(all(seconds >= 0 for seconds in grown["phases"].values()))

    def test_the_training_clock_counts_steps_apart_from_evaluations_and_continues_from_the_checkpoint(self):
        pause, evaluation_pause = 0.01, 0.2
        settings = {"pause": pause, "evaluation-pause": evaluation_pause}
        terms = self.terms(settings=settings, checkpoint_at=2)  # 16 steps per epoch; the last pauses after its end
        begin = time.monotonic()
        first, second = self.crescendo.train([0], "new", terms, until=2)
        elapsed = time.monotonic() - begin
        self.leave([0], terms)
        self.crescendo.join([1], "checkpoint", terms)
        repeated = self.crescendo.expect(1, "report")
        self.crescendo.go_on([1], terms)
        third = self.crescendo.expect(1, "report")
        self.leave([1], terms)

        for epochs, report in ((1, first), (2, second), (3, third)):
            self.assertGreaterEqual(report["seconds"], epochs * 15 * pause)
            self.assertGreaterEqual(report["evaluated"], epochs * evaluation_pause)
        self.assertLess(second["seconds"] + second["evaluated"], elapsed)
        for key in ("resource", "metrics", "seconds", "evaluated"):
            self.assertEqual(repeated[key], second[key])

    def test_a_regroup_counts_as_training(self):
        terms = self.terms(settings={"pause": 0.01})
        (first,) = self.crescendo.train([0], "new", terms, until=1)
        terms.reported = 1
        self.crescendo.join([0, 1], "memory", terms)
        second = self.crescendo.expect(0, "report")
        self.leave([0, 1], terms)
        regrouped = self.unread(0, terms, "regrouped")[-1]

        self.assertEqual(regrouped["generation"], second["generation"])
        self.assertGreaterEqual(second["seconds"] - first["seconds"], regrouped["seconds"])

    def test_the_noise_scale_is_that_of_the_samples_gradients(self):
        count = 2048
        terms = self.terms(settings={"samples": count, "lr": 0.0}, batch_multiple=2)  # the weights stay the same
        reports = self.crescendo.train([0, 1], "new", terms, until=8)  # 64 steps each, 4 of which are measured
        self.leave([0, 1], terms)

        torch.manual_seed(terms.seed)
        model = grow.make_model(0.0)
        x, y, _ = grow.make_data(count).tensors
        gradients = []
        for each, target in zip(x, y):
            loss = torch.nn.functional.cross_entropy(model(each), target)
            gradients.append(torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))]))
        mean = torch.stack(gradients).mean(0)
        noise = (torch.stack(gradients) - mean).square().sum() / (count - 1)
        expected = (noise / mean.square().sum()).item()
        self.assertAlmostEqual(reports[-1]["noise_scale"] / expected, 1.0, delta=0.2)

    def test_a_member_that_is_left_behind_is_stranded_and_the_others_continue(self):
        terms = self.terms(settings={"gate-step": 1})
        self.crescendo.join([0, 1], "new", terms)
        wait_for(self.crescendo, terms.directory / "at-gate-1")
        (terms.directory / "gate").touch()
        self.crescendo.join([0, 3], "memory", terms)  # 1 does not know: it stays in the old group
        self.crescendo.expect(0, "report")
        self.crescendo.expect(1, "stranded")
        self.leave([0, 1, 3], terms)

        self.assertIn("generation", (terms.directory / "trainer.log").read_text())
        self.assertEqual(samples_of(terms.directory, 1), Counter(range(256)))

    def test_warnings_of_a_batch_system_mean_nothing_to_a_trainer(self):
        self.crescendo.signal(0, signal.SIGTERM)
        self.crescendo.signal(0, signal.SIGUSR2)

        self.regroup_after_reports([1], [1])


class TimeoutTest(TrainersTest):
    count = 2
    environment = {"CRESCENDO_GROUP_TIMEOUT": str(GROUP_TIMEOUT)}

    def setUp(self):
        super().setUp()
        if self.num_trials == 0:  # the imports of a first trial take some workers longer than others
            for trainer in range(self.count):
                terms = self.terms(f"first-{trainer}")
                self.crescendo.train([trainer], "new", terms, until=1)
                self.leave([trainer], terms)

    def test_a_peer_that_stands_still_does_not_hold_the_others(self):
        terms = self.terms()
        self.crescendo.train([0, 1], "new", terms, until=1)
        self.crescendo.signal(1, signal.SIGSTOP)
        self.addCleanup(self.leave, [0, 1], terms)
        self.addCleanup(self.crescendo.signal, 1, signal.SIGCONT)
        self.crescendo.go_on([0], terms)
        self.crescendo.expect(0, "stranded")
        terms.reported = 1
        self.crescendo.join([0], "memory", terms)

        self.assertEqual(self.crescendo.expect(0, "report")["resource"], 2)

    def test_members_wait_for_what_rank_0_does_alone_for_longer_than_a_sum_may_take(self):
        terms = self.terms(settings={"main-pause": GROUP_TIMEOUT + 1})
        (report,) = self.crescendo.train([0, 1], "new", terms, until=1)
        self.leave([0, 1], terms)

        self.assertEqual(report["resource"], 1)
        self.assertFalse(self.unread(1, terms, "stranded"))


class FaultTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.directory = Path(self.folder.name)

    def test_weights_that_an_evaluation_left_exchanged_are_not_saved_for_the_trained_ones(self):
        def leave_in_evaluation(how, save):
            directory = self.directory / f"{how}-{save}"
            directory.mkdir()
            terms = Terms(directory, {"gate-step": -1, "exchange": how})
            crescendo.join([0], "new", terms)
            wait_for(crescendo, directory / "at-gate-0")
            crescendo.send(0, type="leave", trial=0, save=save)
            (directory / "gate").touch()
            return crescendo.expect(0, "left")["saved"]

        crescendo = FakeCrescendo(1, PROGRAM)
        self.addCleanup(crescendo.close)

        self.assertTrue(leave_in_evaluation("finally", save=True))
        self.assertFalse(leave_in_evaluation("plain", save=False))
        with self.assertRaisesRegex(Unexpected, "fails instead of sending 'left': .*exchanged for.*in a finally:"):
            leave_in_evaluation("plain", save=True)
        self.assertFalse((self.directory / "plain-True/checkpoint.pt").exists())

    def test_a_group_outlives_its_members(self):
        crescendo = FakeCrescendo(3, PROGRAM)
        self.addCleanup(crescendo.close)
        # The loader processes hold copies of a member's connections, so they must die with it.
        terms = Terms(self.directory, {"gate-step": 3, "loaders": 1}, batch_multiple=3)
        crescendo.join([0, 1, 2], "new", terms)
        wait_for(crescendo, *(self.directory / f"at-gate-{rank}" for rank in range(3)))

        # The worker that held the state for the others dies in the middle of a step …
        crescendo.kill(0)
        (self.directory / "gate").touch()
        self.assertEqual(crescendo.expect(1, "stranded")["generation"], 0)
        crescendo.expect(2, "stranded")
        crescendo.join([1, 2], "memory", terms)
        report = crescendo.expect(1, "report")
        self.assertEqual(samples_of(self.directory, 1), Counter(range(256)))

        # … and the next one dies after its report, which may be lost.
        crescendo.kill(1)
        crescendo.join([2], "memory", terms)
        repeated = crescendo.expect(2, "report")
        self.assertEqual((repeated["resource"], repeated["metrics"]), (1, report["metrics"]))
        crescendo.go_on([2], terms)
        self.assertEqual(crescendo.expect(2, "report")["resource"], 2)
        self.assertEqual(samples_of(self.directory, 2), Counter(range(256)))

        # When the channel closes, the sweep is over.
        crescendo.hang_up(2)
        self.assertEqual(crescendo.wait_for_end(2), 0)


if __name__ == "__main__":
    unittest.main()
