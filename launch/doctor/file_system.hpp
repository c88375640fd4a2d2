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

/// A temporary file in a folder, and a lock on it: what works with it will work with a sweep's files. The destructor
/// removes it.
class Probe {
  public:
    /// Makes it in what exists of `directory`. Throws std::system_error if that cannot be written.
    explicit Probe(const std::filesystem::path& directory);
    ~Probe();
    Probe(Probe&&) = delete;
    Probe& operator=(Probe&&) = delete;

    const std::filesystem::path& file() const { return file_; }
    const FileDescriptor& descriptor() const { return descriptor_; }

    /// Looks at the probe from another node, while the probe exists: whether that node shares the folder and its locks.
    static Finding look_at(const std::filesystem::path& file);

  private:
    std::filesystem::path file_;
    FileDescriptor descriptor_;
};

}  // namespace crescendo::launch
