#include "datasets/samples/chunk_map.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::datasets {

ChunkMap::ChunkMap(const std::vector<std::int64_t>& file_samples, std::int64_t chunk_samples)
    : chunk_samples_(chunk_samples) {
    CRESCENDO_EXPECT(!file_samples.empty() && chunk_samples >= 1);
    File next{};
    for (const auto count : file_samples) {
        CRESCENDO_EXPECT(count >= 1);
        next.samples = {next.samples.end, next.samples.end + count};
        files_.push_back(next);
        next.first_chunk += (count - 1) / chunk_samples + 1;
    }
}

Range ChunkMap::samples_of(std::int64_t chunk) const {
    const auto after = std::upper_bound(files_.begin(), files_.end(), chunk, [](std::int64_t number, const File& file) {
        return number < file.first_chunk;
    });
    const auto& file = *std::prev(after);
    const auto begin = file.samples.begin + (chunk - file.first_chunk) * chunk_samples_;
    return {begin, std::min(begin + chunk_samples_, file.samples.end)};
}

std::size_t ChunkMap::file_of(std::int64_t sample) const {
    const auto after =
        std::upper_bound(files_.begin(), files_.end(), sample,
                         [](std::int64_t number, const File& file) { return number < file.samples.begin; });
    return static_cast<std::size_t>(after - files_.begin() - 1);
}

}  // namespace crescendo::datasets
