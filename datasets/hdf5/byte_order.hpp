#pragma once

#include <cstddef>
#include <span>

namespace crescendo::datasets {

/// Reverses the byte order of each element. Elements have 1, 2, 4 or 8 bytes.
void reverse_elements(std::span<std::byte> elements, std::size_t element_bytes);

}  // namespace crescendo::datasets
