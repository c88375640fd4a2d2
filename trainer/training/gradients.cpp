#include "trainer/training/gradients.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::trainer {

void expect_gradients(const Trial& trial) {
    const auto lacks = [](const at::Tensor& parameter) { return !parameter.grad().defined(); };
    const auto is_sparse = [](const at::Tensor& parameter) {
        return parameter.grad().defined() && parameter.grad().layout() != at::kStrided;
    };
    if (std::ranges::none_of(trial.learning_parameters(),
                             [&](const at::Tensor& each) { return lacks(each) || is_sparse(each); })) {
        return;
    }
    for (const auto& [name, tensor] : trial.named_tensors()) {
        CRESCENDO_VALIDATE(
            !tensor.requires_grad() || !lacks(tensor), "trainer.model",
            "the model does not use the parameter {}: it would learn nothing, and workers that train together would "
            "wait for its gradient; use it, remove it, or freeze it with lr_factors: {{}: 0}",
            name, name);
        CRESCENDO_VALIDATE(!is_sparse(tensor), "trainer.model",
                           "the gradient of the parameter {} is sparse, but optimizers and the exchange between "
                           "workers need dense gradients; make its layer with sparse=False",
                           name);
    }
}

}  // namespace crescendo::trainer
