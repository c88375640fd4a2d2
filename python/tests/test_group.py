"""What a group asks of torch, tested without a GPU."""

import os
import unittest
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from unittest import mock

import torch
import torch.distributed as dist

import crescendo.torch
from crescendo.torch import group


class GroupTest(unittest.TestCase):
    def test_a_group_over_nccl_does_not_block_and_nobody_sleeps_after_an_error(self):
        with mock.patch.dict(os.environ, {"TORCH_NCCL_DUMP_ON_TIMEOUT": "1"}):
            options = group._nccl_options(timedelta(seconds=2.5))

            self.assertEqual(options.config.blocking, 0)
            self.assertEqual(options._timeout, timedelta(seconds=2.5))
            self.assertEqual(os.environ["TORCH_NCCL_NONBLOCKING_TIMEOUT"], "3")
            self.assertEqual(os.environ["TORCH_NCCL_BLOCKING_WAIT"], "1")
            self.assertEqual(os.environ["TORCH_NCCL_DUMP_ON_TIMEOUT"], "1")  # the user's own setting wins

    def test_no_group_formed_over_a_gloo_whose_timeout_cannot_change(self):
        class Older:  # of torch before 2.9
            _Options, create_device = dist.ProcessGroupGloo._Options, dist.ProcessGroupGloo.create_device

            def __init__(self, store, rank, size, options):
                self.timeout = options._timeout

        with mock.patch.object(dist, "ProcessGroupGloo", Older):
            backend = group._make_backend(torch.device("cpu"), dist.HashStore(), 0, 1, timedelta(seconds=9))

        self.assertEqual(backend.timeout, timedelta(seconds=9))

    def test_members_that_fork_processes_did_not_notice_each_others_leaving(self):
        store, timeout = dist.HashStore(), timedelta(seconds=1000)

        def meet(rank):
            return group.Group.meet(torch.device("cpu"), store, rank, 2, timeout)

        with ThreadPoolExecutor(2) as threads:
            leaving, staying = threads.map(meet, range(2))
            held, end = os.pipe()
            child = os.fork()
            if child == 0:  # like a process of a DataLoader
                os.close(end)
                os.read(held, 1)
                os._exit(0)
            left = threads.submit(staying.sum, [1.0])
            leaving.close()
            is_noticed = bool(futures.wait([left], timeout=100).done)
            os.close(end)
            os.waitpid(child, 0)
            staying.close()
        os.close(held)

        self.assertTrue(is_noticed)
        self.assertIsInstance(left.exception(), group.PeerLost)

    def test_a_collective_over_gloo_may_take_longer_than_connecting(self):
        timeout = 2 * group.CONNECT_TIMEOUT
        alone = group.Group.meet(torch.device("cpu"), dist.HashStore(), rank=0, size=1, timeout=timeout)

        self.assertEqual(alone._backend.options._timeout, timeout)
        alone.close()

    def test_an_error_of_this_worker_is_not_taken_for_a_lost_peer(self):
        def raised_for(words):
            backend = mock.Mock(allreduce=mock.Mock(side_effect=RuntimeError(words)))
            members = group.Group(torch.device("cpu"), 0, 2, backend)
            with self.assertRaises(Exception) as caught:
                members.start_sum(torch.zeros(1))
            return type(caught.exception)

        self.assertEqual(raised_for("ncclInvalidUsage: Duplicate GPU detected"), RuntimeError)
        no_memory = "ncclUnhandledCudaError\nLast error:\nCuda failure 2 'out of memory'"
        self.assertEqual(raised_for(no_memory), RuntimeError)
        self.assertEqual(raised_for("ncclSystemError\nLast error:\nConnection closed by remote peer"), group.PeerLost)
        self.assertEqual(raised_for("[gloo/transport/tcp/pair.cc:534] Connection closed by peer"), group.PeerLost)

    def test_a_worker_on_a_shared_gpu_takes_its_part_of_the_memory(self):
        def limits_of(device, **environment):
            with mock.patch("torch.cuda.set_per_process_memory_fraction") as limit:
                with mock.patch.dict(os.environ, environment):
                    crescendo.torch._leave_memory_to_others(torch.device(device))
                return [call.args[0] for call in limit.call_args_list]

        self.assertEqual(limits_of("cuda:0", CRESCENDO_GPU_SHARE="4"), [0.25])
        self.assertEqual(limits_of("cuda:0"), [])
        self.assertEqual(limits_of("cpu", CRESCENDO_GPU_SHARE="4"), [])

    def test_members_share_a_gpu_where_nccl_would_say_so(self):
        def share(*gpus):
            store = dist.HashStore()
            properties = mock.Mock(side_effect=gpus)
            with mock.patch("torch.cuda.get_device_properties", properties), ThreadPoolExecutor(2) as threads:
                members = [threads.submit(group._share_a_gpu, store, rank, len(gpus)) for rank in range(len(gpus))]
                return {member.result() for member in members}

        def gpu(bus, uuid):
            return SimpleNamespace(pci_domain_id=0, pci_bus_id=bus, pci_device_id=0, uuid=uuid)

        self.assertEqual(share(gpu(1, "a"), gpu(2, "b")), {False})
        self.assertEqual(share(gpu(1, "slice a"), gpu(1, "slice b")), {True})
        self.assertEqual(share(SimpleNamespace(uuid="a"), SimpleNamespace(uuid="b")), {False})  # an older torch


if __name__ == "__main__":
    unittest.main()
