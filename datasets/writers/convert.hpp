#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/sources/sample_source.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// The samples [begin, end) of a source. Without `end`, all samples from `begin` on.
struct SampleRange {
    std::int64_t begin = 0;
    std::optional<std::int64_t> end;
};

/// Moves `source` from its first sample to the first sample of the range. Returns the number of samples in the range.
/// Throws InvalidInput if the range is empty or reaches beyond the source.
std::int64_t enter_range(SetSource& source, const SampleRange& range);

/// Writes the next `num_samples` of `source` as the set at `location` (FILE:/GROUP), which SampleSet::open reads. Class
/// names become the attribute `classes` of the targets.
/// Creates the file, or adds the group to it, completely or not at all, as NewGroup does. Holds one chunk in memory.
/// Progress is counted in samples.
///
/// Throws InvalidInput if the group exists or something is wrong with the source; std::runtime_error if the file cannot
/// be written.
void convert(SetSource& source, std::int64_t num_samples, const std::string& location, const WriteOptions& options);

}  // namespace crescendo::datasets
