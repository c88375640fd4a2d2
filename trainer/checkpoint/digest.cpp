#include "trainer/checkpoint/digest.hpp"

#include <ATen/ATen.h>

#include "core/crc32.hpp"

namespace crescendo::trainer {
namespace {

class Digest {
  public:
    void add(const c10::IValue& value) {
        if (value.isTensor()) {
            const at::Tensor tensor = value.toTensor().contiguous();
            add(tensor.const_data_ptr(), tensor.nbytes());
        } else if (value.isString()) {
            const auto& words = value.toStringRef();
            add(words.data(), words.size());
        } else if (value.isInt()) {
            const auto number = value.toInt();
            add(&number, sizeof number);
        } else {
            for (const auto& entry : value.toGenericDict()) {
                add(entry.key());
                add(entry.value());
            }
        }
    }

    std::int64_t value() const { return crc_; }

  private:
    void add(const void* bytes, std::size_t size) { crc_ = crc32({static_cast<const char*>(bytes), size}, crc_); }

    std::uint32_t crc_ = 0;
};

}  // namespace

std::int64_t digest_of(const c10::IValue& content) {
    Digest digest;
    digest.add(content);
    return digest.value();
}

}  // namespace crescendo::trainer
