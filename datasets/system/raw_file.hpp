#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "datasets/system/page.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {

/// A file, or several one after the other, as plain bytes. Their speed is what the reading of a set is compared with.
///
/// One file is open at a time, because there may be thousands. Throws std::system_error where one cannot be opened.
class RawFile {
  public:
    explicit RawFile(const std::filesystem::path& file) : RawFile(std::vector{file}) {}
    explicit RawFile(std::vector<std::filesystem::path> files);

    /// Drops what the page cache has of the files, except for pages that still must be written.
    void forget() const;

    /// Reads at most the first `bytes` bytes by pread, 4 MiB at a time, with all threads, into a window of 64 MiB.
    /// Returns how many bytes it read.
    std::uint64_t read(std::uint64_t bytes, TaskPool& pool);

  private:
    std::vector<std::filesystem::path> files_;
    std::vector<Page> window_;
};

}  // namespace crescendo::datasets
