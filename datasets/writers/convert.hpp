#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/sources/sample_source.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// Samples [begin, end) of a source; without `end`, all from `begin` on.
struct SampleRange {
    std::int64_t begin = 0;
    std::optional<std::int64_t> end;
};

/// Places `source`, which stands at its first sample, at that of the range. Returns how many the range has. Throws
/// InvalidInput where it is empty or reaches beyond the source.
std::int64_t enter_range(SetSource& source, const SampleRange& range);

/// Writes the next `num_samples` of `source` as the set at `location` (FILE:/GROUP), which SampleSet::open reads. The
/// names of classes become the attribute `classes` of the targets.
///
/// Makes the file, or adds the group to it. All or nothing, as NewGroup is. Holds one chunk in memory. Progress is
/// counted in samples.
///
/// Throws InvalidInput for a group that exists and what is wrong with the source; std::runtime_error where the file
/// cannot be written.
void convert(SetSource& source, std::int64_t num_samples, const std::string& location, const WriteOptions& options);

}  // namespace crescendo::datasets
