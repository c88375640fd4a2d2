#include "core/files/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/files/file_descriptor.hpp"
#include "core/files/paths_in.hpp"
#include "core/files/writing.hpp"

namespace crescendo {
namespace {

namespace fs = std::filesystem;

void move_over(const fs::path& from, const fs::path& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0) {
        cannot_write(to);
    }
}

/// Removes the temporary files of writers that were killed or that hang. If such a writer continues, it finds nothing
/// to rename. (Older versions wrote to "<name>.tmp".)
void remove_temporaries(const fs::path& path) {
    const auto left = path.filename().string() + ".tmp";
    std::error_code ignored;
    for (const auto& other : paths_in(path.has_parent_path() ? path.parent_path() : ".")) {
        const auto name = other.filename().string();
        const auto pid = name.find_last_not_of("0123456789");  // the character before the pid
        if (name == left || (name.starts_with(left + ".") && pid < name.size() - 1 && name[pid] == '.')) {
            fs::remove(other, ignored);
        }
    }
}

}  // namespace

void replace_file(const fs::path& path, const std::function<void(const Sink&)>& produce, Durability durability,
                  fs::perms permissions) {
    remove_temporaries(path);
    const auto temporary = own_name(path, "tmp");
    try {
        FileDescriptor file(
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(permissions)));
        if (!file) {
            cannot_write(path);
        }
        produce([&](std::string_view bytes) { write_all(file, bytes, path); });
        if ((durability == Durability::on_disk && ::fsync(file.get()) != 0) || file.reset() != 0) {
            cannot_write(path);
        }
        move_over(temporary, path);
    } catch (...) {
        std::error_code ignored;
        fs::remove(temporary, ignored);  // frees the space: the disk may be full
        throw;
    }
    if (durability == Durability::on_disk) {
        sync_to_disk(path.parent_path());
    }
}

void replace_file(const fs::path& path, std::string_view content, Durability durability, fs::perms permissions) {
    replace_file(
        path, [&](const Sink& sink) { sink(content); }, durability, permissions);
}

void rename_durably(const fs::path& from, const fs::path& to) {
    sync_to_disk(from);
    move_over(from, to);
    sync_to_disk(to.parent_path());
}

void sync_to_disk(const fs::path& path) {
    const fs::path place = path.empty() ? "." : path;
    const FileDescriptor file(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        cannot_write(place);
    }
    if (::fsync(file.get()) != 0) {
        const int reason = errno;
        std::error_code ignored;
        const bool is_unsyncable = (reason == EINVAL || reason == EBADF) && fs::is_directory(place, ignored);
        errno = reason;
        if (!is_unsyncable) {
            cannot_write(place);
        }
    }
}

}  // namespace crescendo
