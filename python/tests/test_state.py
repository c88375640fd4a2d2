"""The state that a growing program keeps and passes on, in this process and without a group."""

import errno
import json
import os
import resource
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path
from unittest import mock

import numpy
import torch
import torch._lazy.ts_backend

from crescendo.torch import checkpoint, state
from crescendo.torch.group import Group

CPU = torch.device("cpu")


class Wire(Group):
    """Rank 0 of two records what it sends, and rank 1 reads it."""

    def __init__(self, rank, sent):
        super().__init__(CPU, rank, 2)
        self.sent = sent

    def broadcast(self, values):
        if self.rank == 0:
            self.sent.append(values.clone())
        else:
            values.copy_(self.sent.pop(0))


class Shadow:
    """A typical hand-written average of weights: its tensors have a gradient history."""

    def __init__(self):
        self.sum = torch.zeros(1, 1)

    def update(self, model):
        self.sum = self.sum + model.weight

    def state_dict(self):
        return {"sum": self.sum}

    def load_state_dict(self, state):
        self.sum = state["sum"]


class Versioned(torch.nn.Linear):
    """A module whose weights were half as large in the first version of its format."""

    _version = 2

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *more):
        if local_metadata.get("version", 1) < 2:
            state_dict[f"{prefix}weight"] = 2 * state_dict[f"{prefix}weight"]
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *more)


class StateTest(unittest.TestCase):
    def replica(self, seed):
        torch.manual_seed(seed)
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1 * seed)
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4])
        for _ in range(seed):
            model(torch.randn(4, 3)).sum().backward()
            optimizer.step()
            scheduler.step()
        replica = state.Replica(0, {"model": model, "optimizer": optimizer, "scheduler": scheduler})
        replica.progress.step = seed
        return replica

    def assert_same(self, one, other):
        captured = [json.dumps(each.capture(), default=lambda value: value.tolist()) for each in (one, other)]
        self.assertEqual(captured[0], captured[1])

    def test_a_newcomer_gets_the_whole_state(self):
        for chunk_bytes, is_cut in ((state.CHUNK_BYTES, False), (100, True)):
            source, newcomer, sent = self.replica(seed=3), self.replica(seed=1), []
            with mock.patch.object(state, "CHUNK_BYTES", chunk_bytes):
                state.share(source, Wire(0, sent))
                self.assertEqual(len(sent) > 3, is_cut)  # two messages are the skeleton and its length
                state.share(newcomer, Wire(1, sent))

            self.assertEqual(sent, [])
            self.assert_same(source, newcomer)

    def test_a_module_does_not_take_a_present_state_for_one_of_an_earlier_version(self):
        class Counted(Versioned):
            def get_extra_state(self):
                return {"count": numpy.float64(3)}  # which a Python number replaces

            def set_extra_state(self, state):
                pass

        for kind in (Versioned, Counted):
            source, newcomer, resumed = (state.Replica(0, {"model": kind(2, 2)}) for _ in range(3))
            sent = []
            state.share(source, Wire(0, sent))
            state.share(newcomer, Wire(1, sent))
            with tempfile.TemporaryDirectory() as folder:
                checkpoint.save_checkpoint(source, Path(folder, "checkpoint.pt"))
                resumed.restore(checkpoint.read_checkpoint(Path(folder, "checkpoint.pt"), CPU))

            for each in (newcomer, resumed):
                self.assert_same(source, each)

    def test_a_checkpoint_holds_the_whole_state(self):
        source, resumed = self.replica(seed=3), self.replica(seed=1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            checkpoint.save_checkpoint(source, path)
            resumed.restore(checkpoint.read_checkpoint(path, CPU))
            self.assertEqual([each.name for each in Path(folder).iterdir()], ["checkpoint.pt"])
        self.assert_same(source, resumed)

    def test_numbers_of_numpy_in_a_schedule_reach_newcomers_and_checkpoints(self):
        def replica(seed):
            made = self.replica(seed)
            optimizer = made.objects["optimizer"]
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: numpy.cos(0.1 * epoch))
            made.objects["scheduler"] = scheduler
            scheduler.step()
            return made

        source, newcomer, resumed, sent = replica(seed=3), replica(seed=1), replica(seed=2), []
        state.share(source, Wire(0, sent))
        state.share(newcomer, Wire(1, sent))
        with tempfile.TemporaryDirectory() as folder:
            checkpoint.save_checkpoint(source, Path(folder, "checkpoint.pt"))
            resumed.restore(checkpoint.read_checkpoint(Path(folder, "checkpoint.pt"), CPU))

        self.assertIsInstance(source.objects["optimizer"].param_groups[0]["lr"], numpy.float64)
        self.assert_same(source, newcomer)
        self.assert_same(source, resumed)

    def test_a_state_that_became_unreadable_is_refused_where_it_is_saved(self):
        source = self.replica(seed=1)
        source.objects["scheduler"].best = {3: numpy.ones(1)}
        message = r"scheduler\['best'\]\[3\] is a numpy.ndarray"
        with self.assertRaisesRegex(TypeError, message):
            state.share(source, Wire(0, []))
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(TypeError, message):
                checkpoint.save_checkpoint(source, Path(folder, "checkpoint.pt"))
            self.assertEqual(os.listdir(folder), [])

    def test_a_checkpoint_of_which_any_part_is_lost_or_changed_is_damaged_and_never_another_state(self):
        source = self.replica(seed=1)
        num_read, num_places = 0, 97
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            checkpoint.save_checkpoint(source, path)
            intact = path.read_bytes()
            for content in (b"", intact[: len(intact) // 2], intact[:-1]):
                path.write_bytes(content)
                with self.assertRaisesRegex(checkpoint.DamagedCheckpoint, "checkpoint.pt is damaged: "):
                    checkpoint.read_checkpoint(path, CPU)
            for place in range(num_places):
                changed = bytearray(intact)
                changed[len(changed) * place // num_places] ^= 0x55
                path.write_bytes(changed)
                try:
                    resumed = self.replica(seed=2)
                    resumed.restore(checkpoint.read_checkpoint(path, CPU))
                    self.assert_same(source, resumed)  # bytes between the records are ignored
                    num_read += 1
                except checkpoint.DamagedCheckpoint:
                    pass
        self.assertLess(num_read, num_places)

    def test_a_checkpoint_that_cannot_be_read_is_not_taken_for_a_damaged_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            path.symlink_to("/proc/self/mem")  # it can be opened, but reading its beginning fails
            with self.assertRaises(OSError) as unreadable:
                checkpoint.read_checkpoint(path, CPU)
            with self.assertRaises(FileNotFoundError):
                checkpoint.read_checkpoint(Path(folder, "gone.pt"), CPU)

        self.assertEqual(unreadable.exception.errno, errno.EIO)

    def test_a_reader_that_hides_an_error_of_the_disk_does_not_make_damage_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            checkpoint.save_checkpoint(self.replica(seed=1), path)
            for damage in (False, True):
                if damage:
                    path.write_bytes(path.read_bytes()[:-1])
                hidden = RuntimeError("PytorchStreamReader failed reading zip archive")
                stale = OSError(errno.ESTALE, "Stale file handle")
                with mock.patch("torch.load", side_effect=hidden), self.assertRaisesRegex(OSError, "Stale"):
                    with mock.patch.object(checkpoint, "_read_through", side_effect=stale):
                        checkpoint.read_checkpoint(path, CPU)

    def test_what_a_checkpoint_has_of_the_cpu_stays_there(self):
        source = self.replica(seed=1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            checkpoint.save_checkpoint(source, path)
            read = checkpoint.read_checkpoint(path, torch.device("meta"))  # stands for a GPU

        self.assertEqual(read["optimizer"]["state"][0]["step"].device, CPU)

    def test_weights_that_an_optimizer_moved_behind_the_steps_are_not_taken_for_those_it_steps_from(self):
        class ScheduleFree(torch.optim.SGD):
            def __init__(self, parameters):
                super().__init__(parameters, lr=0.1)
                self.param_groups[0]["train_mode"] = True

            @torch.no_grad()
            def eval(self):
                self.param_groups[0]["train_mode"] = False
                self.param_groups[0]["params"][0].add_(1.0)

        model = torch.nn.Linear(1, 1)
        optimizer = ScheduleFree(model.parameters())
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        replica = state.Replica(0, {"model": model, "optimizer": optimizer, "scheduler": scheduler})
        model(torch.ones(1, 1)).sum().backward()
        optimizer.step()
        replica.note()
        replica.note_weights()
        scheduler.step()
        optimizer.eval()
        moved = model.weight.item()
        replica.return_to_noted()
        replica.capture()

        (group,) = optimizer.param_groups
        self.assertEqual((model.weight.item(), group["train_mode"]), (moved, False))
        self.assertEqual((scheduler.last_epoch, group["lr"]), (0, 0.1))

    def test_weights_that_were_exchanged_and_not_put_back_are_no_state(self):
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.add_param_group({"params": [torch.nn.Parameter(torch.zeros(1, dtype=int), requires_grad=False)]})
        replica = state.Replica(0, {"model": model, "optimizer": optimizer})
        kept = model.weight.detach().clone()
        for is_put_back in (True, False):
            replica.note()
            replica.note_weights()
            model.weight.data = kept + 1e-5
            if is_put_back:
                model.weight.data = kept.clone()
            replica.return_to_noted()
            if is_put_back:
                saved = replica.capture()

        with self.assertRaisesRegex(RuntimeError, "exchanged for an evaluation.*finally"):
            replica.capture()
        replica.restore(saved)
        replica.capture()

    def test_an_average_of_weights_that_moves_once_an_epoch_does_so_once_though_its_code_runs_again(self):
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        swa = torch.optim.swa_utils.AveragedModel(model)
        shadow = Shadow()
        replica = state.Replica(0, {"model": model, "optimizer": optimizer, "swa": swa, "shadow": shadow})
        replica.note()
        for again in (True, False):
            swa.update_parameters(model)
            shadow.update(model)
            if again:
                replica.return_to_noted()

        self.assertEqual(swa.n_averaged.item(), 1)
        self.assertTrue(torch.equal(shadow.sum, model.weight))

    def test_a_state_of_a_gpu_came_back_on_the_cpu_to_an_average_that_keeps_the_tensors_it_gets(self):
        torch._lazy.ts_backend.init()
        gpu = torch.device("lazy")  # stands for a GPU
        model, shadow = torch.nn.Linear(1, 1), Shadow()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        replica = state.Replica(0, {"model": model, "optimizer": optimizer, "shadow": shadow})
        shadow.sum = torch.ones(1, 1, device=gpu)
        replica.note()
        shadow.sum = shadow.sum + 1
        replica.return_to_noted()

        self.assertEqual((shadow.sum.device.type, shadow.sum.item()), ("lazy", 1.0))
        placed, _ = state._with_tensors(state._take_out({"gpu": shadow.sum, "cpu": torch.zeros(())}, []), gpu)
        self.assertEqual({name: each.device.type for name, each in placed.items()}, {"gpu": "lazy", "cpu": "cpu"})

    def test_a_checkpoint_that_cannot_be_written_leaves_the_former_one(self):
        source = self.replica(seed=1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "checkpoint.pt")
            path.write_text("the former")
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
            try:
                with self.assertRaisesRegex(checkpoint.SaveError, "cannot write .*checkpoint.pt: File too large") as caught:
                    checkpoint.save_checkpoint(source, path)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            self.assertTrue(caught.exception.is_full)
            self.assertEqual([(each.name, each.read_text()) for each in Path(folder).iterdir()],
                             [("checkpoint.pt", "the former")])

    def test_a_writer_that_stood_still_does_not_write_into_the_checkpoint_of_its_successor(self):
        for standing in ("checkpoint.pt.tmp", "checkpoint.pt.tmp.node-1.17"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "checkpoint.pt")
                with open(Path(folder, standing), "wb") as file:
                    checkpoint.save_checkpoint(self.replica(seed=1), path)
                    saved = path.read_bytes()
                    file.write(b"of the former rank 0")

                self.assertEqual(path.read_bytes(), saved)
                self.assertEqual([each.name for each in Path(folder).iterdir()], ["checkpoint.pt"])

    def test_a_trial_of_an_earlier_version_goes_on_without_a_clock(self):
        progress = self.replica(seed=1).progress
        former = {name: value for name, value in asdict(progress).items() if name != "clock"}
        resumed = state.Progress.parse(json.dumps(former))
        resumed.count(seconds=1)

        self.assertIsNone(resumed.clock)

    def test_a_trial_that_attaches_something_else_than_before_is_refused(self):
        source = self.replica(seed=1)
        more = state.Replica(0, {**source.objects, "ema": source.objects["model"]})
        with self.assertRaisesRegex(RuntimeError, "no ema: an earlier start .* attached model, optimizer, scheduler"):
            more.restore(source.capture())


if __name__ == "__main__":
    unittest.main()
