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

/// Writes samples of `source`, which stands at its first, as the set at `location` (FILE:/GROUP), which
/// SampleSet::open reads. Returns how many. The names of classes become the attribute `classes` of the targets.
///
/// Makes the file, or adds the group to it. All or nothing, as NewGroup is. Holds one chunk in memory. Progress is
/// counted in samples.
///
/// Throws InvalidInput for a range outside of the source, a group that exists, and what is wrong with the source;
/// std::runtime_error where the file cannot be written.
std::int64_t convert(SetSource& source, const std::string& location, const SampleRange& range,
                     const WriteOptions& options);

}  // namespace crescendo::datasets
