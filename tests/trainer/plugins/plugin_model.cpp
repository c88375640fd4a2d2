#include "trainer/plugins/plugin_model.hpp"

#include <ATen/ATen.h>

#include "datasets/system/own_process.hpp"
#include "tests/trainer/plugins/plugin_libraries.hpp"
#include "tests/trainer/same_members.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/tensors.hpp"
#include "trainer/models/model.hpp"
#include "trainer/network_check.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

Settings gated(const Json& options = Json::object()) {
    Json settings{{"plugins", {plugin_library("mine")}}, {"model", "gated"}};
    settings.update(options);
    return settings_of(settings);
}

/// The problem with a model of trouble.so.
std::string problem_of(const std::string& model, const Task& task = four_classes()) {
    const Settings settings = settings_of({{"plugins", {plugin_library("trouble")}}, {"model", model}});
    return text_of(misfits_of_task(settings, task));
}

}  // namespace

TEST_CASE("a plug-in's model gets its options, and its parameters and buffers keep their names") {
    const auto model = gated({{"width", 6}, {"depth", 2}}).model->make(four_classes());

    CHECK(model->named_parameters()["gate2.weight"].sizes() == at::IntArrayRef{6, 6});
    CHECK(model->named_buffers().contains("norm1.running_mean"));
    CHECK(model->forward(at::zeros({3, 8, 8})).sizes() == at::IntArrayRef{3, 4});
    CHECK(text_of(misfits_of_task(gated(), four_classes())) == "");
    CHECK(text_of(misfits_of_task(gated(), two_numbers())) == "");
}

TEST_CASE("random numbers in a plug-in's model depend on the samples' keys") {
    const auto model = gated({{"dropout", 0.5}, {"width", 64}}).model->make(four_classes());
    const at::Tensor inputs = at::randn({5, 8, 8});
    const at::Tensor keys = at::arange(5, at::kInt);

    CHECK(model->forward(inputs, keys).equal(model->forward(inputs, keys)));
    CHECK_FALSE(model->forward(inputs, keys).equal(model->forward(inputs, keys + 1)));
    model->eval();
    CHECK(model->forward(inputs, keys).equal(model->forward(inputs, keys + 1)));
}

TEST_CASE("a plug-in's batch norm uses its running statistics for a single sample without updating them") {
    const auto model = gated().model->make(four_classes());
    const at::Tensor inputs = at::randn({1, 8, 8});
    model->forward(at::randn({5, 8, 8}));
    const auto before = copies(model->buffers());

    const at::Tensor alone = model->forward(inputs);

    CHECK(same(model->buffers(), before));
    CHECK(model->named_modules()["norm1"]->is_training());
    model->eval();
    CHECK(alone.equal(model->forward(inputs)));
}

TEST_CASE("a mid-epoch regroup with the same members leaves a plug-in's model with dropout bit-identical") {
    const SweepFixture sweep;

    const auto checkpoint = check_regroup_to_same_members(sweep, {0, 1},
                                                          {{"plugins", {plugin_library("mine")}},
                                                           {"model", "gated"},
                                                           {"width", 8},
                                                           {"dropout", 0.3},
                                                           {"optimizer", "adam"},
                                                           {"ema", 0.9}});

    CHECK(checkpoint.model.at("norm1.running_mean").abs().sum().item<double>() > 0);
    CHECK(checkpoint.model.contains("gate1.weight"));
}

TEST_CASE("a plug-in's model that cannot be trained is refused with the reason before a trial starts") {
    CHECK(problem_of("sound") == "");
    CHECK(has(problem_of("misfit"), "trainer.model: the model misfit of "));
    CHECK(has(problem_of("misfit"), "trouble.so does not fit: it takes 3 channels"));
    CHECK(has(problem_of("throws_at_birth"), "trouble.so threw in its factory: no memory for the model"));
    CHECK(has(problem_of("nothing"), "its factory returned no model"));
    CHECK(has(problem_of("throws"), "trouble.so threw in forward(): no such shape"));
    CHECK(has(problem_of("throws_a_number"), "threw in forward(): an exception that is not a std::exception"));
    CHECK(has(problem_of("torch_throws"), "threw in forward(): mat1 and mat2 shapes cannot be multiplied"));
    CHECK(has(problem_of("forgets"), "returns no tensor"));
    CHECK(has(problem_of("half"), "returns Half; forward() must return float32"));
    CHECK(has(problem_of("narrow"),
              "trouble.so returns 2x1 for two samples, but the targets need 2x4: a score for each"));
    CHECK(has(problem_of("narrow", two_numbers()), "the targets need 3x2: 2 numbers for each"));
}

TEST_CASE("a model is refused if its state cannot be shared, its parameters cannot be trained or it has hidden state") {
    CHECK(has(problem_of("double"), "its parameter weight is Double; make it float32"));
    CHECK(has(problem_of("frozen"), "its parameter weight requires no gradient"));
    CHECK(has(problem_of("twins"), "its parameters weight and other are one tensor"));
    CHECK(has(problem_of("expanded"), "elements of its buffer mask share memory"));
    CHECK(has(problem_of("remembers"), "it keeps state that checkpoints and regroups do not carry"));
    CHECK(has(problem_of("remembers_in_evaluation"), "it keeps state that checkpoints and regroups do not carry"));
    CHECK(has(problem_of("unregistered"), "they depend on something that is not registered"));
    CHECK(has(problem_of("unregistered"), "use register_module, register_parameter or register_buffer"));
}

TEST_CASE("a layer that a plug-in creates in forward() is refused because it would be neither trained nor saved") {
    CHECK(has(problem_of("registered_late"), "they depend on something that is not registered"));
}

TEST_CASE("outputs with their axes in the wrong order are refused, even with two outputs") {
    CHECK(has(problem_of("transposed", two_numbers()), "returns 2x3 for 3 samples, but the targets need 3x2"));
    CHECK(has(problem_of("transposed"), "returns 4x2 for two samples, but the targets need 2x4"));
}

TEST_CASE("a model with an unused parameter is refused unless the parameter is frozen") {
    const auto problem_with = [](const Json& factors) {
        const Settings settings =
            settings_of({{"plugins", {plugin_library("trouble")}}, {"model", "idle"}, {"lr_factors", factors}});
        return text_of(misfits_of_network(settings, four_classes()));
    };

    CHECK(has(problem_with(Json::object()), "trainer.model: the model does not use the parameter idle"));
    CHECK(problem_with({{"idle", 0}}) == "");
}

TEST_CASE("a model that crashes in forward() is named, even after a stack overflow") {
    for (const std::string model : {"crashes", "overflows"}) {
        CAPTURE(model);

        const auto ending = crescendo::datasets::in_own_process("data.h5", [&] {
            problem_of(model);
            return 0;
        });

        CHECK(ending.signal == SIGSEGV);
        CHECK(has(ending.message(), "the model " + model + " of "));
        CHECK(has(ending.message(), "trouble.so, in forward() crashed (Segmentation fault)"));
    }
}
