#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crescendo::trainer {

/// Consecutive samples of a worker's slice that go through the model together.
struct MicroBatch {
    std::int64_t begin = 0;
    std::int64_t count = 0;

    friend bool operator==(const MicroBatch&, const MicroBatch&) = default;
};

/// How many times the members of a group run the model for slices of these numbers of samples: as few times as possible
/// with at most `max_samples` at once. A sixteenth more is allowed, because members' slices are not all equal, and none
/// shall need another round for a sample. Slices that are all empty need none.
std::int64_t num_rounds(std::span<const std::int64_t> slices, std::int64_t max_samples);

/// Cuts a slice into a micro-batch for each round. Their sizes differ by at most one. Where the slice has fewer samples
/// than there are rounds, some are empty.
std::vector<MicroBatch> micro_batches(std::int64_t slice_samples, std::int64_t rounds);

/// Micro-batches with samples, of all members of a group whose slices have these numbers of samples.
std::int64_t num_micro_batches(std::span<const std::int64_t> slices, std::int64_t rounds);

/// The factor on the *sum* of a worker's losses: size / group_batch, because the mean over workers divides by size
/// again. With it, the mean of the workers' gradients is the gradient of a full step's mean loss, however unevenly the
/// samples are spread. In an epoch's last, short step each sample weighs the same.
double loss_weight(std::int64_t group_batch, int size);

}  // namespace crescendo::trainer
