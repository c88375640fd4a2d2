#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// The lines that are appended to a file from now on, or from its beginning.
///
/// A line ends with a line feed or, as progress bars write it, a carriage return. Of a longer line only the first 4096
/// bytes are seen. A file that becomes shorter is read from its beginning again, and so is another one that takes its
/// name, as programs do that write a file aside and then rename it. One that is not there yet has no lines.
class FileTail {
  public:
    enum class From { beginning, end };

    FileTail(std::string path, From from);

    /// From the byte at which an earlier one was: see offset().
    FileTail(std::string path, std::int64_t offset);

    /// The lines that are complete since the last call, or the first of them where there are very many.
    std::vector<std::string> lines();

    /// Whether the last call of lines() stopped before the end of the file.
    bool has_more() const { return has_more_; }

    /// Bytes of the file that have been read, those of rest() as well.
    std::int64_t offset() const { return offset_; }

    /// What stands behind the last complete line, as if it were one: nobody writes any more.
    std::string rest() { return std::exchange(line_, {}); }

  private:
    void read(std::vector<std::string>& lines);

    std::string path_;
    FileDescriptor file_;
    std::int64_t offset_ = 0;
    bool has_more_ = false;
    std::string line_;  ///< the beginning of the line that is not complete
};

}  // namespace crescendo::launch
