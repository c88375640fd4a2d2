#pragma once

#include <cstddef>
#include <span>

namespace crescendo::datasets {

/// Reverses the bytes of each element, of 1, 2, 4 or 8 bytes: from one byte order to the other.
void reverse_elements(std::span<std::byte> elements, std::size_t element_bytes);

}  // namespace crescendo::datasets
