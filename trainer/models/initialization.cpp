#include "trainer/models/initialization.hpp"

#include <torch/nn/init.h>
#include <torch/nn/modules/embedding.h>

#include <set>
#include <string>

#include "trainer/models/model.hpp"

namespace crescendo::trainer {

namespace {

/// The embedding tables, which keep their values: they are not layers, and the vector for "no category" is zero on
/// purpose.
std::set<const at::TensorImpl*> embeddings_of(const Model& model) {
    std::set<const at::TensorImpl*> tables;
    for (const auto& module : model.modules()) {
        if (const auto* embedding = module->as<torch::nn::Embedding>()) {
            tables.insert(embedding->weight.unsafeGetTensorImpl());
        }
    }
    return tables;
}

}  // namespace

void initialize(Model& model, Initialization initialization) {
    if (initialization == Initialization::torch) {
        return;
    }
    const auto tables = embeddings_of(model);
    for (auto& parameter : model.named_parameters()) {
        at::Tensor& values = parameter.value();
        if (!values.requires_grad()) {  // frozen: its values are intended
            continue;
        }
        const auto name = parameter.key().substr(parameter.key().rfind('.') + 1);
        if (name.find("bias") != std::string::npos) {  // recurrent layers have bias_ih_l0, bias_hh_l0, …
            torch::nn::init::zeros_(values);
        } else if (values.dim() < 2 || tables.contains(values.unsafeGetTensorImpl())) {
            continue;
        } else if (initialization == Initialization::kaiming) {
            torch::nn::init::kaiming_normal_(values);
        } else {
            torch::nn::init::xavier_normal_(values);
        }
    }
}

}  // namespace crescendo::trainer
