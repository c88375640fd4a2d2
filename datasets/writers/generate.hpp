#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// Makes a set of any size at `location` (FILE:/GROUP), instantly and with almost no disk space, for tests of scale. It
/// has `num_samples` float32 inputs of shape `shape`, and as many float32 targets. The data are holes in the file,
/// which read as 0.
///
/// The group is made completely or not at all, as NewGroup does. Throws InvalidInput if the group exists, a length is
/// not positive, or the set would exceed 2^60 bytes; std::runtime_error if the file system does not allow files of that
/// size.
void generate_sparse(const std::string& location, std::int64_t num_samples, const std::vector<std::int64_t>& shape);

}  // namespace crescendo::datasets
