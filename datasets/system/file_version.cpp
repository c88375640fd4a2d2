#include "datasets/system/file_version.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

struct stat status_of(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        throw std::system_error(errno, std::generic_category(), "fstat");
    }
    return status;
}

constexpr const char* remedy = "start again, and give a new version a new name";

}  // namespace

FileVersion::FileVersion(int descriptor, const std::filesystem::path& path)
    : descriptor_(descriptor), path_(std::filesystem::absolute(path)) {
    if (descriptor_ >= 0) {
        take(status_of(descriptor_));
    }
}

FileVersion::FileVersion(const std::filesystem::path& path) : path_(std::filesystem::absolute(path)) {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0) {
        take(status);
    }
}

void FileVersion::take(const struct stat& status) {
    known_ = true;
    device_ = status.st_dev;
    number_ = status.st_ino;
    size_ = status.st_size;
    written_ = status.st_mtim;
}

FileVersion FileVersion::of_closed() const {
    FileVersion version = *this;
    version.descriptor_ = -1;
    return version;
}

std::string FileVersion::identity() const {
    return known_ ? text("{}/{}/{}/{}.{}", device_, number_, size_, written_.tv_sec, written_.tv_nsec)
                  : text("{}/{}", ::getpid(), static_cast<const void*>(this));
}

void FileVersion::expect_unchanged(const std::string& name) const {
    if (!known_) {
        return;
    }
    struct stat there {};
    const bool exists = ::stat(path_.c_str(), &there) == 0;
    if (descriptor_ < 0 && !exists) {
        throw std::runtime_error(text("{} can no longer be found while {} is read ({}); put it back", path_.string(),
                                      name, std::generic_category().message(errno)));
    }
    const bool replaced = exists && (there.st_dev != device_ || there.st_ino != number_);
    const auto now = descriptor_ >= 0 ? status_of(descriptor_) : there;
    if (now.st_size < size_ && (descriptor_ >= 0 || !replaced)) {
        throw std::runtime_error(
            text("{} was truncated while it was read: it has {} bytes but had {}; put the whole file back", name,
                 now.st_size, size_));
    }
    const bool written = now.st_mtim.tv_sec != written_.tv_sec || now.st_mtim.tv_nsec != written_.tv_nsec;
    if (written && (descriptor_ >= 0 || !replaced)) {
        throw std::runtime_error(
            text("{} was written to while it was read, so its samples may be from two versions; {}", name, remedy));
    }
    if (replaced) {
        throw std::runtime_error(text(
            "{} was replaced by another file while it was read, so workers may read two versions; {}", name, remedy));
    }
}

}  // namespace crescendo::datasets
