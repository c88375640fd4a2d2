#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "core/check.hpp"

namespace crescendo::datasets {

/// Reads `out.size()` bytes of a file by pread. Any number of threads may call it. Throws std::runtime_error, or
/// DamagedFile if the file ends too early; the message has the offset.
void read_bytes(int descriptor, std::uint64_t offset, std::span<std::byte> out);

/// Announces that these bytes will be read soon, so that the system may fetch them into its cache.
void announce_bytes(int descriptor, std::uint64_t begin, std::uint64_t end);

/// Calls `read`. If it throws as read_bytes() does, replaces the error's text by `message(error)`.
template <class Read, class Message>
void rewording(const Read& read, const Message& message) {
    try {
        read();
    } catch (const DamagedFile& error) {
        throw DamagedFile(message(error));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(message(error));
    }
}

}  // namespace crescendo::datasets
