"""Finds the cause of torch's errors in their messages, because their types do not give it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

OF_MEMORY = (
    "out of memory",  # from CUDA, and from NCCL: Cuda failure 2 'out of memory'
    "OUT_OF_MEMORY",  # from the driver: CUDA_ERROR_OUT_OF_MEMORY
    "ALLOC_FAILED",  # CUBLAS_STATUS_…, CUDNN_STATUS_…, CUFFT_…
    "ALLOCATION_FAILED",  # cuDNN 9: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED
    "DefaultCPUAllocator: ",  # torch's allocator for host memory
    "Cannot allocate memory",  # from the host, when NCCL allocates
)
OF_USAGE = ("ncclInvalidUsage", "ncclInvalidArgument")  # always this worker's fault
OF_THIS_SIDE = ("ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError")  # unless a connection broke
OF_CONNECTIONS = ("onnect", "peer", "remote", "timed out", "Broken pipe", "o route to host")

OF_NO_DEFAULT_GROUP = (
    "Error initializing torch.distributed using env://",
    "Default process group has not been initialized",
)


@contextmanager
def explained() -> Iterator[None]:
    """Explains errors of scripts for torchrun: torch's message asks for calls that a growing trial must leave out."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        if not any(words in str(error) for words in OF_NO_DEFAULT_GROUP):
            raise
        raise RuntimeError(
            f"{str(error).rstrip('.')}; Crescendo groups the trial's workers itself: leave out init_process_group() "
            "and DistributedDataParallel, and use trial.rank and trial.size"
        ).with_traceback(error.__traceback__) from None


def says_out_of_memory(message: str) -> bool:
    """Whether an error message means that the memory of the GPU or of the machine is used up.

    >>> says_out_of_memory("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")
    True
    """
    return any(words in message for words in OF_MEMORY)


def blames_this_worker(message: str) -> bool:
    """Whether a collective's error is this worker's own fault, not that of a lost peer.

    >>> blames_this_worker("NCCL error: invalid usage, ncclInvalidUsage: Duplicate GPU detected")
    True
    >>> blames_this_worker("ncclSystemError: Last error: socketProgress: Connection closed by remote peer")
    False
    """
    if says_out_of_memory(message) or any(words in message for words in OF_USAGE):
        return True
    if not any(words in message for words in OF_THIS_SIDE):
        return False
    _, marker, own_words = message.partition("Last error:")
    return not marker or not any(words in own_words for words in OF_CONNECTIONS)
