#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// A new file that appears under its name only when it is complete.
class NewFile {
  public:
    /// Throws InvalidInput if there is no folder for the file.
    explicit NewFile(std::filesystem::path path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// Path of the file to write to. It does not exist yet: create it without following a link of this name.
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Waits until the file is on disk, then gives it its name. Throws InvalidInput if another file has taken that
    /// name.
    void publish();

  private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
};

/// Throws InvalidInput if the disk of `file` has no room for `bytes` bytes of a copy of `what`.
void expect_room(const std::filesystem::path& file, std::int64_t bytes, const std::string& what);

}  // namespace crescendo::datasets
