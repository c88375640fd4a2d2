#pragma once

#include <cstddef>
#include <cstdint>
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

    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    /// Of a line that is longer than `longest_line`, only its first bytes are seen.
    FileTail(std::string path, From from, std::size_t longest_line = no_limit);

    /// From the byte at which an earlier one was: see offset().
    FileTail(std::string path, std::int64_t offset);

    /// The lines that are complete since the last call, or the first of them where there are very many.
    std::vector<std::string> lines();

    /// Whether the last call of lines() stopped before the end of the file.
    bool has_more() const { return has_more_; }

    /// Bytes of the file that have been read, those of rest() as well.
    std::int64_t offset() const { return offset_; }

    /// What stands behind the last complete line, as if it were one: nobody writes any more.
    std::string rest();

  private:
    void begin_again(std::vector<std::string>& lines);
    void read(std::vector<std::string>& lines);
    void take(std::string_view text, std::vector<std::string>& lines);

    std::string path_;
    FileDescriptor file_;
    std::size_t longest_line_ = no_limit;
    std::int64_t offset_ = 0;
    bool has_more_ = false;
    std::string line_;              ///< the beginning of the line that is not complete
    bool takes_line_feed_ = false;  ///< the last line has ended without a line feed: one that follows belongs to it
    std::string before_;            ///< the last bytes before offset_: other ones there show that all is new
};

}  // namespace crescendo::launch
