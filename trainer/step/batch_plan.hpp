#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crescendo::trainer {

/// Consecutive samples of a worker's slice that run through the model together.
struct MicroBatch {
    std::int64_t begin = 0;
    std::int64_t count = 0;

    friend bool operator==(const MicroBatch&, const MicroBatch&) = default;
};

/// Number of rounds in which the members of a group run the model over slices of these sizes (in samples): as few as
/// possible, with at most `max_samples` at once. A sixteenth more is allowed, because slices differ in size and no
/// member should need another round for a single sample. Returns 0 if all slices are empty.
std::int64_t num_rounds(std::span<const std::int64_t> slices, std::int64_t max_samples);

/// Cuts a slice into one micro-batch per round. Their sizes differ by at most one. Some are empty if the slice has
/// fewer samples than there are rounds.
std::vector<MicroBatch> micro_batches(std::int64_t slice_samples, std::int64_t rounds);

/// Number of non-empty micro-batches of all members of a group whose slices have these sizes (in samples).
std::int64_t num_micro_batches(std::span<const std::int64_t> slices, std::int64_t rounds);

/// The factor on the *sum* of a worker's losses: size / group_batch, because the mean over workers divides by size
/// again. With it, the mean of the workers' gradients is the gradient of a full step's mean loss, however unevenly the
/// samples are distributed. In the last, short step of an epoch, each sample has the same weight as in other steps.
double loss_weight(std::int64_t group_batch, int size);

}  // namespace crescendo::trainer
