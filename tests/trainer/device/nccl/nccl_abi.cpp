// Compares the trainer's declarations for NCCL with nccl.h at compile time. There is nothing to run.

#include "trainer/device/nccl/nccl_abi.hpp"

#include <nccl.h>

#include <cstddef>

namespace crescendo::trainer::nccl {

namespace {

template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
    return sizeof ours == sizeof theirs && static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(same(Result::success, ncclSuccess) && same(Result::unhandled_cuda_error, ncclUnhandledCudaError) &&
              same(Result::system_error, ncclSystemError) && same(Result::internal_error, ncclInternalError) &&
              same(Result::invalid_argument, ncclInvalidArgument) && same(Result::invalid_usage, ncclInvalidUsage) &&
              same(Result::remote_error, ncclRemoteError) && same(Result::in_progress, ncclInProgress));
static_assert(same(DataType::uint8, ncclUint8) && same(DataType::int64, ncclInt64) &&
              same(DataType::float32, ncclFloat32) && same(DataType::float64, ncclFloat64));
static_assert(same(Reduction::sum, ncclSum));
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(Stream) == sizeof(cudaStream_t));
static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size) &&
              offsetof(Config, magic) == offsetof(ncclConfig_t, magic) &&
              offsetof(Config, version) == offsetof(ncclConfig_t, version) &&
              offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));

}  // namespace

}  // namespace crescendo::trainer::nccl
