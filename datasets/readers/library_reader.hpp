#pragma once

#include "datasets/readers/sample_reader.hpp"

namespace crescendo::datasets {

/// Reads through the library: everything that it can read, including external and virtual data sets, but one call at a
/// time.
class LibraryReader : public SampleReader {
  public:
    /// Throws InvalidInput if the library lacks a filter.
    LibraryReader(hid_t file, const Field& field, const std::string& name, std::int64_t samples_per_read);

    void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const override;

  private:
    void read_range(const Range& range, std::span<std::byte> out) const;

    std::string name_;
    std::vector<hsize_t> sample_start_;  ///< start of the part that is read of each row
    std::vector<hsize_t> sample_shape_;
    hdf5::Handle data_set_;
    hdf5::Handle memory_type_;
    hdf5::Handle space_;  ///< its selection changes with every read, under the session's lock
};

}  // namespace crescendo::datasets
