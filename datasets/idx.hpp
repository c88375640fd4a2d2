#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/field.hpp"

struct gzFile_s;  // zlib's

namespace crescendo::datasets {

/// Reads an IDX file, plain or compressed with gzip, from its first sample to its last.
///
/// The format of MNIST (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"): two zero bytes,
/// the element type, the number of axes, the length of each axis as 32 bits, the elements in row-major order; all
/// big-endian.
class IdxReader {
  public:
    /// Throws InvalidInput: no such file, not IDX, cut off in its header.
    explicit IdxReader(const std::filesystem::path& file);

    ElementType type() const { return type_; }
    std::int64_t num_samples() const { return num_samples_; }
    /// Of one sample; empty for a scalar.
    const std::vector<std::int64_t>& shape() const { return shape_; }

    std::size_t sample_bytes() const;

    void skip(std::int64_t num_samples);

    /// Fills `out`, any number of whole elements, in host byte order. Throws InvalidInput where the file ends before.
    void read(std::span<std::byte> out);

  private:
    struct Close {
        void operator()(gzFile_s* file) const;
    };

    void read_header();
    void read_bytes(std::span<std::byte> out);

    std::string name_;
    std::unique_ptr<gzFile_s, Close> file_;
    ElementType type_ = ElementType::u8;
    std::int64_t num_samples_ = 0;
    std::vector<std::int64_t> shape_;
};

}  // namespace crescendo::datasets
