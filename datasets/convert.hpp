#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace crescendo::datasets {

/// Samples [begin, end) of a file; without `end`, all from `begin` on.
struct SampleRange {
    std::int64_t begin = 0;
    std::optional<std::int64_t> end;
};

struct ConvertOptions {
    std::int64_t chunk_samples = 0;  ///< of a chunk; 0: as many as make about 256 KiB of inputs
    int compression = 0;             ///< level of deflate, 1 to 9; 0: none
    /// Called with the samples written so far and their total.
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
};

/// Writes samples of two equally long IDX files as the set at `location` (FILE:/GROUP), which SampleSet::open reads.
/// Returns how many.
///
/// Makes the file, or adds the group to it. All or nothing: a new file gets its name once it is complete, a group in
/// an existing file its link. Holds one chunk in memory.
///
/// Throws InvalidInput for files that are not IDX, cut off, or of unequal length, a range outside of them, a group
/// that exists; std::runtime_error where the file cannot be written.
std::int64_t convert_idx(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                         const std::string& location, const SampleRange& range, const ConvertOptions& options);

}  // namespace crescendo::datasets
