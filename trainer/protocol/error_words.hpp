#pragma once

#include <string>
#include <string_view>

namespace crescendo::trainer {

/// Whether an error message of LibTorch, CUDA (runtime or driver), cuDNN, cuBLAS or NCCL means that a GPU or the host
/// is out of memory. The message is checked because most of them have no exception type for that.
bool says_out_of_memory(std::string_view message);

/// Whether the message of a failed collective blames this worker (its GPU, or its use of NCCL) instead of a lost
/// member. It looks for the names of nccl.h's result codes. A failed system call is this worker's fault unless NCCL's
/// own text, after "Last error:", is about a connection.
bool blames_this_worker(std::string_view message);

/// Whether the message comes from a batch norm in training that got a single value for a channel.
bool lacks_batch_statistics(std::string_view message);

/// Explains an error of LibTorch in terms of the settings if they are the cause: an operation without a deterministic
/// implementation, or a batch of one sample for a batch norm. Otherwise returns the message itself.
std::string in_words_of_settings(const std::string& message);

}  // namespace crescendo::trainer
