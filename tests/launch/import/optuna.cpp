#include "launch/import/import_formats.hpp"

#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("distributions as JSON become parameters, whether they are objects or text") {
    const auto text = imported(R"({
  "lr": {"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-5, "high": 0.1, "log": true}},
  "drop": {"name": "FloatDistribution", "attributes": {"step": 0.25, "low": 0.0, "high": 0.5, "log": false}},
  "layers": {"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 2, "high": 8}},
  "width": "{\"name\": \"IntDistribution\", \"attributes\": {\"log\": true, \"step\": 1, \"low\": 8, \"high\": 64}}",
  "one": {"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 1}},
  "act": {"name": "CategoricalDistribution", "attributes": {"choices": ["relu", null, 3, true]}},
  "old": {"name": "LogUniformDistribution", "attributes": {"low": 0.001, "high": 1.0}},
  "q": {"name": "DiscreteUniformDistribution", "attributes": {"low": 0.0, "high": 1.0, "q": 0.5}}
})");

    CHECK(contains(text, "# From file.yaml, Optuna distributions.\n"));
    CHECK(contains(text, "metric: {name: value, goal: minimize}  # Optuna does not name it"));
    CHECK(contains(text, "  lr: {distribution: log_uniform_values, min: 1e-05, max: 0.1}\n"));
    CHECK(contains(text, "  drop: {values: [0.0, 0.25, 0.5]}\n"));
    CHECK(contains(text, "  layers: {min: 2, max: 8}\n"));
    CHECK(contains(text, "  width: {distribution: q_log_uniform_values, min: 8.0, max: 64.0, q: 1}\n"));
    CHECK(contains(text, "  one: {value: 1}\n"));
    CHECK(contains(text, "  act: {values: [relu, null, 3, true]}\n"));
    CHECK(contains(text, "  old: {distribution: log_uniform_values, min: 0.001, max: 1.0}\n"));
    CHECK(contains(text, "  q: {values: [0.0, 0.5, 1.0]}\n"));
}

TEST_CASE("the error for a distribution without a number names both") {
    CHECK(contains(import_error(R"({"x": {"name": "FloatDistribution", "attributes": {"low": 1.0}}})"),
                   "file.yaml: x: FloatDistribution has no number high"));
}

TEST_CASE("a wide range of whole numbers keeps its ends, and a range beyond 64 bits is refused") {
    const std::string begin = R"({"n": {"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, )";

    CHECK(contains(imported(begin + R"("high": 9007199254740993}}})"), "  n: {min: 0, max: 9007199254740993}\n"));
    CHECK(contains(import_error(begin + R"("high": 1e30}}})"),
                   "file.yaml: n: IntDistribution has high: 1e+30, which does not fit in a 64-bit integer"));
}
