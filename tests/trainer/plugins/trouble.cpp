/// Models and losses that each misbehave in their own way.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/nn/modules/linear.h>

#include <crescendo/model_plugin.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

namespace {

using namespace crescendo::plugin;

/// A linear layer whose `weight` belongs to the module itself. Its name says how it misbehaves.
class Trouble : public Model {
  public:
    Trouble(std::string what, const Task& task) : what_(std::move(what)) {
        std::int64_t features = 1;
        for (const auto length : task.input_shape) {
            features *= length;
        }
        if (what_ == "throws_at_birth") {
            throw std::runtime_error("no memory for the model");
        }
        if (what_ == "misfit") {
            throw Misfit("it takes 3 channels");
        }
        const auto options = at::TensorOptions(what_ == "double" ? at::kDouble : at::kFloat);
        weight_ = register_parameter("weight", at::randn({task.num_outputs, features}, options).mul_(0.1),
                                     /*requires_grad=*/what_ != "frozen");
        if (what_ == "twins") {
            register_parameter("other", weight_);
        }
        if (what_ == "unregistered") {
            const at::NoGradGuard no_gradients;
            weight_.zero_();  // so that the hidden layer has no effect at first
            hidden_ = at::randn({features, features});
        }
        if (what_ == "expanded") {
            register_buffer("mask", at::ones({1}).expand({features}));
        }
        if (what_ == "idle") {
            register_parameter("idle", at::zeros({3}));
        }
    }

    at::Tensor forward(const at::Tensor& inputs) override {
        if (what_ == "throws") {
            throw std::runtime_error("no such shape");
        }
        if (what_ == "throws_in_training" && ++num_calls_ > 8) {
            throw std::runtime_error("no more");
        }
        if (what_ == "throws_a_number") {
            throw 17;  // NOLINT
        }
        if (what_ == "torch_throws") {
            return at::matmul(inputs.flatten(1), weight_);
        }
        if (what_ == "crashes" || (what_ == "crashes_in_training" && ++num_calls_ > 8)) {
            std::raise(SIGSEGV);
        }
        if (what_ == "exits") {
            std::cout << "goodbye";
            std::exit(0);
        }
        if (what_ == "overflows") {
            return forward(inputs) + forward(inputs);
        }
        if (what_ == "forgets") {
            return at::Tensor();
        }
        if (what_ == "registered_late" && !hidden_.defined()) {
            hidden_ = register_parameter("hidden", at::randn({weight_.size(1), weight_.size(1)}));
        }
        if (hidden_.defined()) {
            return at::matmul(at::matmul(inputs.flatten(1), hidden_), weight_.t());
        }
        at::Tensor outputs = at::matmul(inputs.flatten(1), weight_.t());
        if (what_ == "remembers") {
            sum_ = sum_.defined() ? sum_ + outputs.detach() : outputs.detach();
            return outputs + sum_;
        }
        if (what_ == "remembers_in_evaluation" && !is_training()) {
            return outputs + ++num_calls_;
        }
        if (what_ == "transposed") {
            return outputs.t();
        }
        if (what_ == "narrow") {
            return outputs.narrow(1, 0, 1);
        }
        return what_ == "half" ? outputs.to(at::kHalf) : outputs;
    }

  private:
    std::string what_;
    int num_calls_ = 0;
    at::Tensor weight_;
    at::Tensor hidden_;
    at::Tensor sum_;
};

Registration trouble(const std::string& name) {
    return register_model(name, [name](const Config&, const Task& task) -> std::shared_ptr<Model> {
        if (name == "nothing") {
            return nullptr;
        }
        return std::make_shared<Trouble>(name, task);
    });
}

}  // namespace

CRESCENDO_MODEL_PLUGIN(
    trouble("throws_at_birth"), trouble("misfit"), trouble("nothing"), trouble("double"), trouble("frozen"),
    trouble("twins"), trouble("throws"), trouble("throws_a_number"), trouble("torch_throws"), trouble("crashes"),
    trouble("exits"), trouble("crashes_in_training"), trouble("throws_in_training"), trouble("overflows"),
    trouble("forgets"), trouble("remembers"), trouble("remembers_in_evaluation"), trouble("unregistered"),
    trouble("registered_late"), trouble("transposed"), trouble("narrow"), trouble("half"), trouble("idle"),
    trouble("expanded"), trouble("sound"),
    register_loss("mean", [](const at::Tensor& outputs, const at::Tensor&, const Config&) { return outputs.mean(); }),
    register_loss("detached",
                  [](const at::Tensor& outputs, const at::Tensor&, const Config&) { return outputs.detach().mean(1); }),
    register_loss("random", [](const at::Tensor& outputs, const at::Tensor&,
                               const Config&) { return (outputs * at::rand_like(outputs)).mean(1); }),
    register_loss("thrower", [](const at::Tensor&, const at::Tensor&, const Config&) -> at::Tensor {
        throw std::runtime_error("no such target");
    }))
