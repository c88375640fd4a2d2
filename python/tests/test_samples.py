"""How a group shares its samples and adds up gradients, in this process and without a group."""

import unittest
from collections import Counter

import torch

from crescendo.torch import gradients, samples
from crescendo.torch.group import Group
from loaders import loader_of

CPU = torch.device("cpu")


class GradientsTest(unittest.TestCase):
    def test_micro_batches_add_up_to_the_gradient_of_their_mean(self):
        weight = torch.nn.Parameter(torch.zeros(1))
        unused = torch.nn.Parameter(torch.zeros(1))
        average = gradients.GradientAverage([weight, unused], lambda call: call())
        for index, (x, share) in enumerate(((torch.tensor([1.0, 2.0]), 2 / 3), (torch.tensor([6.0]), 1 / 3))):
            weight.grad = None
            average.expect(Group(CPU), index, 2, share)
            (weight * x).mean().backward()

        self.assertAlmostEqual(weight.grad.item(), 3.0, places=6)  # (1 + 2 + 6) / 3
        self.assertIsNone(unused.grad)  # as without a group, so weight decay does not change it

    def test_sparse_gradients_of_several_passes_add_up(self):
        table = torch.nn.Embedding(3, 1, sparse=True)
        average = gradients.GradientAverage([table.weight], lambda call: call())
        for index, (rows, share) in enumerate((([0, 2], 2 / 3), ([2], 1 / 3))):
            average.expect(Group(CPU), index, 2, share)
            table(torch.tensor(rows)).mean().backward()
            if index == 0:
                average.clear_gradients()

        self.assertTrue(torch.allclose(table.weight.grad, torch.tensor([[1.0], [0.0], [2.0]]) / 3))

    def test_what_nobody_learns_from_is_exchanged_only_where_it_gets_gradients(self):
        learned, reached, hidden = (torch.nn.Parameter(torch.ones(1)) for _ in range(3))
        average = gradients.GradientAverage([learned], lambda call: call(), [reached, hidden])
        for _ in range(2):
            average.begin_epoch()
            for index in range(2):
                for each in (learned, reached):
                    each.grad = None
                average.expect(Group(CPU), index, 2, 0.5)
                (learned * reached * (1 + index) + hidden.detach()).sum().backward()

            self.assertEqual((learned.grad.item(), reached.grad.item(), hidden.grad), (1.5, 1.5, None))
            self.assertEqual([bucket.parameters for bucket in average._buckets], [[learned], [reached]])
            self.assertEqual([average.knows(each) for each in (learned, reached)], [True, False])

    def test_buckets_hold_one_type_each_and_cover_all(self):
        parameters = [torch.nn.Parameter(torch.zeros(300_000, dtype=kind)) for kind in (torch.float, torch.double) * 3]
        buckets = gradients._layout(parameters)

        self.assertEqual(sum(len(bucket) for bucket in buckets), 6)
        self.assertTrue(all(len({p.dtype for p in bucket}) == 1 for bucket in buckets))


class SamplesTest(unittest.TestCase):
    def test_any_group_sees_every_sample_once_and_steps_alike(self):
        order = list(range(100))
        for size in (1, 2, 3, 4, 7):
            for position in (0, 37, 99):
                workers = [
                    list(samples.plan(order, position=position, batch=24, rank=rank, size=size, most=4))
                    for rank in range(size)
                ]
                counted = Counter(n for each in workers for part in each if part.weight for n in part.samples)
                ends = [[part.end for part in each if part.index == part.count - 1] for each in workers]

                self.assertEqual(counted, Counter(order[position:]))
                self.assertTrue(all(each == ends[0] for each in ends))
                self.assertLessEqual(max(len(part.samples) for each in workers for part in each), 4)
                for end in ends[0]:
                    weights = sum(part.weight for each in workers for part in each if part.end == end)
                    self.assertAlmostEqual(weights, 1.0)

    def test_nobody_learns_from_one_sample_of_a_short_step_that_has_two(self):
        order = list(range(66))
        for size in (2, 4):
            workers = [samples.plan(order, position=0, batch=32, rank=rank, size=size, most=32) for rank in range(size)]
            last = [list(each)[-1] for each in workers]

            self.assertEqual([len(part.samples) for part in last], [2] * size)
            self.assertEqual([part.weight for part in last], [1.0] + [0.0] * (size - 1))

    def test_each_worker_makes_as_many_passes(self):
        order = list(range(33))  # the shares have 16 and 17 samples
        workers = [list(samples.plan(order, position=0, batch=48, rank=rank, size=2, most=16)) for rank in range(2)]

        self.assertEqual([[len(part.samples) for part in each] for each in workers], [[8, 8], [8, 9]])

    def test_the_order_follows_from_seed_and_epoch(self):
        shuffled = loader_of(50, shuffle=True)
        self.assertEqual(samples.order_of(shuffled, 1, 2), samples.order_of(shuffled, 1, 2))
        self.assertNotEqual(samples.order_of(shuffled, 1, 2), samples.order_of(shuffled, 1, 3))
        self.assertEqual(samples.order_of(loader_of(4), 1, 2), [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
