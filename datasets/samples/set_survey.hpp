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

/// What a set knows of a file that may be closed.
struct SetPart {
    Location place;
    RowMap map;
    FileVersion version;                              ///< as it was when the set was opened
    std::map<std::string, FileVersion> sources = {};  ///< of its virtual data sets, by path
};

/// Opens the files of a set one after the other, and notes what is taken of each.
class SetSurvey {
  public:
    /// The arguments are those of SampleSet::open(), and so is what this throws. They must outlive it.
    SetSurvey(const std::string& location, const SetOptions& options, const std::function<void()>& opened);

    /// The longest list of names that a file has for the classes of a data set.
    struct ClassNames {
        std::vector<std::string> names;
        std::string data_set;  ///< FILE:/PATH, which has these
    };

    std::vector<SetPart> parts;                  ///< files without selected rows are none
    std::vector<std::shared_ptr<SetFile>> open;  ///< the first of the parts
    std::set<std::size_t> unpacked;              ///< columns that the files pack by different factors
    std::vector<ClassNames> classes;             ///< of each column
    std::int64_t num_samples = 0;
    bool is_compressed = false;
    std::int64_t chunk_samples = 0;  ///< of ChunkMap

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
    std::int64_t num_rows_ = 0;    ///< of the files so far
    std::int64_t chunk_rows_ = 0;  ///< the most that a chunk of the first input holds; 0: there are no chunks
};

}  // namespace crescendo::datasets
