#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/readers/decode_memory.hpp"
#include "datasets/readers/sample_reader.hpp"
#include "datasets/samples/set_options.hpp"
#include "datasets/system/file_version.hpp"

namespace crescendo::datasets {

/// One data set of a file. Everything except rows() and reader() needs a session.
class Column {
  public:
    /// Opens the data set `name`, in the syntax of DataSetName, of the group at `place`.
    Column(hid_t file, const Location& place, const std::string& name, const SetOptions& options);

    const std::string& name() const { return name_; }  ///< FILE:/PATH
    const Field& rows() const { return rows_; }        ///< each sample is a row
    /// The files, other than the set's own, that hold its elements.
    const std::vector<std::filesystem::path>& sources() const { return sources_; }
    bool is_compressed() const { return is_compressed_; }

    /// Makes the reader return unpacked numbers instead of stored ones; rows() then has the type of the unpacked ones.
    /// Call it before expect_reads_of().
    void unpack();

    /// Makes the reader, for reads of `rows` neighbouring rows. It shares `memory` with other readers. There is no
    /// reader before this call.
    void expect_reads_of(std::int64_t rows, hid_t file, Routes allowed, std::shared_ptr<DecodeMemory> memory);
    const SampleReader& reader() const { return *reader_; }

  private:
    std::string name_;
    Field rows_;
    std::optional<Field> packed_;  ///< the rows as stored, if the reader unpacks them
    std::unique_ptr<SampleReader> reader_;
    std::vector<std::filesystem::path> sources_;
    bool is_compressed_ = false;
};

/// One of the files of a set, opened for reading: its data sets of inputs, then of targets.
class SetFile {
  public:
    /// Throws as SampleSet::open does.
    static std::unique_ptr<SetFile> open(const Location& place, const SetOptions& options);
    ~SetFile();
    SetFile(const SetFile&) = delete;
    SetFile& operator=(const SetFile&) = delete;

    const Location& place() const { return place_; }
    const std::vector<Column>& columns() const { return columns_; }
    const FileVersion& version() const { return version_; }
    std::int64_t num_rows() const { return columns_.front().rows().num_samples; }

    /// The rows that the integer data set at `path` lists, in ascending order.
    std::vector<std::int64_t> listed_rows(const std::string& path) const;

    /// Makes the readers, for reads of `rows` neighbouring rows. They share `memory` with those of other files, and
    /// unpack the columns in `unpacked`. Nothing can be read before this call.
    void expect_reads_of(std::int64_t rows, Routes allowed, const std::set<std::size_t>& unpacked,
                         const std::shared_ptr<DecodeMemory>& memory);

  private:
    SetFile(const Location& place, const SetOptions& options);

    Location place_;
    hdf5::Handle file_;
    FileVersion version_;
    std::vector<Column> columns_;
};

/// Throws InvalidInput that names both files and the difference unless their rows are alike, as in one set. Each file
/// may pack measurements by its own factors.
void expect_alike(const SetFile& file, const SetFile& first);

/// The columns that two alike files pack by different factors.
std::set<std::size_t> packed_differently(const SetFile& one, const SetFile& other);

}  // namespace crescendo::datasets
