#include "trainer/models/dry_run.hpp"

#include <ATen/ATen.h>

#include <vector>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

std::int64_t num_dry_samples(const Task& task) { return task.num_outputs == 2 ? 3 : 2; }

}  // namespace

at::Tensor dry_inputs(const Task& task) {
    std::vector<std::int64_t> shape{num_dry_samples(task)};
    shape.insert(shape.end(), task.input_shape.begin(), task.input_shape.end());
    at::manual_seed(0);
    return at::rand(shape);
}

std::string dry_samples(const Task& task) { return num_dry_samples(task) == 2 ? "two samples" : "three samples"; }

void expect_stateless(Model& model, const at::Tensor& inputs, const std::string& who) {
    const auto buffers = model.buffers();
    for (const bool training : {true, false}) {
        std::vector<at::Tensor> before;
        for (const auto& buffer : buffers) {
            before.push_back(buffer.clone());
        }
        model.train(training);
        const at::Tensor given = inputs.clone();
        const at::Tensor first = model.forward(inputs);
        CRESCENDO_VALIDATE(
            inputs.equal(given), "trainer.model",
            "{} changes its inputs in place, but a step can run the same samples twice; change a copy: x = x.clone()",
            who);
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            buffers[i].copy_(before[i]);
        }
        CRESCENDO_VALIDATE(at::allclose(first, model.forward(inputs), /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true),
                           "trainer.model",
                           "{} gives different outputs the second time, with the same inputs, weights, buffers and "
                           "random numbers: it keeps state that checkpoints and regroups do not carry; make that a "
                           "buffer (register_buffer), and change it in place",
                           who);
    }
}

}  // namespace crescendo::trainer
