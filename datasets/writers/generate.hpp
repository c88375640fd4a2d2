#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// Makes the set at `location` (FILE:/GROUP) in no time and next to no disk, however large it says to be: `num_samples`
/// inputs of float32 with `shape`, and as many targets of float32, all of them holes, which read as 0. For trying
/// scale.
///
/// All or nothing, as NewGroup is. Throws InvalidInput where the group exists, a length is not positive, or the set
/// would exceed 2^60 bytes; std::runtime_error where the file system has no files of that size.
void generate_sparse(const std::string& location, std::int64_t num_samples, const std::vector<std::int64_t>& shape);

}  // namespace crescendo::datasets
