#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace crescendo::trainer {

struct NamedTensor {
    std::string name;
    at::Tensor tensor;
};

/// Whether a tensor of this name is the one that `whole` names, or lies in the module that it names: "layer4" has
/// "layer4.0.conv1.weight".
inline bool lies_in(const std::string& whole, const std::string& name) {
    return name.starts_with(whole) && (name.size() == whole.size() || name[whole.size()] == '.');
}

}  // namespace crescendo::trainer
