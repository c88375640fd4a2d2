#include "trainer/optimizers/fused_optimizer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/settings/optimizer_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
namespace optim = torch::optim;

namespace {

/// The weights of a convolution, and the weights and bias of a layer whose size is not a multiple of a SIMD vector.
std::vector<NamedTensor> new_parameters() {
    at::manual_seed(1);
    return {{"conv", at::randn({16, 3, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast)},
            {"weight", at::randn({7, 431})},
            {"bias", at::randn({7})}};
}

std::unique_ptr<Optimizer> optimizer_of(const nlohmann::json& settings, const std::vector<NamedTensor>& parameters) {
    return settings_of(settings).optimizer->make(parameters);
}

std::vector<at::Tensor> tensors_of(const std::vector<NamedTensor>& parameters) {
    std::vector<at::Tensor> all;
    for (const auto& each : parameters) {
        all.push_back(each.tensor);
    }
    return all;
}

/// The gradients pull towards zero, with noise that only depends on the step.
void set_gradients(const std::vector<NamedTensor>& parameters, int step) {
    at::manual_seed(static_cast<std::uint64_t>(step));
    for (const auto& [name, tensor] : parameters) {
        at::Tensor(tensor).mutable_grad() = 0.1 * tensor + at::randn_like(tensor);
    }
}

double rate_of(int step) { return 0.01 / (1 + step / 10.0); }

/// Trains with our optimizer, which is replaced halfway by a new one that continues from its state.
std::vector<NamedTensor> trained(const nlohmann::json& settings) {
    auto parameters = new_parameters();
    auto optimizer = optimizer_of(settings, parameters);
    REQUIRE(dynamic_cast<FusedOptimizer*>(optimizer.get()) != nullptr);
    for (int step = 0; step < 100; ++step) {
        if (step == 50) {
            auto resumed = optimizer_of(settings, parameters);
            resumed->reset(optimizer->num_steps());
            const auto saved = optimizer->state();
            const auto state = resumed->state();
            REQUIRE(saved.size() == state.size());
            for (std::size_t i = 0; i < saved.size(); ++i) {
                at::Tensor(state[i].tensor).copy_(saved[i].tensor);
            }
            optimizer = std::move(resumed);
        }
        set_gradients(parameters, step);
        optimizer->step(rate_of(step));
    }
    return parameters;
}

template <class Rule, class Options>
std::vector<NamedTensor> trained_by_torch(const Options& options, const Options& for_bias) {
    auto parameters = new_parameters();
    const auto tensors = tensors_of(parameters);
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector{tensors[0], tensors[1]}, std::make_unique<Options>(options));
    groups.emplace_back(std::vector{tensors[2]}, std::make_unique<Options>(for_bias));
    Rule rule(groups, options);
    for (int step = 0; step < 100; ++step) {
        set_gradients(parameters, step);
        for (auto& group : rule.param_groups()) {
            group.options().set_lr(rate_of(step));
        }
        rule.step();
    }
    return parameters;
}

void check_same(const std::vector<NamedTensor>& ours, const std::vector<NamedTensor>& torchs) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CAPTURE(ours[i].name);
        CHECK(at::allclose(ours[i].tensor, torchs[i].tensor, /*rtol=*/1e-5, /*atol=*/1e-6));
        CHECK(ours[i].tensor.strides() == torchs[i].tensor.strides());
    }
    CHECK_FALSE(at::allclose(ours[0].tensor, new_parameters()[0].tensor, 1e-2, 1e-2));
}

}  // namespace

TEST_CASE("a hundred steps of sgd match torch::optim, even across a resume") {
    const auto options = [] { return optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.05); };

    check_same(trained({{"optimizer", "sgd"}, {"weight_decay", 0.05}}),
               trained_by_torch<optim::SGD>(options(), options()));
    check_same(trained({{"optimizer", "sgd"}, {"weight_decay", 0.05}, {"weight_decay_of", "weights"}}),
               trained_by_torch<optim::SGD>(options(), options().weight_decay(0)));
    check_same(trained({{"optimizer", "sgd"}, {"weight_decay", 0.05}, {"nesterov", true}}),
               trained_by_torch<optim::SGD>(options().nesterov(true), options().nesterov(true)));
    check_same(trained({{"optimizer", "sgd"}, {"weight_decay", 0.05}, {"momentum", 0.0}}),
               trained_by_torch<optim::SGD>(options().momentum(0), options().momentum(0)));
}

TEST_CASE("a hundred steps of adam and adamw match torch::optim, even across a resume") {
    const auto adam = [] { return optim::AdamOptions(0.1).weight_decay(0.05); };
    const auto adamw = [] { return optim::AdamWOptions(0.1).weight_decay(0.05); };

    check_same(trained({{"optimizer", "adam"}, {"weight_decay", 0.05}}), trained_by_torch<optim::Adam>(adam(), adam()));
    check_same(trained({{"optimizer", "adamw"}, {"weight_decay", 0.05}}),
               trained_by_torch<optim::AdamW>(adamw(), adamw()));
    check_same(trained({{"optimizer", "adamw"}, {"weight_decay", 0.05}, {"weight_decay_of", "weights"}}),
               trained_by_torch<optim::AdamW>(adamw(), adamw().weight_decay(0)));
}

TEST_CASE("a gradient with a different memory layout updates the same elements") {
    std::vector<std::vector<NamedTensor>> both{new_parameters(), new_parameters()};
    for (auto& parameters : both) {
        const auto optimizer = optimizer_of({{"optimizer", "adam"}}, parameters);
        set_gradients(parameters, 1);
        auto& gradient = parameters[0].tensor.mutable_grad();
        if (&parameters == &both[1]) {
            gradient = gradient.contiguous();
            REQUIRE(gradient.strides() != parameters[0].tensor.strides());
        }
        optimizer->step(0.1);
    }

    CHECK(at::equal(both[0][0].tensor, both[1][0].tensor));
}

TEST_CASE("a parameter without a gradient is unchanged and has state like the others") {
    auto parameters = new_parameters();
    const auto optimizer = optimizer_of({{"optimizer", "sgd"}}, parameters);
    set_gradients(parameters, 1);
    parameters[2].tensor.mutable_grad().reset();

    optimizer->step(0.1);

    CHECK(at::equal(parameters[2].tensor, new_parameters()[2].tensor));
    CHECK_FALSE(at::equal(parameters[1].tensor, new_parameters()[1].tensor));
    CHECK(optimizer->state().size() == 3);
}

TEST_CASE("torch::optim updates parameters that the kernels do not support") {
    const std::vector<NamedTensor> complex{{"spectrum", at::full({4}, 1.0, at::kComplexFloat)}};
    const std::vector<NamedTensor> gaps{{"slice", at::ones({4, 4}).narrow(1, 0, 2)}};
    for (const auto& parameters : {complex, gaps}) {
        const auto optimizer = optimizer_of({{"optimizer", "sgd"}}, parameters);
        CHECK(dynamic_cast<FusedOptimizer*>(optimizer.get()) == nullptr);
        at::Tensor tensor = parameters[0].tensor;
        tensor.mutable_grad() = at::ones_like(tensor);

        optimizer->step(0.25);

        CHECK(at::allclose(tensor, at::full_like(tensor, 0.75)));
    }
}
