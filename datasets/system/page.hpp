#pragma once

#include <array>
#include <cstddef>

namespace crescendo::datasets {

/// Page-aligned memory, to which copies from the page cache are fastest.
struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes;

    static constexpr std::size_t needed_for(std::size_t num_bytes) {
        return (num_bytes + sizeof(Page) - 1) / sizeof(Page);
    }
};

}  // namespace crescendo::datasets
