#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// Reads bare numbers, in this machine's byte order and row-major, from a file or from all files of a folder in the
/// order of their names; each holds one or more whole samples. Files whose names begin with '.' do not count.
class RawReader : public SampleSource {
  public:
    /// Throws InvalidInput: no files; one that does not hold whole samples; one whose name (.png, .npy, …), or for the
    /// first whose header (IDX), says that it is of another format.
    RawReader(const std::filesystem::path& path, SampleFormat format);

    void skip(std::int64_t num_samples) override;
    void read(std::span<std::byte> out) override;

  private:
    struct File {
        std::filesystem::path path;
        std::int64_t bytes = 0;
    };
    void open(std::size_t file, std::int64_t offset);

    std::vector<File> files_;
    std::size_t current_ = 0;  ///< of files_; open in in_
    std::int64_t left_ = 0;    ///< bytes of the current one
    std::ifstream in_;
};

}  // namespace crescendo::datasets
