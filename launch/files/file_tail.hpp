#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// The offset in a file at which, or before which, its last `count` lines begin, to read only the end of a long log. 0
/// for anything but a regular file.
std::int64_t begin_of_last_lines(const std::string& path, std::int64_t count);

/// Reads the lines that are appended to a file, from now on or from its beginning.
///
/// A line ends with a line feed or, as in progress bars, a carriage return. An empty line counts only if a line feed
/// ends it. If the file is rewritten in place, or another file is renamed to its name, reading restarts at the
/// beginning; text of the old file without a line end then counts as a line. A missing file has no lines yet. Anything
/// but a regular file has none either, because reading a pipe could block forever.
class FileTail {
  public:
    enum class From { beginning, end };

    /// Whether text without a line end, at the end of a file, is a whole line.
    using IsWhole = std::function<bool(const std::string&)>;

    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    /// Only the first `longest_line` bytes of a line are kept. Text without a line end that nobody will complete counts
    /// as a line only if `is_whole` accepts it.
    FileTail(std::string path, From from, std::size_t longest_line = no_limit, IsWhole is_whole = {});

    /// Continues at `offset`, where an earlier FileTail stopped: see offset().
    FileTail(std::string path, std::int64_t offset);

    /// The lines completed since the last call; only the first of them if there are very many.
    std::vector<std::string> lines();

    /// Whether the last call of lines() stopped before the end of the file.
    bool has_more() const { return has_more_; }

    /// Of the lines that the last call of lines() returned, how many were in the file when this object was created.
    /// They come first.
    std::size_t num_earlier() const { return num_earlier_; }

    /// Size of the file in bytes when this object was created; 0 once the file is known to be rewritten or replaced.
    std::int64_t first_size() const { return first_size_; }

    /// Whether the file was written since this object was created, but has the same size: it may have been rewritten
    /// with the same content.
    bool is_written_alike() const;

    /// Bytes of the file that have been read, including those that rest() returns.
    std::int64_t offset() const { return offset_; }

    /// The text after the last complete line, returned as a line because nobody will complete it. Empty unless it is
    /// whole.
    std::string rest();

  private:
    bool is_written_anew() const;
    void add(std::string line, std::vector<std::string>& lines);
    void begin_again(std::vector<std::string>& lines);
    void read(std::vector<std::string>& lines);
    void take(std::string_view text, std::vector<std::string>& lines);

    std::string path_;
    FileDescriptor file_;
    std::size_t longest_line_ = no_limit;
    IsWhole is_whole_;
    std::int64_t first_size_ = 0;
    std::int64_t first_written_ = 0;  ///< last modification before it was opened, in nanoseconds since 1970
    std::string first_end_;           ///< last bytes of the file when it was opened
    std::size_t num_earlier_ = 0;
    std::int64_t offset_ = 0;
    std::int64_t line_begin_ = 0;  ///< offset of the incomplete line
    bool has_more_ = false;
    std::string line_;              ///< beginning of the incomplete line
    bool takes_line_feed_ = false;  ///< the last line had no line feed; if one follows, it belongs to it
    std::string before_;            ///< last bytes before offset_; other bytes there mean that the file was rewritten
};

}  // namespace crescendo::launch
