#pragma once

#include <memory>

#include "datasets/sources/byte_source.hpp"
#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// Reads an array that numpy.save wrote, in either byte order. Its first axis counts samples.
///
/// Reads versions 1 to 3 of the format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
class NpyReader : public SampleSource {
  public:
    /// Throws InvalidInput if the format is not NumPy's, elements are not numbers, the order is Fortran's, or there is
    /// no axis.
    explicit NpyReader(std::unique_ptr<ByteSource> bytes);

    void skip(std::int64_t num_samples) override;
    void read(std::span<std::byte> out) override;

  private:
    std::unique_ptr<ByteSource> bytes_;
    bool swapped_ = false;  ///< whether the byte order differs from this machine's
};

}  // namespace crescendo::datasets
