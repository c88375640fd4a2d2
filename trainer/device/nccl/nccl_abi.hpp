#pragma once

#include <cstddef>

/// The part of NCCL's C interface that the trainer uses. nccl.h includes all of CUDA's headers; with these declarations
/// the code compiles, and is tested, without them. If nccl.h is installed, a test compares the two.
namespace crescendo::trainer::nccl {

/// ncclResult_t
enum class Result : int {
    success = 0,
    unhandled_cuda_error = 1,
    system_error = 2,
    internal_error = 3,
    invalid_argument = 4,
    invalid_usage = 5,
    remote_error = 6,
    in_progress = 7
};

/// ncclDataType_t
enum class DataType : int { uint8 = 1, int64 = 4, float32 = 7, float64 = 8 };

/// ncclRedOp_t
enum class Reduction : int { sum = 0 };

/// ncclUniqueId: identifies a communicator, so that its members find each other.
struct UniqueId {
    char bytes[128];
};

/// ncclConfig_t as of NCCL 2.14. Newer versions check `version`, and use their defaults for fields that were added
/// later.
struct Config {
    std::size_t size = sizeof(Config);
    unsigned int magic = 0xcafebeef;
    unsigned int version = 21400;
    int blocking = 1;
};

/// ncclComm, an opaque type.
struct Communicator;

/// cudaStream_t
using Stream = void*;

}  // namespace crescendo::trainer::nccl
