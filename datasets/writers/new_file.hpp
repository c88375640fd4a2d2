#pragma once

#include <filesystem>

namespace crescendo::datasets {

/// Waits until a file, or the names in a folder, are on the disk. Throws std::runtime_error where they cannot be.
void sync_to_disk(const std::filesystem::path& path);

/// A file that appears under its name when it is complete, or not at all.
class NewFile {
  public:
    /// Throws InvalidInput where there is no folder for it.
    explicit NewFile(std::filesystem::path path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// What is to be written.
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Gives it its name once it is on the disk. Throws InvalidInput where another has that name by now.
    void publish();

    /// The same, in place of what has that name.
    void replace();

  private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
};

}  // namespace crescendo::datasets
