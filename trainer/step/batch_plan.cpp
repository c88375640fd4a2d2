#include "trainer/step/batch_plan.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"

namespace crescendo::trainer {

std::int64_t num_rounds(std::span<const std::int64_t> slices, std::int64_t max_samples) {
    CRESCENDO_EXPECT(max_samples > 0);
    if (slices.empty()) {
        return 0;
    }
    const std::int64_t most = max_samples + max_samples / 16;
    return (*std::max_element(slices.begin(), slices.end()) + most - 1) / most;
}

std::vector<MicroBatch> micro_batches(std::int64_t slice_samples, std::int64_t rounds) {
    CRESCENDO_EXPECT(slice_samples >= 0 && rounds >= 0);
    std::vector<MicroBatch> batches;
    for (std::int64_t i = 0; i < rounds; ++i) {
        const std::int64_t begin = slice_samples * i / rounds;
        batches.push_back({.begin = begin, .count = slice_samples * (i + 1) / rounds - begin});
    }
    return batches;
}

std::int64_t num_micro_batches(std::span<const std::int64_t> slices, std::int64_t rounds) {
    return std::accumulate(slices.begin(), slices.end(), std::int64_t{0},
                           [&](std::int64_t count, std::int64_t slice) { return count + std::min(slice, rounds); });
}

double loss_weight(std::int64_t group_batch, int size) {
    CRESCENDO_EXPECT(group_batch > 0 && size > 0);
    return static_cast<double>(size) / static_cast<double>(group_batch);
}

}  // namespace crescendo::trainer
