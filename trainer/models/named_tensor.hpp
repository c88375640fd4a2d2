#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace crescendo::trainer {

struct NamedTensor {
    std::string name;
    at::Tensor tensor;
};

}  // namespace crescendo::trainer
