#include "trainer/training/batch_plan.hpp"

#include "core/check.hpp"

namespace crescendo::trainer {

std::vector<MicroBatch> micro_batches(std::int64_t slice_samples, std::int64_t max_samples) {
    CRESCENDO_EXPECT(slice_samples >= 0 && max_samples > 0);
    const std::int64_t num_batches = (slice_samples + max_samples - 1) / max_samples;
    std::vector<MicroBatch> batches;
    for (std::int64_t i = 0; i < num_batches; ++i) {
        const std::int64_t begin = slice_samples * i / num_batches;
        batches.push_back({.begin = begin, .count = slice_samples * (i + 1) / num_batches - begin});
    }
    return batches;
}

std::int64_t num_micro_batches(std::int64_t group_samples, int size, std::int64_t max_samples) {
    std::int64_t count = 0;
    for (std::int64_t rank = 0; rank < size; ++rank) {
        const std::int64_t slice = group_samples * (rank + 1) / size - group_samples * rank / size;
        count += (slice + max_samples - 1) / max_samples;
    }
    return count;
}

double loss_weight(std::int64_t group_batch, int size) {
    CRESCENDO_EXPECT(group_batch > 0 && size > 0);
    return static_cast<double>(size) / static_cast<double>(group_batch);
}

}  // namespace crescendo::trainer
