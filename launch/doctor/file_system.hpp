#pragma once

#include <filesystem>

#include "core/files/file_descriptor.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// `directory`, or its nearest existing parent.
std::filesystem::path existing_part(std::filesystem::path directory);

/// Checks whether a sweep can keep its files in `directory`, or in the place where it would be created: whether it is
/// writable, how much space is free, and whether locks, renaming and fsync do what the journal needs. Leaves nothing
/// behind.
Findings examine_file_system(const std::filesystem::path& directory);

/// A temporary file in a folder, with a lock on it, for testing what a sweep's files need. The destructor removes it.
class Probe {
  public:
    /// Creates the file in the existing part of `directory`. Throws std::system_error if that is not writable.
    explicit Probe(const std::filesystem::path& directory);
    ~Probe();
    Probe(Probe&&) = delete;
    Probe& operator=(Probe&&) = delete;

    const std::filesystem::path& file() const { return file_; }
    const FileDescriptor& descriptor() const { return descriptor_; }

    /// Checks from another node, while the probe exists, whether that node shares the folder and its locks.
    static Finding look_at(const std::filesystem::path& file);

  private:
    std::filesystem::path file_;
    FileDescriptor descriptor_;
};

}  // namespace crescendo::launch
