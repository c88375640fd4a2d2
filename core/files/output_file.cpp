#include "core/files/output_file.hpp"

#include <fcntl.h>

#include <cstdio>

#include "core/files/file_descriptor.hpp"
#include "core/files/writing.hpp"

namespace crescendo {
namespace {

namespace fs = std::filesystem;

/// Errors are of `path`, as the user named it.
void write_at(const fs::path& place, int flags, std::string_view content, const fs::path& path) {
    FileDescriptor file(::open(place.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666));
    if (!file) {
        cannot_write(path);
    }
    write_all(file, content, path);
    if (file.reset() != 0) {
        cannot_write(path);
    }
}

}  // namespace

void write_output(const fs::path& path, std::string_view content) {
    std::error_code unknown;
    const auto kind = fs::status(path, unknown);  // of what a link leads to
    if (fs::exists(kind) && !fs::is_regular_file(kind)) {
        return write_at(path, 0, content, path);
    }
    const auto target = fs::exists(kind) ? fs::canonical(path, unknown) : path;
    const auto temporary = own_name(target, "new");
    try {
        write_at(temporary, O_CREAT | O_TRUNC, content, path);
        if (std::rename(temporary.c_str(), target.c_str()) != 0) {
            cannot_write(path);
        }
    } catch (...) {
        fs::remove(temporary, unknown);
        throw;
    }
}

}  // namespace crescendo
