#include "plugin/messages.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

using namespace crescendo::plugin;

TEST_CASE("a plug-in sees the search as the first message describes it") {
    Structs structs;
    const auto search = boundary::search_of(structs.search(Message::parse(R"({
        "request": "begin", "name": "first", "metric": "loss", "goal": "maximize", "seed": 7, "run_cap": 9,
        "max_resource": null, "constraints": ["width <= 64"], "options": {"step": 0.5, "model": "gp"},
        "parameters": {
          "lr": {"distribution": "uniform", "min": 0.1, "max": 1, "when": "width > 8"},
          "width": {"distribution": "categorical", "values": [8, [1, 2]], "probabilities": [0.25, 0.75]},
          "area": {"expression": "width * width"}}})")));

    CHECK(search.goal == Goal::maximize);
    CHECK(search.is_better(2, 1));
    CHECK(search.run_cap == 9);
    CHECK_FALSE(search.max_resource.has_value());
    CHECK(search.constraints == std::vector<std::string>{"width <= 64"});
    CHECK(search.options.number("step") == 0.5);
    CHECK(search.options.text("model") == "gp");
    CHECK(search.options.integer("size", 3) == 3);
    CHECK_NOTHROW(search.options.allow({"model", "step", "size"}));
    CHECK_THROWS_WITH_AS(search.options.allow({"model", "steps"}), "unknown option 'step'; there is model, steps",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(search.options.allow({}), "unknown option 'step'; there is none", std::invalid_argument);
    REQUIRE(search.parameters.size() == 3);
    CHECK(search.parameters[0].settings.number("max") == 1);
    CHECK(search.parameters[0].when == "width > 8");
    CHECK(std::get<std::int64_t>(search.parameters[1].values[0]) == 8);
    CHECK(std::get<Json>(search.parameters[1].values[1]).text == "[1,2]");
    CHECK(search.parameters[1].probabilities == std::vector<double>{0.25, 0.75});
    CHECK(search.parameters[2].distribution.empty());
    CHECK(search.parameters[2].expression == "width * width");
}

TEST_CASE("every number is better than NaN") {
    Search search;
    const double nan = std::nan("");

    for (const auto goal : {Goal::minimize, Goal::maximize}) {
        search.goal = goal;
        CHECK(search.is_better(0.5, nan));
        CHECK_FALSE(search.is_better(nan, 0.5));
        CHECK_FALSE(search.is_better(nan, nan));
    }
}

TEST_CASE("a trial has a report after it reported, with NaN if the value was not finite") {
    Structs structs;
    const auto begun = boundary::trial_of(structs.trial(
        Message::parse(R"({"trial": 3, "proposal": 5, "status": "running", "config": {"on": true}})")));
    const auto reported = boundary::trial_of(structs.trial(Message::parse(
        R"({"trial": 3, "status": "stopped", "config": {}, "resource": 9, "value": null})")));

    CHECK(begun.proposal == 5);
    CHECK(begun.config.integer("on") == 1);
    CHECK_FALSE(begun.report.has_value());
    CHECK_FALSE(begun.has_ended());
    CHECK_FALSE(reported.proposal.has_value());
    CHECK(reported.report->resource == 9);
    CHECK(std::isnan(reported.report->value));
    CHECK(reported.has_ended());
}

TEST_CASE("values survive the way to C and back") {
    Structs structs;
    const auto values = Message::parse(R"({"a": true, "b": -3, "c": 0.1, "d": "text", "e": {"f": [null]}})");
    const auto entries = structs.entries(values);

    for (std::size_t i = 0; i < entries.size; ++i) {
        const auto value = boundary::value_of(entries.data[i].value);
        CHECK(to_json(boundary::to_c(value)) == values[entries.data[i].name]);
    }
    CHECK_THROWS_WITH_AS(to_json(boundary::to_c(Json{"[1,"})), "[1,, which is not JSON", std::runtime_error);
    CHECK_THROWS_WITH_AS(to_json(boundary::to_c(std::nan(""))), "nan, which is not a valid value; give a finite number",
                         std::runtime_error);
}

TEST_CASE("a missing value, or one of another kind, throws an exception with its name") {
    Config config;
    config.set("width", 64);
    config.set("name", "adam");
    config.set("rate", 0.5);

    CHECK(config.number("width") == 64);
    CHECK_THROWS_WITH_AS(config.at("depth"), "there is no value 'depth'", std::out_of_range);
    CHECK_THROWS_WITH_AS(config.number("name"), "the value 'name' is not a number", std::invalid_argument);
    CHECK_THROWS_WITH_AS(config.integer("rate"), "the value 'rate' is not a whole number", std::invalid_argument);
    CHECK_THROWS_WITH_AS(config.text("width"), "the value 'width' is not a text", std::invalid_argument);
}
