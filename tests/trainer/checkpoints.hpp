#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace crescendo::trainer::test {

using TensorMap = std::map<std::string, at::Tensor>;

/// A checkpoint, read without the trainer's own code.
struct Checkpoint {
    TensorMap model;
    TensorMap optimizer;  ///< "parameter/state"
    std::int64_t optimizer_steps = 0;
    nlohmann::json progress;
};

Checkpoint load(const std::filesystem::path& file);

/// Whether both hold the same state, bit for bit. The clocks may differ, because they depend on the machine.
bool same_state(const Checkpoint& a, const Checkpoint& b);

bool same_bits(const TensorMap& a, const TensorMap& b);

/// The largest difference between corresponding elements.
double largest_difference(const TensorMap& a, const TensorMap& b);

}  // namespace crescendo::trainer::test
