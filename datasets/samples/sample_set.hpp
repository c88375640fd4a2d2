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

/// Inputs and targets in one group of one or several HDF5 files, opened for reading.
/// A location is `FILE:/GROUP`, such as `fashion.h5:/train`, followed by a Selection if not all rows are samples. FILE
/// may be a shell pattern: the set then has the rows of all matching files, in the order of the file names. A window
/// never spans files. If there are very many files, only the most recently used ones are open (OpenFiles).
/// The data sets are equally long, and row i of each belongs together. Any number of threads may read. Only reads that
/// need the library wait for its lock; everything else, decompression above all, runs in parallel.
class SampleSet {
  public:
    using Options = SetOptions;

    /// Opens a set. Throws InvalidInput that names file and data set for: no such file, not HDF5, no such group, a type
    /// that is not a number, no samples, unequal lengths, a selection out of range, a compression that this HDF5 lacks,
    /// a missing source of a virtual data set, files whose rows differ. Throws DamagedFile if the library cannot read a
    /// file's structure. Calls `opened`, which may be null, after each file.
    static std::shared_ptr<SampleSet> open(const std::string& location, const Options& options = {},
                                           const std::function<void()>& opened = {});
    ~SampleSet();

    const std::string& location() const { return location_; }
    std::int64_t size() const { return chunks_.num_samples(); }
    const Fields& inputs() const { return inputs_; }
    const Fields& targets() const { return targets_; }

    /// Divides the samples into those that are stored together, and so are best read together. A chunk has the samples
    /// of one chunk of the first input, but never more than a file. For a contiguous input, it has about 256 KiB of it.
    /// If there would be millions of such chunks, it has several of them.
    const ChunkMap& chunks() const { return chunks_; }
    std::int64_t chunk_samples() const { return chunks().chunk_samples(); }

    /// The first field with the same samples as field `number`: another field if a data set is named twice. Fields
    /// count from 0, inputs first, then targets. With time windows, inputs never have the same samples as targets.
    std::size_t first_alike(std::size_t number) const;

    /// Bytes in memory of `count` neighbouring samples (Field::chunk_bytes). Fields with the same samples count once.
    std::size_t chunk_bytes(std::int64_t count) const;

    /// Whether reading decompresses a field's bytes, or may do so, as for a virtual data set.
    bool is_compressed() const { return is_compressed_; }

    /// Identifies this set, its options and the versions of its files: if two identities are equal, so are the bytes of
    /// every sample. Valid among processes of one node and build.
    std::uint64_t identity() const;

    /// The first place found where both sets use the same row, as "row 17 of FILE:/GROUP"; empty if there is none. Both
    /// sets must be opened with the same options. Compares only equal groups of equal files, so it does not detect
    /// copies.
    std::string common_place(const SampleSet& other) const;

    /// Index in its file of the row, or first row, of sample `sample`, for messages.
    std::int64_t row_of(std::int64_t sample) const;
    /// FILE:/GROUP that holds sample `sample`, for messages.
    std::string place_of(std::int64_t sample) const;

    /// Copies samples [begin, begin + count) in file order. `fields` has a span of bytes_of(count) per field, inputs
    /// first, then targets; an empty span skips its field. Throws std::runtime_error with file, data set, rows, and
    /// chunk or offset if the file cannot be read. With overlapping windows, a call must stay within one file.
    /// Call expect_unchanged() after one or several reads: if it does not throw, they returned the set as it was
    /// opened.
    void read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const;

    /// Throws std::runtime_error with the file's name if a file, or a source of its data sets, was written to,
    /// truncated or replaced since it was opened. On a parallel file system this costs one metadata request per file.
    void expect_unchanged() const;
    /// Checks only the files of `chunks`, which must be ascending.
    void expect_unchanged(std::span<const std::int64_t> chunks) const;

    /// Announces that samples [begin, begin + count) will be read soon. The system starts to fetch those bytes whose
    /// place in the file is known.
    void announce(std::int64_t begin, std::int64_t count) const;

    /// Reads all fields: the input fields, one after another, into `inputs`, and the target fields into `targets`.
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
