#include "trainer/training/batch_plan.hpp"

#include <numeric>

#include "core/check.hpp"

namespace crescendo::trainer {
namespace {

std::int64_t num_micro_batches(std::int64_t slice, std::int64_t max_samples) {
    const std::int64_t most = max_samples + max_samples / 16;
    return (slice + most - 1) / most;
}

}  // namespace

std::vector<MicroBatch> micro_batches(std::int64_t slice_samples, std::int64_t max_samples) {
    CRESCENDO_EXPECT(slice_samples >= 0 && max_samples > 0);
    const std::int64_t num_batches = num_micro_batches(slice_samples, max_samples);
    std::vector<MicroBatch> batches;
    for (std::int64_t i = 0; i < num_batches; ++i) {
        const std::int64_t begin = slice_samples * i / num_batches;
        batches.push_back({.begin = begin, .count = slice_samples * (i + 1) / num_batches - begin});
    }
    return batches;
}

std::int64_t num_micro_batches(std::span<const std::int64_t> slices, std::int64_t max_samples) {
    return std::accumulate(slices.begin(), slices.end(), std::int64_t{0}, [&](std::int64_t count, std::int64_t slice) {
        return count + num_micro_batches(slice, max_samples);
    });
}

double loss_weight(std::int64_t group_batch, int size) {
    CRESCENDO_EXPECT(group_batch > 0 && size > 0);
    return static_cast<double>(size) / static_cast<double>(group_batch);
}

}  // namespace crescendo::trainer
