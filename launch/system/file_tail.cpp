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

std::int64_t size_of(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

FileDescriptor open(const std::string& path) { return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

}  // namespace

FileTail::FileTail(std::string path, From from) : path_(std::move(path)), file_(open(path_)) {
    if (file_ && from == From::end) {
        offset_ = size_of(file_);
    }
}

std::vector<std::string> FileTail::lines() {
    std::vector<std::string> result;
    if (!file_) {
        file_ = open(path_);
    }
    if (!file_) {
        return result;
    }
    if (size_of(file_) < offset_) {
        offset_ = 0;
        line_.clear();
    }
    std::array<char, 65536> buffer;
    for (ssize_t count; (count = ::pread(file_.get(), buffer.data(), buffer.size(), offset_)) > 0;) {
        offset_ += count;
        for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
            if (c != '\n' && c != '\r') {
                if (line_.size() < longest_line) {
                    line_ += c;
                }
            } else if (!line_.empty()) {
                result.push_back(std::exchange(line_, {}));
            }
        }
    }
    return result;
}

}  // namespace crescendo::launch
