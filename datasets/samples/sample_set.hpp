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

/// Neighbouring rows as one sample. The inputs of sample i are the rows [i·stride, i·stride + length). Its target is
/// the row that lies `horizon` rows behind the last of these.
struct TimeWindow {
    std::int64_t length = 0;  ///< 0: no windows, a sample is a row
    std::int64_t stride = 1;
    std::int64_t horizon = 0;

    friend auto operator<=>(const TimeWindow&, const TimeWindow&) = default;
};

/// Inputs and targets in one group of an HDF5 file, opened for reading.
///
/// A location is `FILE:/GROUP`, such as `fashion.h5:/train`, with a Selection behind it if not all rows are samples.
/// The data sets are equally long: row i of each belongs together. Any number of threads may read. Only reads that need
/// the library wait for its lock; everything else, decompression above all, runs in parallel.
class SampleSet {
  public:
    struct Options {
        std::vector<std::string> inputs{"inputs"};    ///< names of the data sets with inputs; at least one
        std::vector<std::string> targets{"targets"};  ///< may be none; if only "targets", it may be absent
        TimeWindow window = {};
        Routes routes = Routes::fastest;
        SampleLayout layout = SampleLayout::chw;  ///< layout of rows with three axes or more
        MissingSources missing_sources = MissingSources::error;
    };

    /// Opens a set. Throws InvalidInput that names file and data set for: no such file, not HDF5, no such group, a type
    /// that is not a number, no samples, unequal lengths, a selection beyond them, a compression that this HDF5 lacks,
    /// a missing source of a virtual data set. Throws DamagedFile if the library cannot make sense of the file.
    static std::shared_ptr<SampleSet> open(const std::string& location, const Options& options);
    static std::shared_ptr<SampleSet> open(const std::string& location) { return open(location, Options()); }
    ~SampleSet();

    const std::string& location() const;
    std::int64_t size() const;
    const Fields& inputs() const;
    const Fields& targets() const;

    /// Number of samples that are stored together, and so are best read together: those of one chunk of the first
    /// input, at most all. If the input lies in one piece, it is about 256 KiB of it. If there are millions of such
    /// pieces, it is several of them.
    std::int64_t chunk_samples() const;

    /// The first field with the same samples as field `field`; this is another field if a data set is named twice.
    /// Fields count from 0, inputs first, then targets. With windows of time, inputs are never the same as targets.
    std::size_t first_alike(std::size_t field) const;

    /// Bytes of `count` samples that are held together (Field::chunk_bytes). Fields with the same samples count once.
    std::size_t chunk_bytes(std::int64_t count) const;

    /// Whether a field's bytes are decompressed as they are read, or may be, as those of a virtual data set.
    bool is_compressed() const;

    /// Tells what is read here from what is read of other sets, with other options, or of other versions of the files:
    /// where it is equal, so are the bytes of every sample. Holds for the processes of one node and build.
    std::uint64_t identity() const;

    /// The row of sample `sample`, or its first row, for messages.
    std::int64_t row_of(std::int64_t sample) const;

    /// Copies samples [begin, begin + count) in file order. `fields` has a span of bytes_of(count) for each field of
    /// the inputs, then of the targets, or an empty span for a field that is not to be read. Throws std::runtime_error
    /// with file, data set, rows, and chunk or offset if the file cannot be read.
    ///
    /// What one or several reads gave is of the set that was opened if expect_unchanged() does not throw afterwards.
    void read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const;

    /// Throws std::runtime_error with the file if it, or a source of its data sets, was written to, cut off or replaced
    /// since it was opened. On a parallel file system this asks the server of metadata, once for each file.
    void expect_unchanged() const;

    /// Announces that samples [begin, begin + count) will be read soon. The system begins to fetch bytes whose place in
    /// the file is known.
    void announce(std::int64_t begin, std::int64_t count) const;

    /// Reads all fields: those of the inputs into one span, one after the other, and those of the targets into another.
    /// Calls expect_unchanged().
    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs, std::span<std::byte> targets) const;

  private:
    class Impl;
    explicit SampleSet(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace crescendo::datasets
