#include "launch/files/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "core/files/read_all.hpp"

namespace crescendo::launch {
namespace {

std::string bytes_of(const FileDescriptor& file, const std::filesystem::path& path) {
    auto bytes = read_all(file);
    if (!bytes) {
        cannot_read(path, errno);
    }
    return *std::move(bytes);
}

}  // namespace

bool is_there(const std::filesystem::path& path) {
    std::error_code unknown;
    const bool result = std::filesystem::exists(path, unknown);
    if (unknown) {
        cannot_read(path, unknown.value());
    }
    return result;
}

std::string read_file(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        cannot_read(path, errno);
    }
    return bytes_of(file, path);
}

FileDescriptor open_regular_file(const std::filesystem::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) {
        cannot_read(path, errno);
    }
    CRESCENDO_VALIDATE(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode), "",
                       "cannot read {}: it is not a regular file, and Crescendo writes only regular files here; remove "
                       "it",
                       path.string());
    return file;  // reading a folder fails with the system's reason
}

std::string read_regular_file(const std::filesystem::path& path) { return bytes_of(open_regular_file(path), path); }

void cannot_read(const std::filesystem::path& path, int error) {
    constexpr std::array of_the_path{ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG};
    if (std::ranges::find(of_the_path, error) != of_the_path.end()) {
        const auto inside = path / "sweep.yaml";
        std::error_code ignored;
        const auto remedy =
            std::filesystem::exists(inside, ignored) ? fmt::format("; give {}", inside.string())
            : error == ENOENT && path.is_relative()
                ? fmt::format("; relative paths start at {}", std::filesystem::current_path(ignored).string())
            : error == EISDIR ? "; give a file in it"
                              : "";
        throw InvalidInput(fmt::format("cannot read {}: {}{}", path.string(), std::strerror(error), remedy));
    }
    throw std::system_error(error, std::generic_category(),
                            fmt::format("cannot read {} (try again once this is fixed)", path.string()));
}

}  // namespace crescendo::launch
