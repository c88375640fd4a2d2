#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// A pipe. Programs that we start do not inherit its ends unless we pass them on.
struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;

    /// Throws std::system_error if the system has no descriptors left.
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(), "cannot create a pipe");
        }
        read_end = FileDescriptor(ends[0]);
        write_end = FileDescriptor(ends[1]);
    }
};

}  // namespace crescendo::launch
