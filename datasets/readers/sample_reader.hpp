#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets {

/// Reads samples of one data set. Any number of threads may read at a time.
class SampleReader {
  public:
    virtual ~SampleReader() = default;

    /// Copies the samples [begin, begin + count) to `out`, exactly their bytes. Throws std::runtime_error with file,
    /// data set and samples, and where they are known chunk and offset, when these cannot be read.
    virtual void read(std::int64_t begin, std::int64_t count, std::span<std::byte> out) const = 0;

    /// The samples [begin, begin + count) will be read soon: the system may begin to fetch them into its cache. Only a
    /// hint, which cannot fail; without effect where it is not known where they lie.
    virtual void announce(std::int64_t /*begin*/, std::int64_t /*count*/) const {}
};

/// The fastest of the `allowed` readers of `field`, a data set of `file`; sets field.route. `name` is FILE:/PATH; reads
/// will be of `samples_per_read` neighbours. To be made and destroyed under a session. Throws InvalidInput where a
/// filter is missing that the data set needs.
std::unique_ptr<SampleReader> make_reader(hid_t file, Field& field, const std::string& name,
                                          std::int64_t samples_per_read, Routes allowed);

}  // namespace crescendo::datasets
