#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer::test {

inline std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> all;
    for (const auto& tensor : tensors) {
        all.push_back(tensor.detach().clone());
    }
    return all;
}

inline std::vector<at::Tensor> copies(const std::vector<NamedTensor>& tensors) {
    std::vector<at::Tensor> all;
    for (const auto& each : tensors) {
        all.push_back(each.tensor.detach().clone());
    }
    return all;
}

/// Whether all tensors are bit-identical.
inline bool same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const at::Tensor& x, const at::Tensor& y) { return at::equal(x, y); });
}

}  // namespace crescendo::trainer::test
