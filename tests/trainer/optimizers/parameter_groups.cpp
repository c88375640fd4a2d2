#include "trainer/optimizers/parameter_groups.hpp"

#include <torch/optim/adamw.h>

#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::tests::error_of;

namespace {

/// A backbone of two layers and a head. The gradient of a parameter is the parameter itself plus 0.5.
struct Network {
    std::vector<NamedTensor> parameters{{"layer1.weight", at::arange(1, 7, at::kFloat).view({2, 3})},
                                        {"layer10.weight", at::full({2, 2}, 2.0F)},
                                        {"head.weight", at::arange(4, at::kFloat).view({2, 2})},
                                        {"head.bias", at::full({2}, -3.0F)}};

    Network() {
        for (const auto& each : parameters) {
            each.tensor.set_requires_grad(true);
        }
    }

    ParameterGroups groups(const std::map<std::string, double>& factors, const std::string& optimizer = "adamw") {
        return {*settings_of({{"optimizer", optimizer}}).optimizer, parameters, factors};
    }

    template <class Optimizer>
    void step(Optimizer&& step, int count) {
        for (int i = 0; i < count; ++i) {
            for (auto& [name, tensor] : parameters) {
                if (tensor.requires_grad()) {
                    tensor.mutable_grad() = tensor.detach() + 0.5;
                }
            }
            step();
        }
    }

    const at::Tensor& operator[](std::size_t i) const { return parameters[i].tensor; }
};

}  // namespace

TEST_CASE("a hundred steps with factors match torch's parameter groups, even across a resume") {
    Network ours;
    Network theirs;
    auto before = ours.groups({{"layer1", 0.1}, {"head", 2.0}});
    std::vector<torch::optim::OptimizerParamGroup> groups;
    for (const auto& [tensors, rate] : std::vector<std::pair<std::vector<at::Tensor>, double>>{
             {{theirs[0]}, 0.001}, {{theirs[1]}, 0.01}, {{theirs[2], theirs[3]}, 0.02}}) {
        groups.emplace_back(
            tensors, std::make_unique<torch::optim::AdamWOptions>(torch::optim::AdamWOptions(rate).weight_decay(0.01)));
    }
    torch::optim::AdamW reference(groups, torch::optim::AdamWOptions());

    ours.step([&] { before.step(/*learning_rate=*/0.01); }, 50);
    auto after = ours.groups({{"layer1", 0.1}, {"head", 2.0}});
    after.reset(before.num_steps());
    for (std::size_t i = 0; i < after.state().size(); ++i) {
        CHECK(after.state()[i].parameter == before.state()[i].parameter);
        after.state()[i].tensor.copy_(before.state()[i].tensor);
    }
    ours.step([&] { after.step(0.01); }, 50);
    theirs.step([&] { reference.step(); }, 100);

    CHECK(after.num_steps() == 100);
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(ours.parameters[i].name);
        CHECK(at::allclose(ours[i], theirs[i], /*rtol=*/1e-5, /*atol=*/1e-7));
    }
}

TEST_CASE("without factors all parameters form one group, as for a single optimizer") {
    Network grouped;
    Network single;
    auto groups = grouped.groups({});
    const auto optimizer = settings_of({{"optimizer", "adamw"}}).optimizer->make(single.parameters);

    grouped.step([&] { groups.step(0.01); }, 5);
    single.step([&] { optimizer->step(0.01); }, 5);

    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(at::equal(grouped[i], single[i]));
        CHECK(groups.state()[i].parameter == optimizer->state()[i].parameter);
    }
}

TEST_CASE("the longest name applies, a name ends at a dot, and a star stands for all other parameters") {
    Network network;
    const Network untouched;
    auto groups = network.groups({{"*", 0.0}, {"head", 0.0}, {"head.bias", 1.0}, {"layer1", 1.0}});

    network.step([&] { groups.step(0.1); }, 1);

    CHECK_FALSE(at::equal(network[0], untouched[0]));  // layer1
    CHECK(at::equal(network[1], untouched[1]));        // layer10 is not in layer1
    CHECK(at::equal(network[2], untouched[2]));        // head.weight
    CHECK_FALSE(at::equal(network[3], untouched[3]));  // head.bias
}

TEST_CASE("frozen parameters need no gradient, have no state and keep their values in evaluations") {
    Network network;
    network[3].set_requires_grad(false);  // a user's network may do so
    const at::Tensor bias = network[3].clone();
    auto groups = network.groups({{"layer1", 0.0}, {"head", 2.0}}, "schedule_free");

    network.step([&] { groups.step(0.1); }, 3);

    CHECK_FALSE(network[0].requires_grad());
    CHECK(groups.learning().size() == 2);
    for (const auto& state : groups.state()) {
        CHECK(state.parameter != "layer1.weight");
        CHECK(state.parameter != "head.bias");
    }
    CHECK(at::equal(network[3], bias));
    const auto weights = groups.evaluation_weights();
    REQUIRE(weights.size() == 4);
    CHECK(at::equal(weights[0], network[0]));
    CHECK(weights[1].sizes() == network[1].sizes());
    CHECK_FALSE(at::equal(weights[1], network[1]));  // the average
}

TEST_CASE("unknown names are refused with the known ones, and so is a completely frozen model") {
    CHECK(error_of([] {
              Network().groups({{"layer2", 1.0}});
          }) ==
          "the model has no parameter, and no module with parameters, named layer2; it has layer1, layer10, head");
    CHECK(error_of([] { Network().groups({{"*", 0.0}}); }).starts_with("factors of 0 freeze all parameters"));
}
