#include "launch/system/file_tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace crescendo::launch {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 20;

/// A file that is written anew is mostly small, so that this is all of it.
constexpr std::size_t most_remembered = std::size_t{1} << 16;

std::int64_t size_of(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

bool is_regular(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

/// What is no regular file is not even opened: whoever writes into a pipe would take us for its reader.
FileDescriptor open(const std::string& path) {
    struct stat named {};
    if (::stat(path.c_str(), &named) != 0 || !S_ISREG(named.st_mode)) {
        return {};
    }
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    return is_regular(file) ? std::move(file) : FileDescriptor();
}

/// Whether another file has the name now. It cannot have the same inode, which is ours as long as we hold it open.
bool is_replaced(const std::string& path, const FileDescriptor& file) {
    struct stat named {};
    struct stat held {};
    return ::stat(path.c_str(), &named) == 0 && ::fstat(file.get(), &held) == 0 &&
           (named.st_dev != held.st_dev || named.st_ino != held.st_ino);
}

}  // namespace

FileTail::FileTail(std::string path, From from, std::size_t longest_line)
    : path_(std::move(path)), file_(open(path_)), longest_line_(longest_line) {
    if (file_ && from == From::end) {
        offset_ = size_of(file_);
    }
}

FileTail::FileTail(std::string path, std::int64_t offset)
    : path_(std::move(path)), file_(open(path_)), offset_(offset) {
    char last = '\n';
    takes_line_feed_ = offset > 0 && ::pread(file_.get(), &last, 1, offset - 1) == 1 && last != '\n';
}

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
        file_ = open(path_);
        begin_again(result);
        read(result);
    }
    return result;
}

std::string FileTail::rest() {
    takes_line_feed_ = takes_line_feed_ || !line_.empty();
    return std::exchange(line_, {});
}

void FileTail::begin_again(std::vector<std::string>& lines) {
    if (!line_.empty()) {
        lines.push_back(rest());
    }
    offset_ = 0;
    before_.clear();
    takes_line_feed_ = false;
}

/// What was read before is read with what follows, in one call: nobody can write the file anew in between.
void FileTail::read(std::vector<std::string>& lines) {
    constexpr std::size_t step = 65536;
    if (size_of(file_) < offset_) {
        begin_again(lines);
    }
    std::string text;
    has_more_ = true;
    // Somebody who writes as fast as we read must not keep us here, and nobody needs room for a whole long file.
    for (std::size_t num_read = 0; num_read < most_at_once;) {
        text.resize(before_.size() + step);
        const auto begin = offset_ - static_cast<std::int64_t>(before_.size());
        const auto count = ::pread(file_.get(), text.data(), text.size(), begin);
        if (count < 0) {
            has_more_ = false;
            return;
        }
        text.resize(static_cast<std::size_t>(count));
        if (!text.starts_with(before_)) {
            begin_again(lines);
            continue;
        }
        const auto news = std::string_view(text).substr(before_.size());
        if (news.empty()) {
            has_more_ = false;
            return;
        }
        take(news, lines);
        num_read += news.size();
        offset_ += static_cast<std::int64_t>(news.size());
        before_ = text.substr(text.size() - std::min(text.size(), most_remembered));
    }
}

void FileTail::take(std::string_view text, std::vector<std::string>& lines) {
    for (const char c : text) {
        if (c != '\n' && c != '\r') {
            if (line_.size() < longest_line_) {
                line_ += c;
            }
            takes_line_feed_ = false;
            continue;
        }
        const bool is_line = !line_.empty() || (c == '\n' && !takes_line_feed_);
        takes_line_feed_ = c == '\r' && is_line;
        if (is_line) {
            lines.push_back(std::exchange(line_, {}));
        }
    }
}

}  // namespace crescendo::launch
