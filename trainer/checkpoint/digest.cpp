#include "trainer/checkpoint/digest.hpp"

#include <ATen/ATen.h>

#include "core/crc32.hpp"

namespace crescendo::trainer {
namespace {

/// `before` is the CRC of everything before `value`.
std::uint32_t crc_of(const c10::IValue& value, std::uint32_t before) {
    const auto crc = [&](const void* bytes, std::size_t size) {
        return crc32({static_cast<const char*>(bytes), size}, before);
    };
    if (value.isTensor()) {
        const at::Tensor tensor = value.toTensor().contiguous();
        return crc(tensor.const_data_ptr(), tensor.nbytes());
    }
    if (value.isString()) {
        return crc(value.toStringRef().data(), value.toStringRef().size());
    }
    if (value.isInt()) {
        const auto number = value.toInt();
        return crc(&number, sizeof number);
    }
    for (const auto& entry : value.toGenericDict()) {
        before = crc_of(entry.value(), crc_of(entry.key(), before));
    }
    return before;
}

}  // namespace

std::int64_t digest_of(const c10::IValue& content) { return crc_of(content, /*before=*/0); }

}  // namespace crescendo::trainer
