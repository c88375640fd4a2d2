#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>

namespace crescendo::datasets {

/// Notices when an open file is written to or cut off. The library does not: it reads zeros where a file ends too soon.
class FileVersion {
  public:
    /// The version that `descriptor` shows now; -1 is a file of which nothing can be told. Uses the descriptor as long
    /// as it lives.
    explicit FileVersion(int descriptor);

    /// Throws std::runtime_error with `name` where it is another one by now.
    void expect_unchanged(const std::string& name) const;

  private:
    int descriptor_;
    off_t size_ = 0;
    std::timespec written_{};
};

}  // namespace crescendo::datasets
