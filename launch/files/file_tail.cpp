#include "launch/files/file_tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace crescendo::launch {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 20;

/// A rewritten file is usually small, so this covers all of it.
constexpr std::size_t most_remembered = std::size_t{1} << 16;

std::int64_t size_of(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

/// When a file was last written, in nanoseconds since 1970.
std::int64_t written_at(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec : 0;
}

/// Up to `size` bytes before the offset `end`.
std::string bytes_before(const FileDescriptor& file, std::int64_t end, std::size_t size) {
    std::string bytes(size, '\0');
    const auto count = ::pread(file.get(), bytes.data(), size, end - static_cast<std::int64_t>(size));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return bytes;
}

bool is_regular(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Opens a regular file. Does not even open anything else: a process that writes to a pipe would take us for its
/// reader.
FileDescriptor open(const std::string& path) {
    struct stat named {};
    if (::stat(path.c_str(), &named) != 0 || !S_ISREG(named.st_mode)) {
        return {};
    }
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    return is_regular(file) ? std::move(file) : FileDescriptor();
}

/// Whether another file has the name now. It cannot have the same inode, because we hold the old one open.
bool is_replaced(const std::string& path, const FileDescriptor& file) {
    struct stat named {};
    struct stat held {};
    return ::stat(path.c_str(), &named) == 0 && ::fstat(file.get(), &held) == 0 &&
           (named.st_dev != held.st_dev || named.st_ino != held.st_ino);
}

}  // namespace

/// Each line feed ends one line. More lines may end with a carriage return.
std::int64_t begin_of_last_lines(const std::string& path, std::int64_t count) {
    constexpr std::int64_t step = 65536;
    const auto file = open(path);
    for (auto end = size_of(file); end > 0;) {
        const auto begin = std::max<std::int64_t>(0, end - step);
        const auto bytes = bytes_before(file, end, static_cast<std::size_t>(end - begin));
        for (auto i = bytes.size(); i-- > 0;) {
            if (bytes[i] == '\n' && count-- == 0) {
                return begin + static_cast<std::int64_t>(i) + 1;
            }
        }
        end = begin;
    }
    return 0;
}

FileTail::FileTail(std::string path, From from, std::size_t longest_line, IsWhole is_whole)
    : path_(std::move(path)), file_(open(path_)), longest_line_(longest_line), is_whole_(std::move(is_whole)) {
    if (file_) {
        first_size_ = size_of(file_);
        first_written_ = written_at(file_);
        const auto size = std::min(static_cast<std::size_t>(first_size_), most_remembered);
        first_end_ = bytes_before(file_, first_size_, size);
        offset_ = line_begin_ = from == From::end ? first_size_ : 0;
    }
}

FileTail::FileTail(std::string path, std::int64_t offset)
    : path_(std::move(path)), file_(open(path_)), offset_(offset) {
    char last = '\n';
    takes_line_feed_ = offset > 0 && ::pread(file_.get(), &last, 1, offset - 1) == 1 && last != '\n';
}

std::vector<std::string> FileTail::lines() {
    std::vector<std::string> result;
    num_earlier_ = 0;
    if (!file_) {
        file_ = open(path_);
    }
    if (!file_) {
        return result;
    }
    const bool ends = is_replaced(path_, file_);  // checked first, so that earlier text is still read
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
    auto rest = std::exchange(line_, {});
    return is_whole_ && !is_whole_(rest) ? std::string() : rest;
}

bool FileTail::is_written_alike() const {
    return first_size_ > 0 && size_of(file_) == first_size_ && written_at(file_) != first_written_;
}

/// Whether bytes that were in the file at first, and are not read yet, have changed.
bool FileTail::is_written_anew() const {
    return offset_ < first_size_ && bytes_before(file_, first_size_, first_end_.size()) != first_end_;
}

void FileTail::add(std::string line, std::vector<std::string>& lines) {
    num_earlier_ += line_begin_ < first_size_ ? 1 : 0;
    lines.push_back(std::move(line));
}

void FileTail::begin_again(std::vector<std::string>& lines) {
    if (auto line = rest(); !line.empty()) {
        add(std::move(line), lines);
    }
    offset_ = line_begin_ = first_size_ = 0;
    before_.clear();
    takes_line_feed_ = false;
}

/// Reads the bytes before offset_ and the new ones in one call, so that nobody can rewrite the file in between.
void FileTail::read(std::vector<std::string>& lines) {
    constexpr std::size_t step = 65536;
    if (size_of(file_) < offset_ || is_written_anew()) {
        begin_again(lines);
    }
    std::string text;
    has_more_ = true;
    // Limited, so that a fast writer does not keep us here, and a long file does not fill the memory.
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
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
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
            add(std::exchange(line_, {}), lines);
        }
        line_begin_ = offset_ + static_cast<std::int64_t>(i) + 1;
    }
}

}  // namespace crescendo::launch
