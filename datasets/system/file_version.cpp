#include "datasets/system/file_version.hpp"

#include <sys/stat.h>

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

constexpr const char* remedy = "begin anew with it, and give a new version a name of its own";

}  // namespace

FileVersion::FileVersion(int descriptor, const std::filesystem::path& path)
    : descriptor_(descriptor), path_(std::filesystem::absolute(path)) {
    if (descriptor_ >= 0) {
        const auto status = status_of(descriptor_);
        device_ = status.st_dev;
        number_ = status.st_ino;
        size_ = status.st_size;
        written_ = status.st_mtim;
    }
}

void FileVersion::expect_unchanged(const std::string& name) const {
    if (descriptor_ < 0) {
        return;
    }
    const auto now = status_of(descriptor_);
    if (now.st_size < size_) {
        throw std::runtime_error(
            text("{} was cut off while it was read: it has {} bytes and had {}; put the whole file back", name,
                 now.st_size, size_));
    }
    if (now.st_mtim.tv_sec != written_.tv_sec || now.st_mtim.tv_nsec != written_.tv_nsec) {
        throw std::runtime_error(
            text("{} was written to while it was read, so its samples may be of two versions; {}", name, remedy));
    }
    struct stat there {};
    if (::stat(path_.c_str(), &there) == 0 && (there.st_dev != device_ || there.st_ino != number_)) {
        throw std::runtime_error(text(
            "{} was replaced by another file while it was read, so workers may read two versions; {}", name, remedy));
    }
}

}  // namespace crescendo::datasets
