#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/files/host_name.hpp"

namespace crescendo {

// What those share who write a file under another name first.

/// Throws the error that errno tells, of a file by the name that its reader knows.
[[noreturn]] inline void cannot_write(const std::filesystem::path& path) {
    throw WriteError(errno, std::generic_category(), "cannot write " + path.string());
}

/// Writes all bytes, however many the system takes at once.
inline void write_all(const FileDescriptor& file, std::string_view rest, const std::filesystem::path& path) {
    while (!rest.empty()) {
        const auto written = ::write(file.get(), rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            cannot_write(path);
        }
        if (written > 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }
}

/// A name of this process's own beside `path`, so that a process that stood still does not write into another's file.
inline std::filesystem::path own_name(const std::filesystem::path& path, const char* kind) {
    return path.string() + "." + kind + "." + host_name() + "." + std::to_string(::getpid());
}

}  // namespace crescendo
