#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer::test {

/// A model with settings only: `plain`, which fits no data if it is deeper than 3, or `wide`, with one more setting.
struct PlainModel : ModelSpec {
    std::int64_t width;
    std::int64_t depth = 2;
    std::int64_t code = 8;

    PlainModel(Section& section, std::int64_t default_width) : width(default_width) {
        section.integer("width", width, 1, 1024);
        section.integer("depth", depth, 1, 12);
    }

    std::shared_ptr<Model> make(const Task&) const override { throw std::logic_error("it has no network"); }

    std::vector<Problem> misfits(const datasets::SampleSet&, const DataSettings&, const std::string&) const override {
        if (depth > 3) {
            return {{"trainer.depth", "is too deep"}};
        }
        return {};
    }
};

/// Models and optimizers without Torch, which only have settings. The optimizer `slow` has a different default rate.
inline Catalogue plain_catalogue() {
    const auto read_plain = [](Section& section) -> std::shared_ptr<ModelSpec> {
        return std::make_shared<PlainModel>(section, /*default_width=*/16);
    };
    const auto read_wide = [](Section& section) -> std::shared_ptr<ModelSpec> {
        auto model = std::make_shared<PlainModel>(section, /*default_width=*/128);
        section.integer("code", model->code, 1, 64);
        return model;
    };
    const auto read_plain_optimizer = [](Section& section) {
        double momentum = 0.9;
        section.number("momentum", momentum, {.min = 0.0, .below = 1.0});
        return std::make_shared<OptimizerSpec>(OptimizerSpec{0.01, LearningRateScaling::linear, {}});
    };
    const auto read_slow = [](Section&) {
        return std::make_shared<OptimizerSpec>(OptimizerSpec{0.001, LearningRateScaling::sqrt, {}});
    };
    return {.models = {{"plain", read_plain}, {"wide", read_wide}},
            .optimizers = {{"plain", read_plain_optimizer}, {"slow", read_slow}}};
}

}  // namespace crescendo::trainer::test
