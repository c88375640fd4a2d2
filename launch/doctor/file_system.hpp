#pragma once

#include <filesystem>

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// Whether a sweep may keep its files in `directory` (or where it would be created): that it can be written, how much
/// room there is, and that locks, renaming and fsync do what the journal relies on. Leaves nothing behind.
Findings examine_file_system(const std::filesystem::path& directory);

/// A file by which other nodes see whether they share a folder, and its locks, with this one. Gone with the object.
class SharedProbe {
  public:
    /// Throws std::system_error where `directory` cannot be written.
    explicit SharedProbe(const std::filesystem::path& directory);
    ~SharedProbe();
    SharedProbe(SharedProbe&&) = delete;
    SharedProbe& operator=(SharedProbe&&) = delete;

    const std::filesystem::path& file() const { return file_; }

    /// On another node, while the probe lives.
    static Finding look_at(const std::filesystem::path& file);

  private:
    std::filesystem::path file_;
    int descriptor_;
};

}  // namespace crescendo::launch
