#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// Reads bare numbers, in this machine's byte order and row-major, from a file, or from all files of a folder sorted by
/// name. Each file holds one or more whole samples. Files whose names begin with '.' are ignored.
class RawReader : public SampleSource {
  public:
    /// Throws InvalidInput if there are no files, if one does not hold whole samples, or if one has another format by
    /// its name (.png, .npy, …) or, for the first file, by its header (IDX).
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
    std::size_t current_ = 0;  ///< index in files_ of the file that in_ reads
    std::int64_t left_ = 0;    ///< bytes of the current file that are not read yet
    std::ifstream in_;
};

}  // namespace crescendo::datasets
