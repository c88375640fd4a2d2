#include "launch/sweep_file/sections/stop_rule.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

const std::string head =
    "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0, max: 9}}\nscheduler: {type: fifo, max: 2}\n";

SweepFile read(const std::string& more) { return parse_sweep(head + more, "sweep.yaml"); }

std::string error_of_rule(const std::string& more) {
    return tests::error_of([&] { read(more); });
}

}  // namespace

TEST_CASE("a stop rule is a name, or a section with options") {
    const auto short_form = read("plugins: [./a.so]\nstop_rule: plateau\n");
    CHECK(short_form.plugins == std::vector<std::string>{"./a.so"});
    CHECK(short_form.stop_rule->type == "plateau");

    const auto section = read("plugins: [./a.so]\nstop_rule: {type: plateau, options: {patience: 5}, deadline: 5m}\n");
    CHECK(section.stop_rule->options.dump() == R"({"patience":5})");
    CHECK(section.stop_rule->deadline == std::chrono::minutes(5));
    CHECK_FALSE(read("").stop_rule.has_value());
}

TEST_CASE("a sampler's type names a plug-in if Crescendo has no sampler of that name") {
    const auto file = read("plugins: [./a.so]\nsampler: {type: climber, options: {keep: 0.5}, ahead: 4}\n");
    CHECK(file.spec.sampler == "program");
    CHECK(file.sampler->plugin == "climber");
    CHECK(file.sampler->words.empty());
    CHECK(file.sampler->options.dump() == R"({"keep":0.5})");
    CHECK(file.sampler->ahead == 4);

    CHECK_FALSE(read("plugins: [./a.so]\nsampler: {type: tpe}\nstop_rule: plateau\n").sampler.has_value());
}

TEST_CASE("mistakes in stop rules, plug-ins and their options are refused with their position") {
    CHECK(error_of_rule("plugins: [./a.so]\nstop_rule: {}\n").find("stop_rule: names no plug-in class") !=
          std::string::npos);
    CHECK(error_of_rule("stop_rule: plateau\n").find("there is no plug-in; add plugins: [./libmine.so]") !=
          std::string::npos);
    CHECK(error_of_rule("plugins: [./a.so]\nstop_rule: {type: a, deadline: soon}\n")
              .find("\"soon\" is not a time limit for an answer") != std::string::npos);
    CHECK(error_of_rule("plugins: [\"\"]\nstop_rule: a\n").find("plugins[0]: is empty") != std::string::npos);
    CHECK(error_of_rule("plugins: [a.so, b.so, a.so]\nstop_rule: a\n").find("plugins[2]: is already in the list") !=
          std::string::npos);
    CHECK(error_of_rule("plugins: ./a.so\nstop_rule: a\n").find("plugins: ") != std::string::npos);
    CHECK(error_of_rule("sampler: {type: tpe, options: {keep: 1}}\n")
              .find("sampler.options: is a key for a sampler of your "
                    "own") != std::string::npos);
}
