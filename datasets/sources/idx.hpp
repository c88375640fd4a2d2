#pragma once

#include <filesystem>
#include <memory>

#include "datasets/sources/byte_source.hpp"
#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// Reads an IDX file, plain or compressed with gzip.
///
/// IDX is the format of MNIST (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"): two zero
/// bytes, the element type, the number of axes, the length of each axis as 32 bits, the elements in row-major order;
/// all big-endian.
class IdxReader : public SampleSource {
  public:
    /// Throws InvalidInput if there is no such file, it is not IDX, or it is cut off in its header.
    explicit IdxReader(const std::filesystem::path& file);

    void skip(std::int64_t num_samples) override;
    void read(std::span<std::byte> out) override;

  private:
    std::unique_ptr<ByteSource> bytes_;
};

/// Whether a file begins like IDX and has exactly the length that its header gives. Bare numbers hardly ever match by
/// chance.
bool is_idx(const std::filesystem::path& file);

}  // namespace crescendo::datasets
