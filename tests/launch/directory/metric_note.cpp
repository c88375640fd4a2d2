#include "launch/directory/metric_note.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sweep_file.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

SweepFile read(const std::string& metric, const Json& run) {
    return parse_sweep(metric + "run_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\nprogram: train.py\n", "sweep.yaml",
                       noted_metric(run));
}

}  // namespace

TEST_CASE("a sweep file that names no metric gets the metric of the run") {
    const auto run = with_metric({{"seed", 3}}, "eval/F1: \"macro\"", Goal::maximize);

    const auto spec = read("", run).spec;

    CHECK(spec.metric == "eval/F1: \"macro\"");
    CHECK(spec.goal == Goal::maximize);
    CHECK(run.at("seed") == 3);
    CHECK(read("", {{"seed", 3}}).spec.metric.empty());
}

TEST_CASE("a sweep file's own metric takes precedence over the run's") {
    const auto run = with_metric({}, "accuracy", Goal::maximize);

    const auto spec = read("metric: {name: loss, goal: minimize}\n", run).spec;

    CHECK(spec.metric == "loss");
    CHECK(spec.goal == Goal::minimize);
}
