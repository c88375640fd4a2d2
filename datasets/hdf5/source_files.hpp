#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// The files, other than that of `data_set`, that hold its elements; each once. They are the sources of a virtual data
/// set, the sources of sources that are virtual or behind a link, and external files of bare numbers.
/// The library reports no error for these: for a source that is missing, or that ends before the chunks that are taken
/// from it, it reads the fill value; for a truncated external file, it reads zeros; it reads numbered files only up to
/// the first gap. With MissingSources::error, each of these throws InvalidInput that names the file. Two cases always
/// throw it: a source without chunks that ends too early, because the library would read whatever follows it, and a
/// source whose attributes (Packing) say more about its numbers than those of `data_set`. `name` is FILE:/PATH.
std::vector<std::filesystem::path> source_files(hid_t data_set, const std::string& name, MissingSources missing);

/// The file that contains `data_set` itself, if a link led there from another file, `opened`; none otherwise.
std::optional<std::filesystem::path> linked_file(hid_t data_set, const std::filesystem::path& opened);

}  // namespace crescendo::datasets
