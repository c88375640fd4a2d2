#include "tests/trainer/normed_model.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/models.hpp"
#include "trainer/optimizers/optimizers.hpp"
#include "trainer/plugins/plugins.hpp"
#include "trainer/settings/model_spec.hpp"

namespace crescendo::trainer::test {

namespace {

class NormedModel : public Model {
  public:
    explicit NormedModel(const Task& task) : output_(register_module("output", Linear(4 * 8 * 8, task.num_outputs))) {}

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
        return output_(at::relu(norm_(conv_(inputs.unsqueeze(1)))).flatten(1));
    }

  private:
    using Linear = torch::nn::Linear;

    torch::nn::Conv2d conv_ =
        register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, /*kernel_size=*/3).padding(1)));
    torch::nn::BatchNorm2d norm_ = register_module("norm", torch::nn::BatchNorm2d(4));
    Linear output_;
};

struct NormedSpec : ModelSpec {
    std::shared_ptr<Model> make(const Task& task) const override { return std::make_shared<NormedModel>(task); }
};

}  // namespace

Catalogue catalogue_with_normed() {
    Catalogue catalogue{.models = models(), .optimizers = optimizers(), .add_plugin = add_plugin};
    catalogue.models.push_back(
        {"normed", [](Section&) -> std::shared_ptr<ModelSpec> { return std::make_shared<NormedSpec>(); }});
    return catalogue;
}

}  // namespace crescendo::trainer::test
