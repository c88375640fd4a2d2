#pragma once

#include <sys/socket.h>

#include <atomic>
#include <cerrno>

namespace crescendo::tests {

/// How many of the next calls of send() fail, because the kernel has no memory for their bytes.
inline std::atomic<int> num_failing_sends = 0;

}  // namespace crescendo::tests

/// Replaces the system's function in this program, so only one source of a program may include this header.
extern "C" ssize_t send(int socket, const void* bytes, std::size_t size, int flags) {
    if (crescendo::tests::num_failing_sends > 0) {
        --crescendo::tests::num_failing_sends;
        errno = ENOBUFS;
        return -1;
    }
    return ::sendto(socket, bytes, size, flags, nullptr, 0);
}
