#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace crescendo::trainer {

struct NamedTensor {
    std::string name;
    at::Tensor tensor;
};

/// Whether two tensors are the same one: tied weights, which a state dict stores under each of their names.
bool are_one(const at::Tensor& a, const at::Tensor& b);

/// Whether `whole` names this tensor or a module that contains it: "layer4" contains "layer4.0.conv1.weight".
inline bool lies_in(const std::string& whole, const std::string& name) {
    return name.starts_with(whole) && (name.size() == whole.size() || name[whole.size()] == '.');
}

/// Throws InvalidInput for the setting `key` unless `whole` names a tensor of the model or a module that contains one.
/// The message lists the valid top-level names.
void expect_one_in(const std::string& whole, const std::vector<NamedTensor>& tensors, const std::string& key);

}  // namespace crescendo::trainer
