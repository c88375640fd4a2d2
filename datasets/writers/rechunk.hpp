#pragma once

#include <cstdint>
#include <string>

#include "datasets/missing_sources.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// Copies the group at `from` (FILE:/GROUP) with all it holds to `to`, in another file, so that samples are read well:
/// data sets of numbers get chunks of whole samples, those of equal length in one group equally many, and this
/// machine's byte order. Everything else is copied as it is: attributes, other data sets, groups, links; but for
/// attributes made of references, which would lead nowhere. A data set that was never written stays so.
///
/// All or nothing, as NewGroup is. Holds `memory` bytes of samples, or one old and one new chunk where these are
/// larger. Old chunks of more samples than fit are read once for each part of them that fits. Progress is counted in
/// bytes.
///
/// Throws InvalidInput where there is no such group, `to` exists, a source of a virtual data set is missing, or the
/// disk has no room for what is not to be compressed; DamagedFile where the library cannot make sense of `from`;
/// std::runtime_error where a file cannot be read or written, or `from` changes meanwhile.
void rechunk(const std::string& from, const std::string& to, const WriteOptions& options,
             std::int64_t memory = std::int64_t{256} << 20, MissingSources missing = MissingSources::error);

}  // namespace crescendo::datasets
