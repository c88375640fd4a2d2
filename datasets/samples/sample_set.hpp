#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// Neighbouring rows as one sample: sample i has the rows [i·stride, i·stride + length) as inputs, and as targets the
/// row that lies `horizon` rows behind the last of these.
struct TimeWindow {
    std::int64_t length = 0;  ///< 0: no windows, a sample is a row
    std::int64_t stride = 1;
    std::int64_t horizon = 0;

    friend auto operator<=>(const TimeWindow&, const TimeWindow&) = default;
};

/// Inputs and targets in one group of an HDF5 file, opened for reading.
///
/// A location is `FILE:/GROUP`, `fashion.h5:/train`, with a Selection behind it where not all rows are samples. The
/// data sets named are equally long: row i of each belongs together. Any number of threads may read: those bytes that
/// need the library wait for its lock, and everything else, decompression above all, goes on at a time.
class SampleSet {
  public:
    struct Options {
        std::vector<std::string> inputs{"inputs"};    ///< data sets in the group; at least one
        std::vector<std::string> targets{"targets"};  ///< may be none; `targets` alone may be absent
        TimeWindow window = {};
        Routes routes = Routes::fastest;
        SampleLayout layout = SampleLayout::chw;  ///< of rows with three axes or more
        MissingSources missing_sources = MissingSources::error;
    };

    /// Throws InvalidInput that names file and data set: no such file, not HDF5, no such group, a type
    /// that is no number, no samples, unequal lengths, a selection beyond them, a compression that this HDF5 lacks, a
    /// source of a virtual data set that is missing. Throws DamagedFile where the library cannot make sense of it.
    static std::shared_ptr<SampleSet> open(const std::string& location, const Options& options);
    static std::shared_ptr<SampleSet> open(const std::string& location) { return open(location, Options()); }
    ~SampleSet();

    const std::string& location() const;
    std::int64_t size() const;
    const Fields& inputs() const;
    const Fields& targets() const;

    /// Samples that are stored, and so are best read, together: those of one chunk of the first input, at most all;
    /// about 256 KiB of it where it lies in one piece; several of these where there are millions.
    std::int64_t chunk_samples() const;

    /// The first field, counting the inputs' and then the targets', whose samples are those of field `field`: another
    /// one where a data set is named twice. Those in windows of time are alike among the inputs, or the targets, only.
    std::size_t first_alike(std::size_t field) const;

    /// Bytes of `count` samples that are held together (Field::chunk_bytes), fields that are alike once.
    std::size_t chunk_bytes(std::int64_t count) const;

    /// The row that sample `sample` is, or begins with, for messages.
    std::int64_t row_of(std::int64_t sample) const;

    /// Copies samples [begin, begin + count) in file order: for each field of the inputs, then of the targets, a span
    /// of its bytes_of(count), or an empty one where the field is not to be read.
    /// Throws std::runtime_error with file, data set, rows, and chunk or offset when the file cannot be read, and
    /// with the file when it, or one that a virtual data set is made of, was changed since the set was opened.
    void read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const;

    /// Throws std::runtime_error where the file, or a source of its data sets, was written to, cut off or replaced
    /// since it was opened. read() looks itself.
    void expect_unchanged() const;

    /// Samples [begin, begin + count) will be read soon: the system begins to fetch what lies where it is known.
    void announce(std::int64_t begin, std::int64_t count) const;

    /// Reads all fields, with one span for the inputs' fields, one after the other, and one for the targets'.
    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs, std::span<std::byte> targets) const;

  private:
    class Impl;
    explicit SampleSet(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace crescendo::datasets
