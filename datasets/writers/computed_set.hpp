#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// A set whose samples are computed one by one: inputs and, if any, targets, float32.
struct ComputedSet {
    std::int64_t num_samples = 0;
    std::vector<std::int64_t> input_shape;                       ///< of one sample
    std::optional<std::vector<std::int64_t>> target_shape = {};  ///< of one sample; nullopt: no targets
    /// Computes sample `i`. Several threads call it at the same time, for different samples. Without targets, `targets`
    /// must not be dereferenced.
    std::function<void(std::int64_t i, float* inputs, float* targets)> compute = {};
};

/// Writes the set at `location` (FILE:/GROUP), all or nothing, as NewGroup does. Progress is counted in samples.
/// `num_threads` is at least 1. Throws InvalidInput if there are no samples, or more than 2^50 bytes of inputs.
void write_computed_set(const std::string& location, const ComputedSet& set, int num_threads,
                        const WriteOptions& write_options);

}  // namespace crescendo::datasets
