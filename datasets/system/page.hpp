#pragma once

#include <array>
#include <cstddef>

namespace crescendo::datasets {

/// Memory that begins at a page, as files do in the page cache. Copies from there are fastest to such memory.
struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes;

    static constexpr std::size_t needed_for(std::size_t num_bytes) {
        return (num_bytes + sizeof(Page) - 1) / sizeof(Page);
    }
};

}  // namespace crescendo::datasets
