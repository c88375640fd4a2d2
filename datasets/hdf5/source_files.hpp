#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// The files, other than that of `data_set` itself, in which its elements lie: the sources of a virtual data set, and
/// theirs where these are virtual too, and external ones of bare numbers. Each once.
///
/// The library reads samples whose source is not there as the fill value, and says nothing. With MissingSources::error
/// such a source is InvalidInput that names it; `name` is FILE:/PATH.
std::vector<std::filesystem::path> source_files(hid_t data_set, const std::string& name, MissingSources missing);

}  // namespace crescendo::datasets
