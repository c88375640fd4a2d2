#include "launch/sweep_file/search/sampler_choice.hpp"

#include <doctest/doctest.h>

#include "launch/directory/frozen_file.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "tests/launch/sweep_file/remark_on.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::remark_on;

namespace {

const std::string numbers = "parameters: {lr: {min: 0.1, max: 1.0}, n: {min: 1, max: 9}, a: {values: [x, y]}}\n";
const std::string only_numbers = "parameters: {lr: {min: 0.1, max: 1.0}, n: {min: 1, max: 9}}\n";
const std::string choices = "parameters: {lr: {min: 0.1, max: 1.0}, a: {values: [x, y]}, b: {values: [x, y]}}\n";

SweepFile read(const std::string& text) {
    return parse_sweep("metric: {name: loss}\ncommand: [train]\n" + text, "sweep.yaml");
}

}  // namespace

TEST_CASE("auto chooses a sampler by the number of trials and the kinds of parameters") {
    for (const auto& [text, sampler] : std::vector<std::pair<std::string, std::string>>{
             {"run_cap: 19\n" + numbers, "sobol"},
             {"run_cap: 20\n" + numbers, "gp"},
             {"run_cap: 500\n" + numbers, "gp"},
             {"run_cap: 501\n" + numbers, "tpe"},
             {"run_cap: 5000\n" + numbers, "tpe"},
             {"run_cap: 999\n" + only_numbers, "tpe"},
             {"run_cap: 1000\n" + only_numbers, "cmaes"},
             {"run_cap: 100\n" + choices, "tpe"},
             {"budget: {time: 8h}\n" + numbers, "tpe"},
             {numbers, "gp"},  // the usual number of trials
         }) {
        CAPTURE(text);
        CHECK(read("method: auto\n" + text).spec.sampler == sampler);
        CHECK(read("sampler: {type: auto}\n" + text).spec.sampler == sampler);
        const bool is_few = sampler == "sobol";
        CHECK(read("method: bayes\n" + text).spec.sampler == (is_few ? "gp" : sampler));
    }
}

TEST_CASE("a remark names the chosen sampler, the reason, and how to keep it") {
    CHECK(remark_on(read("method: auto\nrun_cap: 100\n" + numbers), "method") ==
          "is auto, which means gp for a sweep of at most 500 trials with mostly numeric parameters; to keep it, write "
          "gp");
    CHECK(remark_on(read("method: bayes\nrun_cap: 600\n" + numbers), "method") ==
          "is bayes, which means tpe for a sweep of more than 500 trials; to keep it, write tpe");
    CHECK(remark_on(read("sampler: {type: auto}\nrun_cap: 9\n" + numbers), "sampler.type")
              .starts_with("is auto, which means sobol"));
    CHECK(remark_on(read("method: gp\nrun_cap: 9\n" + numbers), "method").empty());
}

TEST_CASE("a sampler that does not suit the search, or contradicts `method`, gets a remark") {
    CHECK(remark_on(read("method: gp\nrun_cap: 501\n" + numbers), "method") ==
          "is gp, whose model holds at most 500 results, but the sweep has 501 trials; each proposal takes about a "
          "tenth of a second; auto chooses a sampler that suits it");
    CHECK(remark_on(read("method: gp\nrun_cap: 500\n" + numbers), "method").empty());
    CHECK(remark_on(read("sampler: {type: gp}\nbudget: {time: 8h}\n" + numbers), "sampler.type")
              .starts_with("is gp, whose model holds at most 500 results, but the sweep has no limit on trials"));

    const auto both = read("method: gp\nsampler: {type: tpe}\n" + numbers);
    CHECK(both.spec.sampler == "tpe");
    CHECK(remark_on(both, "method") == "is gp, but sampler: says tpe, which takes precedence; remove one of the two");
    CHECK(remark_on(read("method: tpe\nsampler: {type: tpe}\n" + numbers), "method").empty());
}

TEST_CASE("a run_cap above the number of configurations gets a remark") {
    const std::string few = "parameters: {a: {values: [1, 2]}, b: {min: 1, max: 3}}\nconstraints: [a * b < 6]\n";
    CHECK(
        remark_on(read("method: tpe\nrun_cap: 6\n" + few), "run_cap") ==
        "is 6, but there are only 5 configurations, so trials repeat each other; to try each once, write method: grid");
    CHECK(remark_on(read("method: tpe\nrun_cap: 5\n" + few), "run_cap").empty());
    CHECK(remark_on(read("method: grid\nrun_cap: 9\n" + few), "run_cap").empty());
    CHECK(remark_on(read("method: random\nrun_cap: 9\n" + numbers), "run_cap").empty());
}

TEST_CASE("initial points that no trial will have get a remark") {
    const std::string points = "method: random\ninitial: [{lr: 0.1}, {lr: 0.2}, {lr: 0.3}]\n" + numbers;
    CHECK(remark_on(read("run_cap: 2\n" + points), "initial") ==
          "has 3 points, but run_cap is 2, so the last is left out; raise run_cap");
    CHECK(remark_on(read("run_cap: 1\n" + points), "initial") ==
          "has 3 points, but run_cap is 1, so the last 2 are left out; raise run_cap");
    CHECK(remark_on(read("run_cap: 3\n" + points), "initial").empty());
    CHECK(remark_on(read("budget: {time: 8h}\n" + points), "initial").empty());
}

TEST_CASE("auto chooses a sampler that learns if a few trials have a warm start") {
    CHECK(read("method: auto\nrun_cap: 9\nwarm_start: [a.csv]\n" + numbers).spec.sampler == "gp");
}

TEST_CASE("a sweep keeps the sampler that it began with, whatever run_cap becomes") {
    const auto text = "metric: {name: loss}\ncommand: [train]\nmethod: auto\nrun_cap: 100\n" + choices + "seed: 1\n";
    auto later = text;
    later.replace(later.find("100"), 3, "9000");
    const auto numbers_only = [](std::string file) {
        file.replace(file.find(choices), choices.size(), only_numbers);
        return file;
    };
    const FrozenFile frozen(numbers_only(text), "sweep.yaml");

    CHECK(parse_sweep(numbers_only(later), "sweep.yaml").spec.sampler == "cmaes");
    CHECK(parse_sweep(numbers_only(later), "sweep.yaml", frozen.beginning()).spec.sampler == "gp");
}

TEST_CASE("a sweep that began when bayes meant tpe keeps tpe") {
    const auto text = "metric: {name: loss}\ncommand: [train]\nmethod: bayes\nrun_cap: 100\n" + numbers;

    CHECK(parse_sweep(text, "sweep.yaml", FrozenFile(text, "sweep.yaml", 2).beginning()).spec.sampler == "tpe");
    CHECK(parse_sweep(text, "sweep.yaml", FrozenFile(text, "sweep.yaml").beginning()).spec.sampler == "gp");
}
