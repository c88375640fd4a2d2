#include "launch/sweep_file/search/sampler_command.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

SweepFile file_with(const std::string& section) {
    return parse_sweep(
        "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
        "scheduler: {type: asha, max: 9}\n" +
            section,
        "sweep.yaml");
}

std::string section_error(const std::string& section) {
    return tests::error_of([&] { file_with(section); });
}

}  // namespace

TEST_CASE("a command defines a sampler, with or without a type") {
    const auto file = file_with("sampler: {command: [python3, mine.py], ahead: 0, deadline: 5m}\n");

    CHECK(file.spec.sampler == "program");
    CHECK(file.sampler->words == std::vector<std::string>{"python3", "mine.py"});
    CHECK(file.sampler->ahead == 0);
    CHECK(file.sampler->deadline == std::chrono::minutes(5));
    const auto short_form = file_with("sampler: {type: program, command: ./mine}\n");
    CHECK(short_form.sampler->words == std::vector<std::string>{"./mine"});
    CHECK_FALSE(file_with("sampler: {type: random}\n").sampler.has_value());
}

TEST_CASE("messages about the section name the line, and say what to write") {
    CHECK(section_error("sampler: {type: program}\n") ==
          "sweep.yaml:5:11: sampler.type: is program, but no program is named; write sampler: {command: [python3, "
          "mine.py]}");
    CHECK(section_error("method: program\n").starts_with("sweep.yaml:5:1: method: is program"));
    CHECK(section_error("sampler: {type: grid, command: [a]}\n").find("remove one of the two") != std::string::npos);
    CHECK(section_error("sampler: {command: []}\n").find("names no program") != std::string::npos);
    CHECK(section_error("sampler: {command: 3}\n").find("sampler.command") != std::string::npos);
    CHECK(section_error("sampler: {command: [a], ahead: -1}\n").find("use 0 to 1000") != std::string::npos);
    CHECK(section_error("sampler: {command: [a], deadline: 0s}\n").find("write it like 60s") != std::string::npos);
    CHECK(section_error("sampler: {type: random, ahead: 2}\n").find("remove it") != std::string::npos);
}
