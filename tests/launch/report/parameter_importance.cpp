#include "launch/report/parameter_importance.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sweep_file.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

SweepSpec spec_of(const std::string& parameters, int run_cap) {
    return parse_sweep("metric: {name: loss}\nrun_cap: " + std::to_string(run_cap) + "\nparameters: " + parameters +
                           "\nscheduler: {type: asha, min: 1, max: 9}\ncommand: [train]\n",
                       "sweep.yaml")
        .spec;
}

/// A sweep on as many slots as trials, each of which has reported `loss` of its configuration once.
template <class Loss>
History reported(const SweepSpec& spec, const Loss& loss) {
    History history(spec, Reports::all);
    auto slots = Json::array();
    for (int slot = 0; slot < *spec.run_cap; ++slot) {
        slots.push_back({{"slot", slot}, {"node", 0}});
    }
    history.apply(Json{{"event", "slots_joined"}, {"time", 0.0}, {"slots", slots}});
    for (int trial = 0; trial < *spec.run_cap; ++trial) {
        const double value = loss(history.sweep().trial(TrialId{trial}).config);
        history.apply(Json{{"event", "trial_reported"},
                           {"trial", trial},
                           {"resource", 1},
                           {"loss", value},
                           {"time", 1.0 + trial},
                           {"metrics", {{"loss", value}}}});
    }
    return history;
}

double number(const Config& config, std::size_t i) { return std::get<double>(config.at(i).second); }

}  // namespace

TEST_CASE("the scales of parameters are those of their distributions, without constants") {
    const auto spec = spec_of(
        "{lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}, n: {distribution: int_uniform, min: 1, max: 4},"
        " act: {values: [relu, tanh]}, fixed: {value: 3}}",
        4);

    const auto parameters = parameters_json(spec.space);

    REQUIRE(parameters.size() == 3);
    CHECK(parameters[0] == OrderedJson{{"name", "lr"}, {"scale", "log"}, {"low", 0.001}, {"high", 0.1}});
    CHECK(parameters[1] == OrderedJson{{"name", "n"}, {"scale", "linear"}, {"low", 0.5}, {"high", 4.5}});
    CHECK(parameters[2].at("choices") == OrderedJson{"relu", "tanh"});
}

TEST_CASE("a parameter whose distribution has no ends is shown where nearly all of its values are") {
    const auto spec = spec_of("{x: {distribution: normal, mu: 1.0, sigma: 2.0}}", 4);

    const auto parameters = parameters_json(spec.space);

    REQUIRE(parameters.size() == 1);
    CHECK(parameters[0].at("low").get<double>() == doctest::Approx(1 - 2 * 2.5758));  // quantile 0.005
    CHECK(parameters[0].at("high").get<double>() == doctest::Approx(1 + 2 * 2.5758));
}

TEST_CASE("the parameter that the metric follows is the important one") {
    const auto spec = spec_of("{x: {min: 0.0, max: 1.0}, y: {min: 0.0, max: 1.0}}", 40);
    const auto history = reported(spec, [](const Config& config) { return 3 * number(config, 0); });

    const auto rungs = importances_json(history, 1000);

    REQUIRE(rungs.size() == 1);
    CHECK(rungs[0].at("at") == 1);
    CHECK(rungs[0].at("trials") == 40);
    CHECK(rungs[0].at("shares")[0][0].get<double>() > 0.9);
    CHECK(rungs[0].at("shares")[1][0].get<double>() < 0.1);
    CHECK(rungs[0].at("pairs").size() == 1);
}

TEST_CASE("too few trials, and trials without a finite metric, have no importances") {
    const auto spec = spec_of("{x: {min: 0.0, max: 1.0}}", 40);

    CHECK(importances_json(reported(spec_of("{x: {min: 0.0, max: 1.0}}", 5), [](const Config&) { return 1.0; }), 1000)
              .empty());
    CHECK(importances_json(reported(spec, [](const Config&) { return NAN; }), 1000).empty());
}
