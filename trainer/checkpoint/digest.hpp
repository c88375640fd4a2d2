#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>

namespace crescendo::trainer {

/// CRC-32 of what a checkpoint holds: dicts, texts, whole numbers, and the bytes of tensors in the host's
/// memory, in their order. Readers of PyTorch's files do not look at the sums that those have.
std::int64_t digest_of(const c10::IValue& content);

}  // namespace crescendo::trainer
