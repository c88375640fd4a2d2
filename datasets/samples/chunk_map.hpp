#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// Divides a set's samples, in file order, into chunks. All chunks have the same number of samples, except the last one
/// of each file: no chunk crosses files.
class ChunkMap {
  public:
    /// A set in one file, of `num_samples` samples.
    ChunkMap(std::int64_t num_samples, std::int64_t chunk_samples)
        : ChunkMap(std::vector{num_samples}, chunk_samples) {}
    /// A set in several files, with the number of samples of each. All numbers must be positive.
    ChunkMap(const std::vector<std::int64_t>& file_samples, std::int64_t chunk_samples);

    std::int64_t num_samples() const { return files_.back().samples.end; }
    std::int64_t num_chunks() const { return chunk_of(num_samples() - 1) + 1; }
    std::int64_t chunk_samples() const { return chunk_samples_; }  ///< samples of a full chunk

    /// The chunk that holds a sample, and the sample's number in it.
    struct Place {
        std::int64_t chunk;
        std::int64_t sample;
    };
    Place find(std::int64_t sample) const {
        const auto& file = files_[files_.size() == 1 ? 0 : file_of(sample)];
        const auto in_file = sample - file.samples.begin;
        return {file.first_chunk + in_file / chunk_samples_, in_file % chunk_samples_};
    }
    std::int64_t chunk_of(std::int64_t sample) const { return find(sample).chunk; }
    Range samples_of(std::int64_t chunk) const;

    /// Index of the file that holds the sample.
    std::size_t file_of(std::int64_t sample) const;
    Range samples_of_file(std::size_t file) const { return files_[file].samples; }

  private:
    struct File {
        Range samples;
        std::int64_t first_chunk;
    };
    std::vector<File> files_;
    std::int64_t chunk_samples_;
};

}  // namespace crescendo::datasets
