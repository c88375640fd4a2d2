#include "launch/files/remove_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "core/files/file_descriptor.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {
namespace {

/// The recursion limit: each level of folders keeps a file descriptor open.
constexpr int deepest = 100;

/// Opens a folder that our user owns and that is not a link.
FileDescriptor open_folder(int parent, const char* name) {
    FileDescriptor folder(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (folder && (::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid())) {
        folder.reset();
    }
    return folder;
}

class Remover {
  public:
    Remover(dev_t device, Clock::time_point end, Removal removal) : device_(device), end_(end), removal_(removal) {}

    /// Removes the entries of a folder that have wanted names. Some file systems skip names in a listing while others
    /// are removed, so this looks again until nothing more is removed.
    void empty(const FileDescriptor& folder, const IsWanted& is_wanted, int depth) {
        const std::unique_ptr<DIR, decltype([](DIR* each) { ::closedir(each); })> names(
            ::fdopendir(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
        const auto left_before = done_.left;
        auto files_before = done_.files;
        do {
            files_before = done_.files;
            done_.left = left_before;
            if (names) {
                ::rewinddir(names.get());
            }
            while (const auto* entry = names ? ::readdir(names.get()) : nullptr) {
                const std::string name = entry->d_name;
                if (name != "." && name != ".." && is_wanted(name)) {
                    remove(folder.get(), name, depth);
                }
            }
        } while (removal_ == Removal::perform && done_.is_done && done_.files > files_before);
    }

    const Removed& done() const { return done_; }

  private:
    /// Each call of remove_files() makes some progress, even if the time is already up.
    void remove(int parent, const std::string& name, int depth) {
        if (done_.files > 0 && Clock::now() >= end_) {
            done_.is_done = false;
        }
        struct stat status {};
        if (!done_.is_done || ::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
            return;  // another process has removed it
        }
        const bool is_folder = S_ISDIR(status.st_mode);
        if (status.st_uid != ::geteuid() || status.st_dev != device_ ||
            (is_folder && !is_emptied(parent, name, depth)) || !unlink(parent, name, is_folder)) {
            ++done_.left;
            return;
        }
        ++done_.files;
        done_.bytes += is_folder || status.st_nlink == 1 ? std::uintmax_t(status.st_blocks) * 512 : 0;
    }

    bool is_emptied(int parent, const std::string& name, int depth) {
        const auto folder = open_folder(parent, name.c_str());
        if (!folder || depth == deepest) {
            return false;
        }
        const auto left_before = done_.left;
        empty(folder, [](std::string_view) { return true; }, depth + 1);
        return done_.is_done && done_.left == left_before;
    }

    bool unlink(int parent, const std::string& name, bool is_folder) const {
        return removal_ == Removal::pretend || ::unlinkat(parent, name.c_str(), is_folder ? AT_REMOVEDIR : 0) == 0;
    }

    dev_t device_;
    Clock::time_point end_;
    Removal removal_;
    Removed done_;
};

}  // namespace

Removed remove_files(const std::filesystem::path& folder, const IsWanted& is_wanted, Removal removal,
                     Clock::time_point end) {
    const auto opened = open_folder(AT_FDCWD, folder.c_str());
    struct stat status {};
    if (!opened || ::fstat(opened.get(), &status) != 0) {
        return {};
    }
    Remover remover(status.st_dev, end, removal);
    remover.empty(opened, is_wanted, 0);
    return remover.done();
}

}  // namespace crescendo::launch
