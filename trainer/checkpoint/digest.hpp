#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>

namespace crescendo::trainer {

/// CRC-32 of a checkpoint's content: dicts, texts, whole numbers, and the bytes of tensors in host memory, in their
/// order. It is needed because readers of PyTorch's files do not verify the checksums in those files.
std::int64_t digest_of(const c10::IValue& content);

}  // namespace crescendo::trainer
