#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "datasets/field.hpp"

namespace crescendo::datasets {

/// Inputs, and a target for each where there are targets, in one group of an HDF5 file, opened for reading.
///
/// A location is `FILE:/GROUP`, `fashion.h5:/train`; the group holds the data sets `inputs` and, equally long,
/// `targets`, which may be absent. Any number of threads may read: those bytes that need the library wait for its lock,
/// and everything else, decompression above all, goes on at a time.
class SampleSet {
  public:
    /// Throws InvalidInput that names file and data set: no such file, not HDF5, no such group, a type
    /// that is no number, no samples, unequal lengths, a compression that this HDF5 lacks.
    static std::shared_ptr<SampleSet> open(const std::string& location, Routes routes = Routes::fastest);
    ~SampleSet();

    const std::string& location() const;
    std::int64_t size() const;
    const Field& inputs() const;
    /// Where there are none, each has 0 elements.
    const Field& targets() const;

    /// Samples that are stored, and so are best read, together: those of one chunk of `inputs`, at most all;
    /// about 256 KiB of inputs where these lie in one piece; several of these where there are millions.
    std::int64_t chunk_samples() const;

    /// Copies samples [begin, begin + count) in file order; the spans hold exactly their bytes.
    /// Throws std::runtime_error with file, data set, samples, and chunk or offset when the file cannot be read, and
    /// with the file when it was changed since the set was opened.
    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs, std::span<std::byte> targets) const;

  private:
    class Impl;
    explicit SampleSet(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace crescendo::datasets
