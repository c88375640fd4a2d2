#pragma once

#include <memory>

#include "datasets/sources/byte_source.hpp"
#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

/// Reads an array that numpy.save wrote, whose first axis counts samples, of either byte order.
///
/// The format, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
class NpyReader : public SampleSource {
  public:
    /// Throws InvalidInput: not NumPy's format, elements that are no numbers, Fortran's order, no axis.
    explicit NpyReader(std::unique_ptr<ByteSource> bytes);

    void skip(std::int64_t num_samples) override;
    void read(std::span<std::byte> out) override;

  private:
    std::unique_ptr<ByteSource> bytes_;
    bool swapped_ = false;  ///< from this machine's byte order
};

}  // namespace crescendo::datasets
