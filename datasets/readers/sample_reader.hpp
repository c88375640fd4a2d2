#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {

class DecodeMemory;

/// Reads samples of one data set. Any number of threads may read at the same time.
class SampleReader {
  public:
    virtual ~SampleReader() = default;

    /// Copies the samples of several ranges, one after another, to `out`, which must have exactly their size. The
    /// ranges must be ascending and disjoint. Decodes a chunk once, even if several ranges need it. Throws
    /// std::runtime_error if the samples cannot be read; the message names file, data set and samples, and chunk and
    /// offset if known.
    virtual void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const = 0;

    /// Reads the single range of samples [begin, begin + count).
    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> out) const {
        const Range range{begin, begin + count};
        read_ranges({&range, 1}, out);
    }

    /// Announces that the samples of these ranges will be read soon, so that the system may fetch them into its cache.
    /// This is a hint that cannot fail. It has no effect if the samples' place in the file is unknown.
    virtual void announce_ranges(std::span<const Range> /*ranges*/) const {}
};

/// Calls `read` for each range, with its part of `out`.
void read_one_by_one(std::span<const Range> ranges, std::span<std::byte> out,
                     const std::function<void(const Range& range, std::span<std::byte> out)>& read);

/// Makes the fastest of the `allowed` readers of `field`, a data set of `file`, and sets field.route. `name` is
/// FILE:/PATH. `samples_per_read` is the number of neighbouring samples per read. The reader must be made and destroyed
/// under a session. Throws InvalidInput if a filter that the data set needs is missing. Readers with the same `memory`
/// share it.
std::unique_ptr<SampleReader> make_reader(hid_t file, Field& field, const std::string& name,
                                          std::int64_t samples_per_read, Routes allowed,
                                          std::shared_ptr<DecodeMemory> memory);

}  // namespace crescendo::datasets
