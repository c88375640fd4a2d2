#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/files/file_descriptor.hpp"
#include "datasets/system/page.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {

/// A file as plain bytes. Its speed is what the reading of a set is compared with.
class RawFile {
  public:
    /// Throws std::system_error if the file cannot be opened.
    explicit RawFile(const std::filesystem::path& file);

    /// Drops what the page cache has of the file, except for pages that still must be written.
    void forget() const;

    /// Reads at most the first `bytes` bytes by pread, 4 MiB at a time, with all threads, into a window of 64 MiB.
    /// Returns how many bytes it read.
    std::uint64_t read(std::uint64_t bytes, TaskPool& pool);

  private:
    FileDescriptor descriptor_;
    std::uint64_t size_;
    std::vector<Page> window_;
};

}  // namespace crescendo::datasets
