#pragma once

#include <cstdint>
#include <string>

#include "datasets/hdf5/missing_sources.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// Copies the group at `from` (FILE:/GROUP), with everything in it, to `to` in another file, so that samples can be
/// read fast. Numeric data sets get this machine's byte order and chunks of whole samples; data sets of equal length in
/// one group get equally many samples per chunk. Attributes, other data sets, groups and links are copied as they are.
/// Attributes made of references are left out, because they would be invalid. A data set that was never written stays
/// unwritten.
/// Makes the copy completely or not at all, as NewGroup does. Holds `memory` bytes of samples, or one old and one new
/// chunk if these are larger. An old chunk with more samples than fit is read once per part that fits. Progress is
/// counted in bytes.
/// Throws InvalidInput if there is no such group, `to` exists, a source of a virtual data set is missing, or the disk
/// has no room for an uncompressed copy; DamagedFile if the library cannot read the structure of `from`;
/// std::runtime_error if a file cannot be read or written, or if `from` changes meanwhile.
void rechunk(const std::string& from, const std::string& to, const WriteOptions& options,
             std::int64_t memory = std::int64_t{256} << 20, MissingSources missing = MissingSources::error);

}  // namespace crescendo::datasets
