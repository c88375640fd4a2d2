#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/trainer/settings_of.hpp"
#include "trainer/optimizers/optimizer.hpp"
#include "trainer/settings/optimizer_spec.hpp"

namespace crescendo::trainer::test {

/// Two parameters and an optimizer. The gradient of a parameter is the parameter itself plus `push`.
struct Trained {
    explicit Trained(const std::string& name, nlohmann::json settings = nlohmann::json::object())
        : parameters{{"weight", at::arange(1, 7, at::kFloat).view({2, 3})}, {"bias", at::full({2}, -3.0F)}} {
        settings["optimizer"] = name;
        optimizer = settings_of(settings).optimizer->make(parameters);
    }

    void step(int count, double push = 0.5) {
        for (int i = 0; i < count; ++i) {
            for (auto& [name, tensor] : parameters) {
                tensor.mutable_grad() = tensor.detach() + push;
            }
            optimizer->step(/*learning_rate=*/0.1);
        }
    }

    std::vector<std::string> state_names() const {
        std::vector<std::string> names;
        for (const auto& state : optimizer->state()) {
            names.push_back(state.parameter + "/" + state.name);
        }
        return names;
    }

    std::vector<NamedTensor> parameters;
    std::unique_ptr<Optimizer> optimizer;
};

}  // namespace crescendo::trainer::test
