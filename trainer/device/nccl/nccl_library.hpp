#pragma once

#include <string>

#include "trainer/device/nccl/nccl_abi.hpp"

namespace crescendo::trainer {

/// The functions of NCCL, named without the prefix "nccl". They are looked up at run time, so that no program is linked
/// to NCCL and tests can use another library with the same functions.
class NcclLibrary {
  public:
    /// Loads the library that dlopen() finds, or uses the one that LibTorch has loaded. It stays loaded. Throws
    /// std::runtime_error if the library or one of its functions is missing.
    explicit NcclLibrary(const std::string& file = "libnccl.so.2");

    nccl::Result (*get_unique_id)(nccl::UniqueId* id);
    nccl::Result (*comm_init_rank_config)(nccl::Communicator** made, int size, nccl::UniqueId id, int rank,
                                          nccl::Config* config);
    nccl::Result (*comm_get_async_error)(nccl::Communicator* communicator, nccl::Result* state);
    nccl::Result (*comm_abort)(nccl::Communicator* communicator);
    nccl::Result (*all_reduce)(const void* from, void* to, std::size_t count, nccl::DataType type,
                               nccl::Reduction reduction, nccl::Communicator* communicator, nccl::Stream stream);
    nccl::Result (*broadcast)(const void* from, void* to, std::size_t count, nccl::DataType type, int root,
                              nccl::Communicator* communicator, nccl::Stream stream);

    /// NCCL's own description of the last error, in the form that blames_this_worker() reads.
    std::string describe(nccl::Result result) const;

  private:
    const char* (*get_error_string_)(nccl::Result result);
    const char* (*get_last_error_)(nccl::Communicator* communicator);
};

}  // namespace crescendo::trainer
