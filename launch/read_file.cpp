#include "launch/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/check.hpp"
#include "launch/agent/file_descriptor.hpp"

namespace crescendo::launch {

std::string read_file(const std::filesystem::path& path) {
    const auto fail = [&] {
        throw InvalidInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    };
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        fail();
    }
    std::string bytes;
    std::array<char, 65536> buffer;
    for (;;) {
        const auto count = ::read(file.get(), buffer.data(), buffer.size());
        if (count > 0) {
            bytes.append(buffer.data(), static_cast<std::size_t>(count));
        } else if (count == 0) {
            return bytes;
        } else if (errno != EINTR) {
            fail();
        }
    }
}

}  // namespace crescendo::launch
