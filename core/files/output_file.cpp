#include "core/files/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <string>

#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"

namespace crescendo {
namespace {

namespace fs = std::filesystem;

/// Returns whether all went well; otherwise errno says why not.
bool write(const fs::path& path, int flags, std::string_view content) {
    FileDescriptor file(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666));
    while (file && !content.empty()) {
        const auto written = ::write(file.get(), content.data(), content.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return file && file.reset() == 0;
}

/// A name that no other process uses.
fs::path own_name(const fs::path& path) {
    std::array<char, HOST_NAME_MAX + 1> host{};
    ::gethostname(host.data(), host.size() - 1);
    return path.string() + ".new." + host.data() + "." + std::to_string(::getpid());
}

}  // namespace

void write_output(const fs::path& path, std::string_view content) {
    std::error_code unknown;
    const auto kind = fs::status(path, unknown);  // of what a link leads to
    bool success = false;
    if (fs::exists(kind) && !fs::is_regular_file(kind)) {
        success = write(path, 0, content);
    } else {
        const auto target = fs::exists(kind) ? fs::canonical(path, unknown) : path;
        const auto temporary = own_name(target);
        success = write(temporary, O_CREAT | O_TRUNC, content) && std::rename(temporary.c_str(), target.c_str()) == 0;
        if (!success) {
            const int reason = errno;
            ::unlink(temporary.c_str());
            errno = reason;
        }
    }
    if (!success) {
        throw WriteError(errno, std::generic_category(), "cannot write " + path.string());
    }
}

}  // namespace crescendo
