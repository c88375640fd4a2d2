#pragma once

#include <vector>

#include "datasets/readers/row_runs.hpp"
#include "datasets/readers/sample_reader.hpp"

namespace crescendo::datasets {

/// Reads elements that are contiguous in the file by pread, without the library and its lock.
/// If only parts of rows are wanted, also reads short gaps between two wanted runs, which saves calls.
///
/// Bytes are as stored, in the file's byte order.
class ContiguousReader : public SampleReader {
  public:
    /// Returns nullptr if the elements are not contiguous in a plain file: the data set is compact, external, virtual
    /// or not yet written, or the file has another driver.
    static std::unique_ptr<ContiguousReader> make(hid_t data_set, const Field& field, const std::string& name);

    void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const override;
    void announce_ranges(std::span<const Range> ranges) const override;

  private:
    void read_samples(std::uint64_t offset, std::span<std::byte> out, Range samples) const;
    void read_parts(Range samples, std::span<std::byte> out) const;
    std::uint64_t row_at(std::int64_t sample) const;

    ContiguousReader(hdf5::Handle file, int descriptor, std::uint64_t offset, const Field& field, std::string name);

    hdf5::Handle file_;  ///< keeps the descriptor open
    int descriptor_;     ///< the library's own, so that both see the same file
    std::uint64_t offset_;
    std::size_t row_bytes_;
    std::vector<RowRun> runs_;  ///< wanted parts of a row
    std::string name_;
};

}  // namespace crescendo::datasets
