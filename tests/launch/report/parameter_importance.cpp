#include "launch/report/parameter_importance.hpp"

#include <doctest/doctest.h>

#include <cmath>

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

/// A sweep with one slot for each trial. Each trial has reported the `loss` of its configuration once.
template <class Loss>
History reported(const SweepSpec& spec, const Loss& loss) {
    History history(spec, Reports::all);
    const int num_trials = *spec.run_cap * spec.repeat.times;
    auto slots = Json::array();
    for (int slot = 0; slot < num_trials; ++slot) {
        slots.push_back({{"slot", slot}, {"node", 0}});
    }
    history.apply(Json{{"event", "slots_joined"}, {"time", 0.0}, {"slots", slots}});
    for (int trial = 0; trial < num_trials; ++trial) {
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

/// Twelve trials that train until their program ends.
History reported_without_max() {
    const auto spec = parse_sweep(
                          "metric: {name: loss}\nrun_cap: 12\nparameters: {x: {min: 0.0, max: 1.0}}\n"
                          "command: [train]\n",
                          "sweep.yaml")
                          .spec;
    return reported(spec, [](const Config& config) { return number(config, 0); });
}

}  // namespace

TEST_CASE("parameters have the scales of their distributions, and constants are left out") {
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

TEST_CASE("a parameter with an unbounded distribution is shown in the range of nearly all its values") {
    const auto spec = spec_of("{x: {distribution: normal, mu: 1.0, sigma: 2.0}}", 4);

    const auto parameters = parameters_json(spec.space);

    REQUIRE(parameters.size() == 1);
    CHECK(parameters[0].at("low").get<double>() == doctest::Approx(1 - 2 * 2.5758));  // quantile 0.005
    CHECK(parameters[0].at("high").get<double>() == doctest::Approx(1 + 2 * 2.5758));
}

TEST_CASE("a log-normal parameter once had no small values in its range, however often they are drawn") {
    const auto spec = spec_of("{x: {distribution: log_normal, mu: 0, sigma: 2}}", 4);
    const auto rounded = spec_of("{x: {distribution: q_log_normal, mu: 0, sigma: 2, q: 1}}", 4);

    CHECK(parameters_json(spec.space)[0].at("low").get<double>() == doctest::Approx(std::exp(-2 * 2.5758)));
    CHECK(parameters_json(rounded.space)[0].at("low") == 0.5);  // the smallest values are 0 and 1
}

TEST_CASE("the parameter that the metric follows is important, and the other one is not") {
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

TEST_CASE("a diverged trial does not hide what matters among the others, whatever the goal") {
    for (const double sign : {1.0, -1.0}) {
        CAPTURE(sign);
        auto spec = spec_of("{x: {min: 0.0, max: 1.0}, y: {min: 0.0, max: 1.0}}", 40);
        spec.goal = sign > 0 ? Goal::minimize : Goal::maximize;
        int trial = 0;
        const auto history = reported(
            spec, [&](const Config& config) { return sign * (trial++ % 20 == 7 ? 1e30 : 3 * number(config, 0)); });

        const auto rung = importances_json(history, 1000).at(0);

        CHECK(rung.at("far_off").at(0) == 2);
        CHECK(sign * rung.at("far_off").at(1).get<double>() > 3);
        CHECK(sign * rung.at("far_off").at(1).get<double>() < 9);
        CHECK(rung.at("shares")[0][0].get<double>() > 3 * rung.at("shares")[1][0].get<double>());
    }
}

TEST_CASE("values are far off only if they are worse and the other values differ") {
    const auto spec = spec_of("{x: {min: 0.0, max: 1.0}}", 40);
    int trial = 0;
    const auto same = reported(spec, [&](const Config&) { return trial++ < 30 ? 1.0 : 2.0; });
    const auto best = reported(spec, [&](const Config& config) { return trial++ == 60 ? -1e9 : number(config, 0); });

    CHECK_FALSE(importances_json(same, 1000).at(0).contains("far_off"));
    CHECK_FALSE(importances_json(best, 1000).at(0).contains("far_off"));
}

TEST_CASE("if there are many rungs, only the highest have importances") {
    auto spec = spec_of("{x: {min: 0.0, max: 1.0}}", 12);
    spec.scheduler.max = Resource{64};
    spec.scheduler.reduction_factor = 2;
    int num_told = 0;
    auto history = reported(spec, [&](const Config&) { return 1.0 / ++num_told; });  // each survives as the best so far
    for (int trial = 0; trial < 12; ++trial) {
        history.apply(Json{{"event", "trial_reported"},
                           {"trial", trial},
                           {"resource", 64},
                           {"loss", 0.01},
                           {"time", 100.0 + trial},
                           {"metrics", {{"loss", 0.01}}}});
    }

    std::vector<int> rungs;
    for (const auto& rung : importances_json(history, 1000)) {
        rungs.push_back(rung.at("at"));
    }

    CHECK(rungs == std::vector{4, 8, 16, 32, 64});
}

TEST_CASE("trials that train until their program ends are compared at their ends") {
    auto history = reported_without_max();
    CHECK(importances_json(history, 1000).empty());
    for (int trial = 0; trial < 12; ++trial) {
        history.apply(Json{{"event", "trial_finished"}, {"trial", trial}, {"time", 100.0 + trial}});
    }

    const auto importances = importances_json(history, 1000);

    REQUIRE(importances.size() == 1);
    CHECK(importances[0]["at"] == "the end");
    CHECK(importances[0]["trials"] == 12);
    CHECK(importances[0]["shares"][0][0] == 1);
}

TEST_CASE("trials whose time is up are compared at their ends too, because a sampler learns from them") {
    auto history = reported_without_max();
    for (int trial = 0; trial < 12; ++trial) {
        history.apply(Json{{"event", "trial_time_up"}, {"trial", trial}, {"time", 100.0 + trial}});
    }

    const auto importances = importances_json(history, 1000);

    REQUIRE(importances.size() == 1);
    CHECK(importances[0]["at"] == "the end");
    CHECK(importances[0]["trials"] == 12);
}

TEST_CASE("too few trials, and trials without a finite metric, have no importances") {
    const auto spec = spec_of("{x: {min: 0.0, max: 1.0}}", 40);

    CHECK(importances_json(reported(spec_of("{x: {min: 0.0, max: 1.0}}", 5), [](const Config&) { return 1.0; }), 1000)
              .empty());
    CHECK(importances_json(reported(spec, [](const Config&) { return NAN; }), 1000).empty());
}

TEST_CASE("repetitions once counted as trials of their own, so that four configurations seemed to be enough") {
    const auto repeated = [](int num_configurations) {
        auto spec = spec_of("{x: {min: 0.0, max: 1.0}}", num_configurations);
        spec.repeat.times = 3;
        int trial = 0;
        const auto luck = [&] { return trial++ % 3 - 1.0; };  // none in the mean of three
        return importances_json(reported(spec, [&](const Config& config) { return number(config, 0) + luck(); }), 1000);
    };

    CHECK(repeated(4).empty());
    const auto rungs = repeated(12);
    REQUIRE(rungs.size() == 1);
    CHECK(rungs[0].at("trials") == 12);
    CHECK(rungs[0].at("marginals")[0].front()[0].get<double>() < 0.5);  // it follows x
    CHECK(rungs[0].at("marginals")[0].back()[0].get<double>() > 0.5);
}

TEST_CASE("a parameter with a condition is judged by the trials that have it, as Optuna 5 does on request") {
    auto spec = spec_of(
        "{optimizer: {values: [sgd, adam]}, lr: {min: 0.0, max: 1.0},"
        " momentum: {min: 0.0, max: 1.0, when: optimizer == 'sgd'}, rare: {min: 0.0, max: 1.0, when: lr > 0.98}}",
        200);
    History history(spec, Reports::all);
    const auto place = [](int trial, double prime) { return std::fmod((trial + 1) * std::sqrt(prime), 1.0); };
    auto slots = Json::array();
    for (int trial = 0; trial < 200; ++trial) {
        const bool is_sgd = place(trial, 2) < 0.5;
        Json config{{"optimizer", is_sgd ? "sgd" : "adam"}, {"lr", place(trial, 3)}};
        if (is_sgd) {
            config["momentum"] = place(trial, 5);
        }
        if (place(trial, 3) > 0.98) {
            config["rare"] = 0.5;
        }
        history.apply(Json{{"event", "trial_proposed"}, {"trial", trial}, {"time", 0.0}, {"config", config}});
        slots.push_back({{"slot", trial}, {"node", 0}});
    }
    history.apply(Json{{"event", "slots_joined"}, {"time", 0.0}, {"slots", slots}});
    for (int trial = 0; trial < 200; ++trial) {
        const double lr = place(trial, 3);
        const double loss = place(trial, 2) < 0.5 ? 1 + lr + 2 * place(trial, 5) : 3 * lr;
        history.apply(Json{{"event", "trial_reported"},
                           {"trial", trial},
                           {"resource", 1},
                           {"loss", loss},
                           {"time", 1.0 + trial},
                           {"metrics", {{"loss", loss}}}});
    }

    const auto rung = importances_json(history, 1000).at(0);

    // The output of tests/analysis/optuna_importances.py for all trials, and for the trials with momentum.
    const auto share = [&](int i) { return rung.at("shares").at(i).at(0).get<double>(); };
    CHECK(std::abs(share(0) - 0.249) < 0.05);
    CHECK(std::abs(share(1) - 0.488) < 0.05);
    CHECK(std::abs(share(2) - 0.813) < 0.05);
    CHECK(rung.at("trials") == 200);
    CHECK(rung.at("present").at(0) == 200);
    CHECK(rung.at("present").at(2) == 101);
    CHECK(rung.at("shares").at(3).is_null());  // fewer than ten trials have it
    CHECK(rung.at("marginals").at(3).is_null());
    CHECK(rung.at("marginals").at(2).size() == 24);
    CHECK(rung.at("pairs").size() == 1);  // of parameters that all trials have
}
