#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/samples/chunk_map.hpp"
#include "datasets/samples/set_options.hpp"

namespace crescendo::datasets {

class SetSurvey;

/// Inputs and targets in one group of an HDF5 file, or of several, opened for reading.
///
/// A location is `FILE:/GROUP`, such as `fashion.h5:/train`, with a Selection behind it if not all rows are samples.
/// FILE may be a shell pattern: then the rows of all files that match follow each other, sorted by the files' names. A
/// sample that is a window has the rows of one file. Of very many files, those used last are open (OpenFiles).
///
/// The data sets are equally long: row i of each belongs together. Any number of threads may read. Only reads that need
/// the library wait for its lock; everything else, decompression above all, runs in parallel.
class SampleSet {
  public:
    using Options = SetOptions;

    /// Opens a set. Throws InvalidInput that names file and data set for: no such file, not HDF5, no such group, a type
    /// that is not a number, no samples, unequal lengths, a selection beyond them, a compression that this HDF5 lacks,
    /// a missing source of a virtual data set, files whose rows differ. Throws DamagedFile if the library cannot make
    /// sense of a file. Calls `opened`, which may be null, after each file.
    static std::shared_ptr<SampleSet> open(const std::string& location, const Options& options = {},
                                           const std::function<void()>& opened = {});
    ~SampleSet();

    const std::string& location() const { return location_; }
    std::int64_t size() const { return chunks_.num_samples(); }
    const Fields& inputs() const { return inputs_; }
    const Fields& targets() const { return targets_; }

    /// The samples that are stored together, and so are best read together: those of one chunk of the first input, at
    /// most all of a file. If the input lies in one piece, it is about 256 KiB of it. If there are millions of such
    /// pieces, it is several of them.
    const ChunkMap& chunks() const { return chunks_; }
    std::int64_t chunk_samples() const { return chunks().chunk_samples(); }

    /// The first field with the same samples as field `number`; this is another field if a data set is named twice.
    /// Fields count from 0, inputs first, then targets. With windows of time, inputs are never the same as targets.
    std::size_t first_alike(std::size_t number) const;

    /// Bytes of `count` samples that are held together (Field::chunk_bytes). Fields with the same samples count once.
    std::size_t chunk_bytes(std::int64_t count) const;

    /// Whether a field's bytes are decompressed as they are read, or may be, as those of a virtual data set.
    bool is_compressed() const { return is_compressed_; }

    /// Tells what is read here from what is read of other sets, with other options, or of other versions of the files:
    /// where it is equal, so are the bytes of every sample. Holds for the processes of one node and build.
    std::uint64_t identity() const;

    /// The first place found where a row is of samples of both sets, as "row 17 of FILE:/GROUP"; empty if there is
    /// none. Both were opened with the same options. Of a file, only the same group is compared; copies are not
    /// noticed.
    std::string common_place(const SampleSet& other) const;

    /// The row of sample `sample`, or its first row, in its file, for messages.
    std::int64_t row_of(std::int64_t sample) const;
    /// FILE:/GROUP that holds sample `sample`, for messages.
    std::string place_of(std::int64_t sample) const;

    /// Copies samples [begin, begin + count) in file order. `fields` has a span of bytes_of(count) for each field of
    /// the inputs, then of the targets, or an empty span for a field that is not to be read. Throws std::runtime_error
    /// with file, data set, rows, and chunk or offset if the file cannot be read. Windows that overlap are read from
    /// one file at a time.
    ///
    /// What one or several reads gave is of the set that was opened if expect_unchanged() does not throw afterwards.
    void read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const;

    /// Throws std::runtime_error with the file if it, or a source of its data sets, was written to, cut off or replaced
    /// since it was opened. On a parallel file system this asks the server of metadata, once for each file.
    void expect_unchanged() const;
    /// Looks only at the files of `chunks`, which ascend.
    void expect_unchanged(std::span<const std::int64_t> chunks) const;

    /// Announces that samples [begin, begin + count) will be read soon. The system begins to fetch bytes whose place in
    /// the file is known.
    void announce(std::int64_t begin, std::int64_t count) const;

    /// Reads all fields: those of the inputs into one span, one after the other, and those of the targets into another.
    /// Calls expect_unchanged().
    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs, std::span<std::byte> targets) const;

  private:
    class Files;
    SampleSet(const std::string& location, const Options& options, SetSurvey& survey);

    std::size_t num_fields() const { return inputs_.size() + targets_.size(); }
    const Field& field(std::size_t number) const;

    std::string location_;
    ChunkMap chunks_;
    bool is_compressed_;
    Fields inputs_;
    Fields targets_;
    std::unique_ptr<Files> files_;
};

}  // namespace crescendo::datasets
