#pragma once

#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// Notices when an open file is written to, cut off, or another takes its place. The library does not: it reads zeros
/// where a file ends too soon, and the old file where there is a new one, which the trial's next worker would open.
class FileVersion {
  public:
    /// The version that `descriptor`, of the file at `path`, shows now; -1 is a file of which nothing can be told. Uses
    /// the descriptor as long as it lives.
    FileVersion(int descriptor, const std::filesystem::path& path);

    /// The version of the file that lies at `path` now, which others than us may open. Removing it is a change.
    explicit FileVersion(const std::filesystem::path& path);

    /// Throws std::runtime_error with `name` where it is another one by now. A file that was removed is still the one
    /// that is open.
    void expect_unchanged(const std::string& name) const;

  private:
    void take(const struct stat& status);

    int descriptor_ = -1;
    bool known_ = false;          ///< what follows
    std::filesystem::path path_;  ///< absolute
    dev_t device_ = 0;
    ino_t number_ = 0;  ///< of the file on its device
    off_t size_ = 0;
    std::timespec written_{};
};

}  // namespace crescendo::datasets
