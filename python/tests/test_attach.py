"""What a trial accepts in attach(), and what it refuses there or during training."""

import unittest
import warnings
from unittest import mock

import numpy
import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, SubsetRandomSampler, TensorDataset
from torch.utils.data import WeightedRandomSampler

from crescendo.torch import alone
from loaders import loader_of
from trial_alone import Alone, Stateless, captured


class AttachTest(Alone):
    def test_a_second_optimizer_is_refused(self):
        other = torch.nn.Linear(1, 1)
        with self.assertRaisesRegex(TypeError, "critic_optimizer is a second optimizer.*; give one optimizer all"):
            self.attach(critic=other, critic_optimizer=torch.optim.SGD(other.parameters()))

    def test_a_scaler_of_gradients_is_refused(self):
        class GradScaler(Stateless):  # some versions of torch have one for each kind of device
            def __init__(self, enabled=True):
                self.is_enabled = lambda: enabled

        class Sharded(GradScaler):
            pass

        for scaler in (GradScaler(), Sharded()):
            with self.assertRaisesRegex(TypeError, "scaler is a GradScaler, which skips steps .*; use bfloat16"):
                self.attach(scaler=scaler)
        self.attach(scaler=GradScaler(enabled=False))

    def test_a_scaler_of_gradients_that_is_not_attached_is_no_way_around(self):
        other = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=0.1)
        self.attach()
        next(self.trial.epochs())
        (x,) = next(iter(self.trial.batches(loader_of())))
        scaler = torch.amp.GradScaler("cpu")
        scaler.scale(self.model(x).sum()).backward()

        with self.assertRaisesRegex(TypeError, "object that steps the optimizer is a GradScaler, .*; use bfloat16"):
            scaler.step(self.optimizer)
        scaler.scale(other.param_groups[0]["params"][0].sum()).backward()
        scaler.step(other)
        torch.amp.GradScaler("cpu", enabled=False).step(self.optimizer)

    def test_a_second_optimizer_that_is_not_attached_is_refused_once_it_learns_from_two_batches(self):
        critic = torch.nn.Linear(1, 1)
        optimizer = torch.optim.Adam(critic.parameters())
        self.attach()
        next(self.trial.epochs())
        optimizer.step()  # before the loop, for example for the same start on each worker
        with self.assertRaisesRegex(RuntimeError, "that is not attached, Adam, also steps in the loop;.*one optimizer"):
            for (x,) in self.trial.batches(loader_of(12)):
                critic(x).sum().backward()
                optimizer.step()
                self.step(x)

        self.assertEqual(self.trial._progress.step, 1)
        self.begin()  # the loop has ended; steps before the loop of another trial do not belong to it
        optimizer.step()

    def test_optimizers_that_learn_nothing_of_their_own_are_taken(self):
        class Wrapper(torch.optim.Optimizer):
            """Holds another optimizer and steps it."""

            def __init__(self, held):
                super().__init__(held.param_groups, {})
                self.held = held

            def step(self, closure=None):
                self.held.step()

        for attached, stepped in (("held", "wrapper"), ("wrapper", "wrapper")):
            with self.subTest(attached):
                self.setUp()
                optimizers = {"held": self.optimizer, "wrapper": Wrapper(self.optimizer)}
                self.trial.attach(model=self.model, optimizer=optimizers[attached])
                for (x,) in self.trial.batches(loader_of(12)):
                    disturbance = torch.zeros_like(x, requires_grad=True)
                    search = torch.optim.SGD([disturbance], lr=0.1)
                    for _ in range(2):
                        (x + disturbance).sum().backward()
                        search.step()
                    self.backward(x + disturbance.detach())
                    optimizers[stepped].step()

                self.assertEqual(self.trial._progress.step, 3)

    def test_a_state_that_no_other_worker_could_read_is_refused(self):
        class Best(Stateless):
            def state_dict(self):
                return {"seen": [1, numpy.zeros(2)]}

        with self.assertRaisesRegex(TypeError, r"best\['seen'\]\[1\] is a numpy.ndarray, which .* not read.*; make"):
            self.attach(best=Best())

    def test_what_could_not_go_to_other_workers_is_refused_at_once(self):
        self.model.register_buffer("apart", torch.zeros(1).expand(3), persistent=False)
        self.model.register_buffer("one", torch.zeros(3).expand(1, 3))
        self.attach()
        for name, buffer, message in (
            ("adjacency", torch.eye(3).to_sparse(), r"^model\['adjacency'\] is a tensor with the layout sparse_coo"),
            ("mask", torch.zeros(1).expand(3), r"^the buffer model.mask is expanded.*contiguous\(\)"),
        ):
            self.setUp()
            self.model.register_buffer(name, buffer)
            with self.subTest(name), self.assertRaisesRegex(TypeError, message):
                self.attach()
        self.setUp()
        self.model = torch.nn.Embedding(3, 1, sparse=True)
        self.optimizer = torch.optim.SparseAdam(self.model.parameters())
        with self.assertRaisesRegex(TypeError, "SparseAdam takes only sparse gradients.*use torch.optim.Adam"):
            self.attach()

    def test_a_lazy_module_is_to_see_a_batch_first(self):
        self.model = torch.nn.Sequential(torch.nn.LazyLinear(2), torch.nn.LazyBatchNorm1d())
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        with self.assertRaisesRegex(RuntimeError, r"^model.0.weight has no shape yet.*one batch through the model"):
            self.attach()
        self.model(torch.zeros(2, 1))
        self.attach()

    def test_a_batch_norm_over_all_workers_is_refused(self):
        layers = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
        for more, place in (({"head": layers}, "head.1"), ({"head": layers[1]}, "head")):
            converted = {name: torch.nn.SyncBatchNorm.convert_sync_batchnorm(part) for name, part in more.items()}
            with self.subTest(place), self.assertRaisesRegex(TypeError, f"^{place} is a SyncBatchNorm, .*GroupNorm"):
                self.attach(**converted)
        self.attach(head=torch.nn.BatchNorm1d(1))

    def test_a_model_that_averages_its_gradients_itself_is_refused(self):
        store = torch.distributed.HashStore()
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
        try:
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)
            with self.assertRaisesRegex(TypeError, "^model is a DistributedDataParallel, .*leave out the wrapper"):
                self.attach()
        finally:
            torch.distributed.destroy_process_group()

    def test_a_checkpoint_within_backward_is_told_from_a_second_one(self):
        self.attach()
        for reentrant in (False, True):
            (x,) = next(iter(self.trial.batches(loader_of())))
            self.trial._read_epoch = None
            hidden = torch.utils.checkpoint.checkpoint(self.model, x.requires_grad_(), use_reentrant=reentrant)
            output = torch.utils.checkpoint.checkpoint(self.model, hidden, use_reentrant=reentrant)
            if reentrant:
                with self.assertRaisesRegex(RuntimeError, "torch.utils.checkpoint needs use_reentrant=False"):
                    output.sum().backward()
            else:
                output.sum().backward()

    def test_each_batch_of_a_share_is_a_sign_of_life(self):
        self.attach()
        with mock.patch.object(alone.Alone, "note_move") as note_move:
            list(self.trial.share(loader_of(8)))

        self.assertEqual(note_move.call_count, 2)

    def test_a_parameter_that_nothing_attached_holds_is_refused(self):
        class Scale:
            def __init__(self):
                self.log = torch.nn.Parameter(torch.zeros(3))

            def state_dict(self):
                return {"log": self.log.detach()}

            def load_state_dict(self, state):
                self.log.data.copy_(state["log"])

        scale = Scale()
        self.optimizer.add_param_group({"params": [scale.log]})
        with self.assertRaisesRegex(RuntimeError, r"a parameter of shape \[3\] that belongs to no attached object"):
            self.attach()
        self.attach(scale=scale)

    def train(self, number, rates=(0.1,), begin=lambda model: None):
        """Trains the model in trial `number`, with one learning rate per part."""
        self.begin(number)
        begin(self.model)
        parts = zip(self.model, rates)
        self.optimizer = torch.optim.SGD([{"params": part.parameters(), "lr": rate} for part, rate in parts])
        self.attach()
        self.train_on(loader_of())

    def test_weights_of_one_trial_are_refused_in_the_next(self):
        self.model = torch.nn.Sequential(torch.nn.Linear(1, 1))
        self.train(3)
        self.train(3)  # the trial continues
        for value in (0.1, torch.nan):
            self.model[0].weight.data.fill_(value)
            with self.assertRaisesRegex(RuntimeError, r"trial 3 already trained .*shape \[1, 1\].*deepcopy"):
                self.train(4)

    def test_a_model_that_each_trial_begins_anew_is_its_own(self):
        self.model = torch.nn.Sequential(torch.nn.Linear(1, 1))
        state = {name: values.clone() for name, values in self.model.state_dict().items()}
        for number, begin in enumerate(
            (
                lambda model: model.load_state_dict(state),
                lambda model: model.load_state_dict(state),
                lambda model: model[0].reset_parameters(),
                lambda model: [parameter.data.normal_() for parameter in model.parameters()],
            )
        ):
            self.train(number, begin=begin)

    def test_a_frozen_part_serves_all_trials(self):
        frozen = torch.nn.Linear(1, 1)
        for number in range(3):
            self.model = torch.nn.Sequential(frozen, torch.nn.Linear(1, 1))
            self.train(number, rates=(0.0, 0.1))
            if number > 0:  # before, its learning rate of 0 kept it as it was
                frozen.requires_grad_(False)

    def test_a_model_that_was_left_in_a_step_goes_on_in_the_next_call_of_train(self):
        self.attach()
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        for _ in range(2):
            self.begin()
            self.attach(scheduler=scheduler)
            (x,) = next(iter(self.trial.batches(loader_of())))
            self.backward(x)
        self.optimizer.step()

        self.assertEqual(self.trial._progress.step, 1)

    def test_an_optimizer_with_the_momentum_of_another_trial_is_refused(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.attach()
        self.train_on(loader_of())
        self.begin(number=1)
        self.model.reset_parameters()
        with self.assertRaisesRegex(RuntimeError, "still has the state of trial 0; create it"):
            self.attach()

    def test_a_parameter_that_is_thawed_after_attach_is_refused(self):
        self.model.weight.requires_grad_(False)
        self.attach()
        self.model.weight.requires_grad_(True)
        (x,) = next(iter(self.trial.batches(loader_of())))
        self.backward(x)

        with self.assertRaisesRegex(RuntimeError, r"of shape \[1, 1\] has a gradient, but it was frozen"):
            self.optimizer.step()

    def test_a_scheduler_that_steps_after_the_report_is_refused(self):
        scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        self.attach(scheduler=scheduler)
        with captured(), self.assertRaisesRegex(RuntimeError, "last line of the loop"):
            for _ in self.trial.epochs():
                for (x,) in self.trial.batches(loader_of()):
                    self.backward(x)
                    self.optimizer.step()
                self.trial.report(loss=1)
                scheduler.step()

    def test_another_schedule_that_moves_after_the_report_is_refused(self):
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer)
        self.attach(plateau=scheduler)
        with captured():
            with self.assertRaisesRegex(RuntimeError, r"^plateau.step\(\) came after trial.report\(\)"):
                for _ in self.trial.epochs():
                    self.train_on(loader_of())
                    self.trial.report(loss=1)
                    scheduler.step(1)

    def test_a_learning_rate_that_others_change_after_the_report_is_refused(self):
        """As timm's schedulers do. A worker that entered later failed, but a single worker continued training."""
        self.attach()
        with captured(), self.assertRaisesRegex(RuntimeError, "a change of the learning rate came after trial.report"):
            for epoch in self.trial.epochs():
                self.optimizer.param_groups[0]["lr"] = 0.1 / epoch  # allowed before the report
                self.train_on(loader_of())
                self.trial.report(loss=1)
                if epoch == 2:
                    self.optimizer.param_groups[0]["lr"] = 0.01

    def test_a_scheduler_that_is_not_attached_is_refused(self):
        for is_early in (True, False):
            with self.subTest(is_early=is_early):
                self.setUp()
                if is_early:
                    torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
                self.attach()
                if not is_early:
                    torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
                with self.assertRaisesRegex(RuntimeError, "a scheduler that is not attached.*create it before"):
                    self.trial.batches(loader_of())

    def test_a_schedule_by_the_metric_and_an_average_of_weights_that_are_not_attached_are_refused(self):
        plateau_of, average_of = torch.optim.lr_scheduler.ReduceLROnPlateau, torch.optim.swa_utils.AveragedModel
        for more, message in (
            ([], "the optimizer has a scheduler that is not attached.*attach it: .*scheduler=…"),
            (["plateau"], "the model has an AveragedModel that is not attached.*attach it: .*average=…"),
        ):
            self.setUp()
            objects = {"plateau": plateau_of(self.optimizer), "average": average_of(self.model)}
            attached = {name: objects[name] for name in more}
            self.attach(**attached)
            with self.subTest(message), self.assertRaisesRegex(RuntimeError, message):
                objects["plateau"].step(1)
                objects["average"].update_parameters(self.model)

    def test_a_schedule_by_the_metric_and_averages_of_weights_may_be_held_by_what_is_attached(self):
        class Holder:
            def __init__(self, *held):
                self.held = held

            def state_dict(self):
                return {str(place): each.state_dict() for place, each in enumerate(self.held)}

            load_state_dict = None

        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer)
        average = torch.optim.swa_utils.AveragedModel(self.model)
        self.attach(holder=Holder(plateau, average))
        other = torch.nn.Linear(1, 1)  # nothing of it is attached, so the program is responsible for it
        torch.optim.swa_utils.AveragedModel(other).update_parameters(other)
        torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(other.parameters(), lr=0.1)).step(1)
        for _ in range(2):
            plateau.step(metrics=1)
            average.update_parameters(model=self.model)

        self.assertEqual(average.n_averaged.item(), 2)

    def test_a_scheduler_is_attached_under_any_name_and_within_others(self):
        schedulers = torch.optim.lr_scheduler

        class Wrapper:
            def __init__(self, scheduler):
                self.scheduler = scheduler

            def state_dict(self):
                return self.scheduler.state_dict()

            def load_state_dict(self, state):
                self.scheduler.load_state_dict(state)

        def halves(optimizer):
            return [schedulers.ConstantLR(optimizer, 0.5), schedulers.ExponentialLR(optimizer, 0.5)]

        for make in (
            lambda optimizer: schedulers.LambdaLR(optimizer, lambda epoch: 1.0),
            lambda optimizer: schedulers.SequentialLR(optimizer, halves(optimizer), [2]),
            lambda optimizer: schedulers.ChainedScheduler(halves(optimizer)),
            lambda optimizer: Wrapper(halves(optimizer)[0]),
            lambda optimizer: Wrapper(schedulers.SequentialLR(optimizer, halves(optimizer), [2])),
            lambda optimizer: torch.optim.swa_utils.SWALR(optimizer, 0.05),
        ):
            self.setUp()
            self.attach(schedule=make(self.optimizer))
            self.assertEqual(len(self.trial.batches(loader_of())), 2)

    def test_schedulers_of_before_and_after_work_without_a_warning(self):
        early = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        self.attach(scheduler=early)
        late = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        next(self.trial.epochs())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for (x,) in self.trial.batches(loader_of()):
                self.backward(x)
                self.optimizer.step()
            early.step()
            late.step()

        self.assertEqual(self.optimizer.param_groups[0]["lr"], 0.025)

    def test_loaders_that_cannot_be_shared_are_refused(self):
        class Endless(IterableDataset):
            def __iter__(self):
                return iter([1])

        class Doubled(DataLoader):
            def __iter__(self):
                return ([2 * x] for (x,) in super().__iter__())

        class Buffered(DataLoader):
            def _get_iterator(self):
                return iter(list(super()._get_iterator()))

        class Named(DataLoader):
            name = "training"

        self.attach()
        data = TensorDataset(torch.zeros(4))
        self.assertEqual(len(self.trial.share(Named(data))), 4)
        stateful = type("StatefulDataLoader", (Buffered,), {"__module__": "torchdata.stateful_dataloader"})
        self.assertEqual(len(self.trial.share(stateful(data))), 4)
        for loader, message in (
            (Doubled(data), "Doubled is a DataLoader with its own __iter__.*collate_fn"),
            (Buffered(data), "Buffered is a DataLoader with its own __iter__"),
            ([1, 2], "is a list, but .* need a torch.utils.data.DataLoader"),
            (DataLoader(Endless()), "IterableDataset"),
            (DataLoader(data, batch_size=None), "no batch_size"),
            (DataLoader(data, sampler=WeightedRandomSampler([1.0] * 4, 4)), "draw the indices at the.*multinomial"),
            (DataLoader(data, sampler=SubsetRandomSampler([0, 1])), "SubsetRandomSampler.*Subset.dataset, indices"),
            (DataLoader(data, sampler=RandomSampler(data, num_samples=2)), "sampler RandomSampler"),
            (DataLoader(data, sampler=RandomSampler(data, replacement=True)), "sampler RandomSampler"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                self.trial.batches(loader)
        with self.assertRaisesRegex(ValueError, "data set .* is empty"):
            self.trial.batches(DataLoader(TensorDataset(torch.zeros(0))))

    def test_what_has_no_state_is_not_attached(self):
        with self.assertRaisesRegex(TypeError, "best is a int, without state_dict"):
            self.attach(best=3)
        with self.assertRaisesRegex(ValueError, "lr_scaling is 'cubic'"):
            self.attach(lr_scaling="cubic")


if __name__ == "__main__":
    unittest.main()
