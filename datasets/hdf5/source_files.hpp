#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// The files other than that of `data_set` itself that hold its elements, each once: the sources of a virtual data set,
/// their sources if they are virtual too, and external files of bare numbers.
///
/// If a source is missing, the library reads the fill value instead and reports nothing. With MissingSources::error, a
/// missing source throws InvalidInput that names it. `name` is FILE:/PATH.
std::vector<std::filesystem::path> source_files(hid_t data_set, const std::string& name, MissingSources missing);

}  // namespace crescendo::datasets
