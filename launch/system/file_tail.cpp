#include "launch/system/file_tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

namespace crescendo::launch {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::size_t most_at_once = std::size_t{1} << 20;

std::int64_t size_of(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

FileDescriptor open(const std::string& path) { return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

/// Whether another file has the name now. It cannot have the same inode, which is ours as long as we hold it open.
bool is_replaced(const std::string& path, const FileDescriptor& file) {
    struct stat named {};
    struct stat held {};
    return ::stat(path.c_str(), &named) == 0 && ::fstat(file.get(), &held) == 0 &&
           (named.st_dev != held.st_dev || named.st_ino != held.st_ino);
}

}  // namespace

FileTail::FileTail(std::string path, From from) : path_(std::move(path)), file_(open(path_)) {
    if (file_ && from == From::end) {
        offset_ = size_of(file_);
    }
}

FileTail::FileTail(std::string path, std::int64_t offset)
    : path_(std::move(path)), file_(open(path_)), offset_(offset) {}

std::vector<std::string> FileTail::lines() {
    std::vector<std::string> result;
    if (!file_) {
        file_ = open(path_);
    }
    if (!file_) {
        return result;
    }
    const bool ends = is_replaced(path_, file_);  // asked first: what was written before it was replaced is read
    read(result);
    if (ends && !has_more_) {
        if (!line_.empty()) {
            result.push_back(rest());
        }
        file_ = open(path_);
        offset_ = 0;
        read(result);
    }
    return result;
}

void FileTail::read(std::vector<std::string>& lines) {
    if (size_of(file_) < offset_) {
        offset_ = 0;
        line_.clear();
    }
    std::array<char, 65536> buffer;
    has_more_ = true;
    // Somebody who writes as fast as we read must not keep us here, and nobody needs room for a whole long file.
    for (std::size_t num_read = 0; num_read < most_at_once;) {
        const auto count = ::pread(file_.get(), buffer.data(), buffer.size(), offset_);
        if (count <= 0) {
            has_more_ = false;
            return;
        }
        offset_ += count;
        num_read += static_cast<std::size_t>(count);
        for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
            if (c != '\n' && c != '\r') {
                if (line_.size() < longest_line) {
                    line_ += c;
                }
            } else if (!line_.empty()) {
                lines.push_back(std::exchange(line_, {}));
            }
        }
    }
}

}  // namespace crescendo::launch
