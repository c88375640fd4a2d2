#include "launch/sweep_file/sections/repeating.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;

namespace {

SweepSpec spec_with(const std::string& section) {
    return parse_sweep("metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
                       "command: [python, train.py]\nscheduler: {type: asha, max: 9}\n" +
                           section,
                       "sweep.yaml")
        .spec;
}

}  // namespace

TEST_CASE("a configuration is trained as often as the file says") {
    CHECK(spec_with("").repeat.times == 1);
    CHECK(spec_with("repeat: 3\n").repeat.times == 3);
    CHECK(spec_with("repeat: 3\n").repeat.judge == JudgedBy::mean);
    CHECK(spec_with("repeat: {times: 3, judge: worst}\n").repeat.judge == JudgedBy::worst);
    CHECK(spec_with("repeat: {times: 2}\n").repeat.times == 2);
}

TEST_CASE("an invalid repeat is refused with its position") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"repeat: 0\n", "6:1: repeat: a configuration is trained 0 times (trials are its repetitions); use 1 to 1000"},
        {"repeat: often\n", "6:1: repeat: 'often' is text"},
        {"repeat: {judge: mean}\n", "6:1: repeat.times: is missing: it sets how many times a configuration is trained"},
        {"repeat: {times: 3, judge: median}\n", "6:20: repeat.judge: "},
        {"repeat: {times: 3, seeds: 4}\n", "6:20: repeat.seeds: unknown key; repeat has times and judge"},
    };

    for (const auto& [section, error] : cases) {
        CAPTURE(section);
        CHECK(error_of([&text = section] { spec_with(text); }).starts_with("sweep.yaml:" + error));
    }
    CHECK(error_of([] {
              parse_sweep("metric: {name: loss}\nrun_cap: 9\nparameters: {x: {min: 0.0, max: 1.0}}\n"
                          "command: [python, train.py]\nrepeat: 2\nscheduler: {type: hyperband, max: 9}\n",
                          "sweep.yaml");
          }).starts_with("sweep.yaml:5:1: repeat: the rungs of hyperband rank single trials"));
}
