#include "core/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "core/files/file_descriptor.hpp"
#include "core/files/writing.hpp"

namespace crescendo {
namespace {

namespace fs = std::filesystem;

/// Writes the content and closes the file. Errors name `path`, the user's name for the file.
void write_into(FileDescriptor file, std::string_view content, const fs::path& path) {
    if (!file) {
        cannot_write(path);
    }
    write_all(file, content, path);
    if (file.reset() != 0) {
        cannot_write(path);
    }
}

/// Creates a new file, and never writes into one that others put under its name. If `replaced` is not null, the file
/// gets its group and permissions.
FileDescriptor create(const fs::path& temporary, const struct stat* replaced) {
    ::unlink(temporary.c_str());  // a leftover of an earlier process with the same pid
    FileDescriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced != nullptr ? 0600 : 0666));
    if (file && replaced != nullptr) {
        // If we may not set that group, the file's group gets no permissions. Failures are ignored, because some file
        // systems have no permissions.
        const bool has_group = ::fchown(file.get(), static_cast<uid_t>(-1), replaced->st_gid) == 0;
        ::fchmod(file.get(), replaced->st_mode & (has_group ? 0777U : 0707U));
    }
    return file;
}

/// Replaces `target`, the actual location of the file that the user named `path`.
void replace(const fs::path& target, std::string_view content, const fs::path& path) {
    struct stat status {};
    const bool is_file = ::lstat(target.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    const auto temporary = own_name(target, "new");
    auto file = create(temporary, is_file ? &status : nullptr);
    if (!file) {
        cannot_write(path);
    }
    try {
        write_into(std::move(file), content, path);
        if (std::rename(temporary.c_str(), target.c_str()) != 0) {
            cannot_write(path);
        }
    } catch (...) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw;
    }
}

/// Whether the name stands for a file that a process has open, such as that of `>> pages`, which others write too.
bool names_open_file(std::string_view name) {
    return name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
}

}  // namespace

void write_output(const fs::path& path, std::string_view content) {
    std::error_code unknown;
    const auto kind = fs::status(path, unknown);  // follows links
    if (fs::exists(kind) && (names_open_file(path.string()) || !fs::is_regular_file(kind))) {
        return write_into(FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)), content, path);
    }
    replace(fs::exists(kind) ? fs::canonical(path, unknown) : path, content, path);
}

void replace_output(const fs::path& path, std::string_view content) { replace(path, content, path); }

}  // namespace crescendo
