#include "launch/sweep_file/keys/overrides.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// The document as text after a setting was applied to it.
std::string after(const std::string& setting, OrderedJson document = OrderedJson::object()) {
    apply_override(parse_override(setting, "run_cap=3"), document);
    return document.dump();
}

}  // namespace

TEST_CASE("a setting replaces a value, or adds it together with the maps on its path") {
    CHECK(after("run_cap=3", {{"run_cap", 27}}) == R"({"run_cap":3})");
    CHECK(after("a.b.c=x", {{"d", 1}}) == R"({"d":1,"a":{"b":{"c":"x"}}})");
}

TEST_CASE("values are read as YAML") {
    CHECK(after("x=1e-3") == R"({"x":0.001})");
    CHECK(after("x=[1, two]") == R"({"x":[1,"two"]})");
    CHECK(after("x=a=b") == R"({"x":"a=b"})");
    CHECK(after("x=") == R"({"x":null})");
}

TEST_CASE("an override without a value removes its key") {
    OrderedJson document{{"command", 1}, {"name", 2}, {"grow", 3}, {"report", 4}, {"final_test", 5}};

    for (const auto& each : without_training()) {
        apply_override(each, document);
    }

    CHECK(document.dump() == R"({"name":2})");
}

TEST_CASE("the section keep is not a mistake for a command that trains nothing") {
    const std::string text =
        "parameters: {lr: {min: 0.0, max: 1.0}}\n"
        "scheduler: {type: asha, max: 9}\n"
        "trainer: {data: {train: a.h5:/train}}\n"
        "keep: {best: 5}\n";

    CHECK_NOTHROW(parse_sweep(text, "sweep.yaml", without_training()));
}

TEST_CASE("settings that set nothing are refused") {
    for (const auto* text : {"run_cap", "=3"}) {
        CHECK(tests::error_of([&] { parse_override(text, "lr=0.01"); }).find("like lr=0.01") != std::string::npos);
    }
    CHECK_THROWS_AS(after("run_cap.x=3", {{"run_cap", 27}}), InvalidInput);
    CHECK_THROWS_AS(after("x=[1"), InvalidInput);
    CHECK(tests::error_of([] { after("x=1\ny: 2"); }).find("is more than one value for x; ") != std::string::npos);
}

TEST_CASE("a removed key takes along a map that held nothing else, and a missing key may be removed") {
    OrderedJson document{{"budget", {{"time", "8h"}}}, {"scheduler", {{"max", 9}, {"max_concurrent", 2}}}};

    for (const auto* key : {"budget.time", "scheduler.max_concurrent", "run_cap", "a.b"}) {
        apply_override({key, {}}, document);
    }

    CHECK(document.dump() == R"({"scheduler":{"max":9}})");
}

TEST_CASE("a mistake in an option of a command has no position in the file") {
    const std::string text =
        "metric: {name: loss}\nrun_cap: 9\nparameters: {x: {min: 0, max: 1.0}}\nscheduler: {max: 9}\n";
    const auto error_with = [&](const Override& change) {
        return tests::error_of([&] { parse_sweep(text, "sweep.yaml", {change}); });
    };

    CHECK(error_with({"run_cap", "0"}).starts_with("run_cap: run_cap is 0"));
    CHECK(error_with({"scheduler", "{type: asha, nax: 9}"}).starts_with("scheduler.nax: unknown key"));
    CHECK(error_with({"scheduler.max", "0"}).starts_with("scheduler.max: "));
}
