#pragma once

#include <string>
#include <string_view>

namespace crescendo::trainer {

/// Whether a message of LibTorch, CUDA (its runtime or its driver), cuDNN, cuBLAS or NCCL says that memory is used up,
/// that of a GPU or of the host. Most of them have no exception of their own for that.
bool says_out_of_memory(std::string_view message);

/// Whether a message of a failed collective says that the cause is this worker, its GPU or how NCCL is used, and not
/// that another member is gone. The result codes are those of nccl.h, by name. A system call that
/// failed is this worker's trouble unless NCCL's own words, behind "Last error:", are about a connection.
bool blames_this_worker(std::string_view message);

/// Whether a message is that of a batch norm that was to learn from a single value for a channel.
bool lacks_batch_statistics(std::string_view message);

/// The message of an error of LibTorch in words of the settings, where it is about them: an operation without a
/// deterministic form, or a batch of one sample for a batch norm. Else the message itself.
std::string in_words_of_settings(const std::string& message);

}  // namespace crescendo::trainer
