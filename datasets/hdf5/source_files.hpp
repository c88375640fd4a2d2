#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// The files other than that of `data_set` itself that hold its elements, each once: the sources of a virtual data set,
/// their sources if they are virtual too or lie behind a link, and external files of bare numbers.
///
/// If a source is missing, or ends before what is taken of its chunks, the library reads the fill value instead and
/// reports nothing; of an external file that was cut off it reads zeros, and numbered files it takes up to the first
/// gap. With MissingSources::error, each of these throws InvalidInput that names the file. So do, always, a source
/// without chunks that ends too early, since the library would read what lies behind it, and a source whose attributes
/// say of its numbers (Packing) what those of `data_set` do not. `name` is FILE:/PATH.
std::vector<std::filesystem::path> source_files(hid_t data_set, const std::string& name, MissingSources missing);

/// The file that `data_set` itself lies in, if a link led there from another file, `opened`.
std::optional<std::filesystem::path> linked_file(hid_t data_set, const std::filesystem::path& opened);

}  // namespace crescendo::datasets
