#pragma once

#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// Detects that an open file was written to, truncated, or replaced. HDF5's library does not: it reads zeros if a file
/// is too short, and if a file was replaced, it reads the old one, while the trial's next worker would open the new
/// one.
class FileVersion {
  public:
    /// The present version of the open file `descriptor`, which is at `path`. With -1, no change can be detected. Uses
    /// the descriptor as long as this object lives.
    FileVersion(int descriptor, const std::filesystem::path& path);

    /// The present version of the file at `path`, which other code may have open. Removing the file is a change.
    explicit FileVersion(const std::filesystem::path& path);

    /// This version for use after the file is closed: removing the file is then a change.
    FileVersion of_closed() const;

    /// Whether both are the same version of the same file. Also true if either is unknown.
    bool is(const FileVersion& other) const { return !known_ || !other.known_ || identity() == other.identity(); }

    /// Throws std::runtime_error with `name` if the version has changed. Removing a file that is open is not a change.
    void expect_unchanged(const std::string& name) const;

    /// A text that is unique to this file and version. Two unknown versions never have the same text.
    std::string identity() const;

  private:
    void take(const struct stat& status);

    int descriptor_ = -1;
    bool known_ = false;          ///< whether the members below are known
    std::filesystem::path path_;  ///< absolute path of the file
    dev_t device_ = 0;
    ino_t number_ = 0;  ///< number of the file on its device
    off_t size_ = 0;
    std::timespec written_{};
};

}  // namespace crescendo::datasets
