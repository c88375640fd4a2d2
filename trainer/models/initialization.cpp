#include "trainer/models/initialization.hpp"

#include <torch/nn/init.h>

#include "trainer/models/model.hpp"

namespace crescendo::trainer {

void initialize(Model& model, Initialization initialization) {
    if (initialization == Initialization::torch) {
        return;
    }
    for (auto& parameter : model.named_parameters()) {
        at::Tensor& values = parameter.value();
        if (parameter.key().ends_with("bias")) {
            torch::nn::init::zeros_(values);
        } else if (values.dim() < 2) {
            continue;
        } else if (initialization == Initialization::kaiming) {
            torch::nn::init::kaiming_normal_(values);
        } else {
            torch::nn::init::xavier_normal_(values);
        }
    }
}

}  // namespace crescendo::trainer
