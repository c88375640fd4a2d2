#include "trainer/models/named_tensor.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

/// The top-level names of the tensors, without repetition: "conv1, layer1, fc".
std::string outermost_names(const std::vector<NamedTensor>& tensors) {
    std::string all;
    std::string last;
    for (const auto& [name, tensor] : tensors) {
        const std::string outermost = name.substr(0, name.find('.'));
        if (outermost != last) {
            all += (all.empty() ? "" : ", ") + outermost;
            last = outermost;
        }
    }
    return all;
}

}  // namespace

bool are_one(const at::Tensor& a, const at::Tensor& b) {
    return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
           a.strides() == b.strides();
}

void expect_one_in(const std::string& whole, const std::vector<NamedTensor>& tensors, const std::string& key) {
    const bool found = std::ranges::any_of(tensors, [&](const auto& each) { return lies_in(whole, each.name); });
    CRESCENDO_VALIDATE(found, key, "the model has no parameter, and no module with parameters, named {}; it has {}",
                       whole, outermost_names(tensors));
}

}  // namespace crescendo::trainer
