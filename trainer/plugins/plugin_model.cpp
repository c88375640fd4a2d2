#include "trainer/plugins/plugin_model.hpp"

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/nn/modules/batchnorm.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/dry_run.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/lone_value.hpp"
#include "trainer/models/model.hpp"
#include "trainer/plugins/call.hpp"
#include "trainer/plugins/options.hpp"
#include "trainer/protocol/failure.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* model_key = "trainer.model";

plugin::Task task_for_plugin(const Task& task) {
    return {.kind = task.kind == Task::Kind::classification ? plugin::Task::Kind::classification
                                                            : plugin::Task::Kind::regression,
            .input_shape = task.input_shape,
            .target_shape = task.target_shape,
            .num_outputs = task.num_outputs};
}

/// Whether these numbers have a short type because of the trial's precision.
bool is_of_autocast(const at::Tensor& outputs) {
    return at::autocast::is_autocast_enabled(outputs.device().type()) &&
           at::isReducedFloatingType(outputs.scalar_type());
}

/// A network of a plug-in. Its parameters, buffers and modules are also registered in this module, under the same
/// names.
class PluginModel : public Model {
  public:
    PluginModel(std::shared_ptr<plugin::Model> network, const Task& task, std::string who)
        : network_(std::move(network)), task_(task), who_(std::move(who)) {
        for (const auto& parameter : network_->named_parameters(/*recurse=*/false)) {
            register_parameter(parameter.key(), parameter.value(), parameter.value().requires_grad());
        }
        for (const auto& buffer : network_->named_buffers(/*recurse=*/false)) {
            register_buffer(buffer.key(), buffer.value());
        }
        for (const auto& child : network_->named_children()) {
            register_module(child.key(), child.value());
        }
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        const auto once = [&] {
            seed_generator(dropout_keys);
            return network_->forward(inputs);
        };
        const at::Tensor outputs = call_plugin(who_, "forward()", [&] {
            return run_with_lone_value(*this, inputs.size(0), once, [this](bool on) { evaluate_norms(on); });
        });
        const bool fits = outputs.defined() && (outputs.scalar_type() == at::kFloat || is_of_autocast(outputs));
        CRESCENDO_VALIDATE(fits, model_key, "{} returns {}; forward() must return float32", who_,
                           outputs.defined() ? c10::toString(outputs.scalar_type()) : "no tensor");
        const auto misfit = misfit_of_outputs(task_, outputs.sizes().vec(), inputs.size(0));
        CRESCENDO_VALIDATE(misfit.empty(), model_key, "{} {}", who_, misfit);
        return outputs.reshape({inputs.size(0), task_.num_outputs});
    }

    /// Always true, because it is unknown whether the network draws random numbers.
    bool drops_units() const override { return true; }
    bool reads_keys_on_host() const override { return true; }

    void train(bool on) override {
        Model::train(on);
        call_plugin(who_, "train()", [&] { network_->train(on); });
    }

  private:
    /// Leaves norms that the plug-in itself keeps in evaluation mode as they are.
    void evaluate_norms(bool on) {
        if (!on) {
            for (const auto& module : std::exchange(evaluated_, {})) {
                module->train();
            }
            return;
        }
        for (const auto& module : network_->modules(/*include_self=*/false)) {
            const bool is_norm = module->as<torch::nn::BatchNorm1d>() || module->as<torch::nn::BatchNorm2d>() ||
                                 module->as<torch::nn::BatchNorm3d>();
            if (is_norm && module->is_training()) {
                module->eval();
                evaluated_.push_back(module);
            }
        }
    }

    std::shared_ptr<plugin::Model> network_;
    std::vector<std::shared_ptr<torch::nn::Module>> evaluated_;  ///< norms that evaluate_norms() put in evaluation mode
    Task task_;
    std::string who_;
};

/// Throws InvalidInput for parameters that cannot be trained.
void expect_trainable(const Model& model, const std::string& who) {
    std::vector<std::pair<std::string, at::Tensor>> known;
    for (const auto& parameter : model.named_parameters()) {
        const auto& [name, tensor] = std::pair(parameter.key(), parameter.value());
        CRESCENDO_VALIDATE(tensor.scalar_type() == at::kFloat, model_key, "{}: its parameter {} is {}; make it float32",
                           who, name, c10::toString(tensor.scalar_type()));
        CRESCENDO_VALIDATE(tensor.requires_grad(), model_key,
                           "{}: its parameter {} requires no gradient, so there is nothing to learn; make it a buffer",
                           who, name);
        for (const auto& [other, twin] : known) {
            CRESCENDO_VALIDATE(!tensor.is_same(twin), model_key,
                               "{}: its parameters {} and {} are one tensor; register it once", who, other, name);
        }
        known.emplace_back(name, tensor);
    }
    CRESCENDO_VALIDATE(!known.empty(), model_key, "{} has no parameter, so there is nothing to learn", who);
}

/// Throws InvalidInput for a buffer into which no checkpoint can be read.
void expect_writable_buffers(const Model& model, const std::string& who) {
    for (const auto& buffer : model.named_buffers()) {
        CRESCENDO_VALIDATE(at::has_internal_overlap(buffer.value()) != at::MemOverlap::Yes, model_key,
                           "{}: elements of its buffer {} share memory, as after expand(), so no checkpoint can be "
                           "read into it; register a copy: .contiguous()",
                           who, buffer.key());
    }
}

/// Throws InvalidInput if the outputs depend on something that is neither a parameter nor a buffer: if another network
/// with the same parameters and buffers gives other outputs. Changes the weights of both networks, because initial
/// zeros, as in some last layers, would hide everything before them.
void expect_registered(Model& model, Model& other, const at::Tensor& inputs, const std::string& who) {
    const auto copy = [&](const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to) {
        const bool alike = std::equal(from.begin(), from.end(), to.begin(), to.end(),
                                      [](const auto& a, const auto& b) { return a.sizes() == b.sizes(); });
        CRESCENDO_VALIDATE(alike, model_key,
                           "{}: its factory makes a different network the second time; its shapes must depend only on "
                           "its options and the task",
                           who);
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i].copy_(from[i]);
        }
    };
    for (const auto& parameter : model.parameters()) {
        parameter.add_(at::randn_like(parameter), /*alpha=*/0.1);
    }
    model.eval();
    other.eval();
    // With other random numbers, so that layers that forward() makes get other weights than in the model.
    other.forward(inputs, at::ones({inputs.size(0)}));
    copy(model.parameters(), other.parameters());
    copy(model.buffers(), other.buffers());
    CRESCENDO_VALIDATE(
        at::allclose(model.forward(inputs), other.forward(inputs), /*rtol=*/1e-3, /*atol=*/1e-5, /*equal_nan=*/true),
        model_key,
        "{} gives different outputs with the same parameters and buffers: they depend on something that is not "
        "registered, which would neither learn nor be saved; use register_module, register_parameter or "
        "register_buffer in the constructor",
        who);
}

class PluginModelSpec : public ModelSpec {
  public:
    PluginModelSpec(Section& section, const plugin::RegisteredModel& model, const std::string& library)
        : model_(model),
          who_(text("the model {} of {}", model.name, library)),
          options_(read_options(section, model.options)) {}

    std::shared_ptr<Model> make(const Task& task) const override {
        auto network = call_plugin(who_, "its factory", [&] { return model_.make(options_, task_for_plugin(task)); });
        CRESCENDO_VALIDATE(network != nullptr, model_key, "{}: its factory returned no model", who_);
        return std::make_shared<PluginModel>(std::move(network), task, who_);
    }

    /// A plug-in may keep random numbers anywhere.
    bool draws_only_weights() const override { return false; }
    bool is_users() const override { return true; }

    std::vector<Problem> misfits_of_task(const Task& task) const override try {
        const at::NoGradGuard no_gradients;
        const at::Tensor inputs = dry_inputs(task);
        const auto model = make(task);
        expect_trainable(*model, who_);
        expect_writable_buffers(*model, who_);
        model->eval();
        model->forward(inputs);
        expect_stateless(*model, inputs, who_);
        at::manual_seed(1);
        expect_registered(*model, *make(task), inputs, who_);
        return {};
    } catch (const InvalidInput& invalid) {
        return {{invalid.key(), invalid.what()}};
    } catch (const std::exception&) {
        return {{model_key, describe_failure().message}};
    }

  private:
    const plugin::RegisteredModel& model_;
    std::string who_;
    plugin::Config options_;
};

}  // namespace

std::shared_ptr<ModelSpec> read_plugin_model(Section& section, const plugin::RegisteredModel& model,
                                             const std::string& library) {
    return std::make_shared<PluginModelSpec>(section, model, library);
}

}  // namespace crescendo::trainer
