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

/// The lines that are appended to a file from now on, or from its beginning.
///
/// A line ends with a line feed or, as progress bars write it, a carriage return. An empty line counts where a line
/// feed ends it. A file that is written anew in place is read from its beginning again, and so is another one that
/// takes its name, as programs do that write a file aside and then rename it. What stood there without an end is a line
/// then. One that is not there yet has no lines, and what is no regular file has none either: to read a pipe could take
/// for ever.
class FileTail {
  public:
    enum class From { beginning, end };

    /// Whether what stands in a file without an end is a whole line.
    using IsWhole = std::function<bool(const std::string&)>;

    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    /// Of a line that is longer than `longest_line`, only its first bytes are seen. What has no end, and of which
    /// nobody writes more, is no line unless it `is_whole`.
    FileTail(std::string path, From from, std::size_t longest_line = no_limit, IsWhole is_whole = {});

    /// From the byte at which an earlier one was: see offset().
    FileTail(std::string path, std::int64_t offset);

    /// The lines that are complete since the last call, or the first of them where there are very many.
    std::vector<std::string> lines();

    /// Whether the last call of lines() stopped before the end of the file.
    bool has_more() const { return has_more_; }

    /// How many of the lines of the last call of lines() were there when the tail was made. They come first.
    std::size_t num_earlier() const { return num_earlier_; }

    /// Bytes that the file had when the tail was made; 0 once it is known to be written anew, or another one.
    std::int64_t first_size() const { return first_size_; }

    /// Whether somebody has written the file since the tail was made, and it has not grown: it may have been written
    /// anew with what it had.
    bool is_written_alike() const;

    /// Bytes of the file that have been read, those of rest() as well.
    std::int64_t offset() const { return offset_; }

    /// What stands behind the last complete line, as if it were one: nobody writes any more. Empty unless it is whole.
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
    std::int64_t first_written_ = 0;  ///< when the file was last written before that, in nanoseconds
    std::string first_end_;           ///< its last bytes then
    std::size_t num_earlier_ = 0;
    std::int64_t offset_ = 0;
    std::int64_t line_begin_ = 0;  ///< offset of the line that is not complete
    bool has_more_ = false;
    std::string line_;              ///< the beginning of the line that is not complete
    bool takes_line_feed_ = false;  ///< the last line has ended without a line feed: one that follows belongs to it
    std::string before_;            ///< the last bytes before offset_: other ones there show that all is new
};

}  // namespace crescendo::launch
