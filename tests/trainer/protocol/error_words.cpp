#include "trainer/protocol/error_words.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace crescendo::trainer;

namespace {

/// An error message as NcclCommunicator writes it.
std::string of_nccl(const std::string& code, const std::string& last_error) {
    return "NCCL, ncclAllReduce: " + code + "\nLast error:\n" + last_error;
}

const std::string system_error =
    "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.";

}  // namespace

TEST_CASE("out-of-memory messages of all libraries are recognized") {
    for (const char* message :
         {"CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported at some other API call",
          "CUDA driver error: out of memory", "CUDA_ERROR_OUT_OF_MEMORY",
          "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
          "cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
          "[enforce fail at alloc_cpu.cpp:121] err == 0. DefaultCPUAllocator: can't allocate memory"}) {
        CAPTURE(message);
        CHECK(says_out_of_memory(message));
    }
    CHECK(says_out_of_memory(
        of_nccl("ncclUnhandledCudaError: Call to CUDA function failed.", "Cuda failure 2 'out of memory'")));
}

TEST_CASE("an error that is not about memory remains an error") {
    for (const char* message : {"CUDA error: device-side assert triggered", "CUDNN_STATUS_EXECUTION_FAILED",
                                "CUDA error: an illegal memory access was encountered", "Target 3 is out of bounds"}) {
        CAPTURE(message);
        CHECK_FALSE(says_out_of_memory(message));
        CHECK_FALSE(blames_this_worker(message));
    }
}

TEST_CASE("misuse of NCCL or a failure on this worker does not count as a lost peer") {
    for (const std::string& message :
         {of_nccl("ncclInvalidUsage: This usually reflects invalid usage of NCCL library.",
                  "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1000"),
          of_nccl("ncclInvalidArgument: Invalid value for an argument.", ""),
          of_nccl("ncclInternalError: Internal check failed.", "Bootstrap : no socket interface found"),
          of_nccl(system_error,
                  "Error while creating shared memory segment /dev/shm/nccl-x (size 33030528), error: "
                  "No space left on device (28)"),
          of_nccl("ncclUnhandledCudaError: Call to CUDA function failed.", "Cuda failure 2 'out of memory'"),
          of_nccl("ncclUnhandledCudaError: Call to CUDA function failed.", "Cuda failure 719 'unspecified launch'")}) {
        CAPTURE(message);
        CHECK(blames_this_worker(message));
    }
}

TEST_CASE("a lost connection counts as a lost peer") {
    for (const std::string& message :
         {of_nccl("ncclRemoteError: A call failed possibly due to a network error or a remote process exiting "
                  "prematurely.",
                  "socketProgress: Connection closed by remote peer node3<41234>"),
          of_nccl(system_error, "socketPollConnect: connect returned Connection refused, exceeded error retry count"),
          of_nccl(system_error, "Call to recv from 10.0.0.2<35219> failed : Connection reset by peer"),
          of_nccl(system_error, "NET/IB : Got completion from peer 10.0.0.2 with status=12"),
          std::string("NCCL, forming a group of 2: not done after 60 s"),
          std::string("NCCL, ncclAllReduce: abandoned for a new order"),
          std::string("[tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:23881")}) {
        CAPTURE(message);
        CHECK_FALSE(blames_this_worker(message));
    }
}

TEST_CASE("the error of a batch norm for a single sample says which settings to change") {
    const auto words = in_words_of_settings(
        "The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript (most recent call "
        "last): …\nValueError: Expected more than 1 value per channel when training, got input size [1, 64]");
    CHECK(words.find("batch_size") != words.npos);
    CHECK(words.find("data.nan: skip") != words.npos);
    CHECK(words.find("Traceback") == words.npos);
}

TEST_CASE("only LibTorch's messages about determinism are reworded in terms of the setting") {
    CHECK(
        in_words_of_settings("adaptive_avg_pool2d_backward_cuda does not have a deterministic implementation, but you "
                             "set 'torch.use_deterministic_algorithms(True)'. You can turn off determinism …") ==
        "adaptive_avg_pool2d_backward_cuda gives different bits each time, which trainer.deterministic does not allow; "
        "set it to off, or use a model or loss without this operation");
    CHECK(in_words_of_settings("Target 3 is out of bounds") == "Target 3 is out of bounds");
}
