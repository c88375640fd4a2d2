#include "trainer/protocol/error_words.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

constexpr std::array<std::string_view, 6> of_memory{
    "out of memory",          // CUDA, also reported by NCCL: Cuda failure 2 'out of memory'
    "OUT_OF_MEMORY",          // the driver's CUDA_ERROR_OUT_OF_MEMORY
    "ALLOC_FAILED",           // CUBLAS_STATUS_…, CUDNN_STATUS_…, CUFFT_…
    "ALLOCATION_FAILED",      // cuDNN 9: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED
    "DefaultCPUAllocator: ",  // LibTorch, for host memory
    "Cannot allocate memory"  // the host, when NCCL allocates memory
};

/// Never caused by a peer.
constexpr std::array<std::string_view, 2> of_usage{"ncclInvalidUsage", "ncclInvalidArgument"};

/// Caused by this worker unless a connection broke.
constexpr std::array<std::string_view, 3> of_this_side{"ncclUnhandledCudaError", "ncclSystemError",
                                                       "ncclInternalError"};

constexpr std::array<std::string_view, 6> of_connections{"onnect",    "peer",        "remote",
                                                         "timed out", "Broken pipe", "o route to host"};

bool has_one_of(std::string_view text, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

}  // namespace

bool says_out_of_memory(std::string_view message) { return has_one_of(message, of_memory); }

bool lacks_batch_statistics(std::string_view message) {
    return message.find("Expected more than 1 value per channel when training") != message.npos;
}

std::string in_words_of_settings(const std::string& message) {
    if (lacks_batch_statistics(message)) {
        return "a worker got a single sample, in the last batch of an epoch or because data.nan: skip left out the "
               "others, but a batch norm without running statistics needs at least two; keep running statistics "
               "(track_running_stats=True), choose a batch_size that leaves more, or use a norm over each sample, such "
               "as GroupNorm or LayerNorm";
    }
    const auto words = message.find(" does not have a deterministic implementation");
    if (words == std::string::npos) {
        return message;
    }
    return text(
        "{} gives different bits each time, which trainer.deterministic does not allow; set it to off, or use a model "
        "or loss without this operation",
        message.substr(0, words));
}

bool blames_this_worker(std::string_view message) {
    if (has_one_of(message, of_usage) || says_out_of_memory(message)) {
        return true;
    }
    if (!has_one_of(message, of_this_side)) {
        return false;
    }
    const auto own_words = message.find("Last error:");
    return own_words == message.npos || !has_one_of(message.substr(own_words), of_connections);
}

}  // namespace crescendo::trainer
