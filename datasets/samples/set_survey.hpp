#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "datasets/hdf5/location.hpp"
#include "datasets/samples/row_map.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/samples/set_file.hpp"
#include "datasets/samples/set_options.hpp"
#include "datasets/system/file_version.hpp"

namespace crescendo::datasets {

/// What a set remembers about a file, which may be closed.
struct SetPart {
    Location place;
    RowMap map;
    FileVersion version;                              ///< version when the set was opened
    std::map<std::string, FileVersion> sources = {};  ///< versions of the sources of its virtual data sets, by path
};

/// Opens the files of a set one after another, and notes which rows the set takes from each.
class SetSurvey {
  public:
    /// The arguments are those of SampleSet::open(), and must outlive this object. Throws as SampleSet::open() does.
    SetSurvey(const std::string& location, const SetOptions& options, const std::function<void()>& opened);

    /// The longest list of class names that any file has for a data set.
    struct ClassNames {
        std::vector<std::string> names;
        std::string data_set;  ///< FILE:/PATH that has these names
    };

    std::vector<SetPart> parts;                  ///< excludes files without selected rows
    std::vector<std::shared_ptr<SetFile>> open;  ///< the files of the first parts, still open
    std::set<std::size_t> unpacked;              ///< columns that files pack by different factors
    std::vector<ClassNames> classes;             ///< class names of each column
    std::int64_t num_samples = 0;
    bool is_compressed = false;
    std::int64_t chunk_samples = 0;  ///< for ChunkMap

  private:
    std::int64_t block_samples() const;
    void look_at(const std::shared_ptr<SetFile>& file);
    void note_classes(const SetFile& file);
    RowMap map_of(const SetFile& file) const;
    void expect_samples(std::size_t num_files) const;

    const std::string& location_;
    Selection selection_;
    const SetOptions& options_;
    std::shared_ptr<SetFile> first_;
    std::int64_t num_rows_ = 0;    ///< number of rows of the files so far
    std::int64_t chunk_rows_ = 0;  ///< most rows in a chunk of the first input; 0: no chunks
};

}  // namespace crescendo::datasets
