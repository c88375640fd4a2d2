#include "datasets/hdf5/byte_order.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

template <std::size_t size>
void reverse_each(std::span<std::byte> bytes) {
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
        std::reverse(bytes.data() + at, bytes.data() + at + size);
    }
}

}  // namespace

void reverse_elements(std::span<std::byte> elements, std::size_t element_bytes) {
    switch (element_bytes) {
        case 1:
            return;
        case 2:
            return reverse_each<2>(elements);
        case 4:
            return reverse_each<4>(elements);
        case 8:
            return reverse_each<8>(elements);
        default:
            CRESCENDO_EXPECT(!"an element has 1, 2, 4 or 8 bytes");
    }
}

}  // namespace crescendo::datasets
