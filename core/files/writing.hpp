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

// Shared by the functions that first write a file under another name.

/// Throws WriteError with the reason in errno. `path` is the name under which readers know the file.
[[noreturn]] inline void cannot_write(const std::filesystem::path& path) {
    throw WriteError(errno, std::generic_category(), "cannot write " + path.string());
}

/// Writes all bytes, in as many system calls as needed. Throws WriteError.
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

/// A name next to `path` that only this process uses, so that a process that hung and continues does not write into
/// another process's file.
inline std::filesystem::path own_name(const std::filesystem::path& path, const char* kind) {
    return path.string() + "." + kind + "." + host_name() + "." + std::to_string(::getpid());
}

}  // namespace crescendo
