#include "datasets/readers/file_bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// Linux truncates an announcement to the device's read-ahead (default: 128 KiB) or its largest request.
constexpr std::uint64_t announced_bytes = std::uint64_t{128} << 10;

}  // namespace

void read_bytes(int descriptor, std::uint64_t offset, std::span<std::byte> out) {
    while (!out.empty()) {
        const auto got = ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        const auto problem = [&](const std::string& reason) {
            return text("{} bytes at offset {}: {}", out.size(), offset, reason);
        };
        if (got < 0) {
            throw std::runtime_error(problem(std::system_category().message(errno)));
        }
        if (got == 0) {
            throw DamagedFile(problem("the file ends there; it is truncated"));
        }
        offset += static_cast<std::uint64_t>(got);
        out = out.subspan(static_cast<std::size_t>(got));
    }
}

void announce_bytes(int descriptor, std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
        // A piece of this length that starts in mid-page would touch one more page than is fetched.
        const auto next = std::min((begin / announced_bytes + 1) * announced_bytes, end);
        ::posix_fadvise(descriptor, static_cast<off_t>(begin), static_cast<off_t>(next - begin), POSIX_FADV_WILLNEED);
        begin = next;
    }
}

}  // namespace crescendo::datasets
