#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo {

/// All bytes that are left to read. If reading fails, nothing, and errno has the reason. Signals do not end a read.
inline std::optional<std::string> read_all(const FileDescriptor& file) {
    std::string bytes;
    std::array<char, 65536> buffer;
    for (;;) {
        const auto count = ::read(file.get(), buffer.data(), buffer.size());
        if (count > 0) {
            bytes.append(buffer.data(), static_cast<std::size_t>(count));
        } else if (count == 0) {
            return bytes;
        } else if (errno != EINTR) {
            return std::nullopt;
        }
    }
}

}  // namespace crescendo
