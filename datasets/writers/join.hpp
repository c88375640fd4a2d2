#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/hdf5/missing_sources.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// Copies rows of data sets to the group `to` of another file. `from` is the location of a set (SampleSet::open); it
/// may span several files, whose rows are then concatenated. `data_sets` are their names; empty: inputs, and targets if
/// there are any. Attributes come from the first file. Nothing else is copied.
/// Makes the group completely or not at all, as NewGroup does. Holds `memory` bytes of rows, or one new chunk if that
/// is larger, plus the memory of the files' readers. Progress is counted in bytes. Throws as SampleSet::open and
/// rechunk() do.
void join(const std::string& from, const std::string& to, const std::vector<std::string>& data_sets,
          const WriteOptions& options, std::int64_t memory = std::int64_t{256} << 20,
          MissingSources missing = MissingSources::error);

}  // namespace crescendo::datasets
