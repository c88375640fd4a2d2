#pragma once

#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// Notices when an open file is written to, cut off, or replaced by another. HDF5's library does not: it reads zeros if
/// a file ends too soon, and it reads the old file if there is a new one, which the trial's next worker would open.
class FileVersion {
  public:
    /// The present version of the file that `descriptor` has open; the file lies at `path`. With -1, no change can be
    /// noticed. Uses the descriptor as long as this object lives.
    FileVersion(int descriptor, const std::filesystem::path& path);

    /// The present version of the file at `path`, which other code may open. Removing the file is a change.
    explicit FileVersion(const std::filesystem::path& path);

    /// This version, once the file is closed: removing it is a change then.
    FileVersion of_closed() const;

    /// Whether both are the same version of the same file, as far as that can be known.
    bool is(const FileVersion& other) const { return !known_ || !other.known_ || identity() == other.identity(); }

    /// Throws std::runtime_error with `name` if the version has changed. A file that was removed, but is open, has not
    /// changed.
    void expect_unchanged(const std::string& name) const;

    /// Differs from that of other files, and of other versions of the file. Unknown versions have none in common with
    /// each other.
    std::string identity() const;

  private:
    void take(const struct stat& status);

    int descriptor_ = -1;
    bool known_ = false;          ///< whether the following members are known
    std::filesystem::path path_;  ///< absolute path of the file
    dev_t device_ = 0;
    ino_t number_ = 0;  ///< number of the file on its device
    off_t size_ = 0;
    std::timespec written_{};
};

}  // namespace crescendo::datasets
