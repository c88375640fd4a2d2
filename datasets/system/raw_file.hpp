#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "datasets/system/page.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {

/// One or several files as plain bytes, read one after another. Benchmarks compare the reading of a set with their
/// speed.
/// Opens one file at a time, because there may be thousands. Throws std::system_error if a file cannot be opened.
class RawFile {
  public:
    explicit RawFile(const std::filesystem::path& file) : RawFile(std::vector{file}) {}
    explicit RawFile(std::vector<std::filesystem::path> files);

    /// Drops the files from the page cache, except for dirty pages.
    void forget() const;

    /// Reads at most the first `bytes` bytes by pread, 4 MiB at a time, with all threads, into a window of 64 MiB.
    /// Returns how many bytes it read.
    std::uint64_t read(std::uint64_t bytes, TaskPool& pool);

  private:
    std::vector<std::filesystem::path> files_;
    std::vector<Page> window_;
};

}  // namespace crescendo::datasets
