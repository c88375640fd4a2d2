#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace crescendo::trainer {

struct NamedTensor {
    std::string name;
    at::Tensor tensor;
};

/// Whether two tensors are one: tied weights, which a state dict holds under each of their names.
bool are_one(const at::Tensor& a, const at::Tensor& b);

/// Whether a tensor of this name is the one that `whole` names, or lies in the module that it names: "layer4" has
/// "layer4.0.conv1.weight".
inline bool lies_in(const std::string& whole, const std::string& name) {
    return name.starts_with(whole) && (name.size() == whole.size() || name[whole.size()] == '.');
}

/// Throws InvalidInput for the setting `key` unless `whole` names one of the tensors of a model, or a module that has
/// some. The message lists the names that there are, without those inside of modules.
void expect_one_in(const std::string& whole, const std::vector<NamedTensor>& tensors, const std::string& key);

}  // namespace crescendo::trainer
