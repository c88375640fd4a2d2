#pragma once

#include <filesystem>

#include "core/files/file_descriptor.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// `directory`, or what exists of the way to it.
std::filesystem::path existing_part(std::filesystem::path directory);

/// Examines whether a sweep can keep its files in `directory` (or in the place where it would be created): whether it
/// can be written, how much room there is, and whether locks, renaming and fsync do what the journal needs. Leaves
/// nothing behind.
Findings examine_file_system(const std::filesystem::path& directory);

/// A file that shows other nodes whether they share a folder, and its locks, with this node. The destructor removes it.
class SharedProbe {
  public:
    /// Throws std::system_error if `directory` cannot be written.
    explicit SharedProbe(const std::filesystem::path& directory);
    ~SharedProbe();
    SharedProbe(SharedProbe&&) = delete;
    SharedProbe& operator=(SharedProbe&&) = delete;

    const std::filesystem::path& file() const { return file_; }

    /// Looks at the probe from another node, while the probe exists.
    static Finding look_at(const std::filesystem::path& file);

  private:
    std::filesystem::path file_;
    FileDescriptor descriptor_;
};

}  // namespace crescendo::launch
