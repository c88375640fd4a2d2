#include "scheduler/sweep_spec.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/check.hpp"

using namespace crescendo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

SweepSpec good_spec() {
    SweepSpec spec;
    spec.metric = "val_loss";
    spec.run_cap = 9;
    spec.scheduler.max = Resource{27};
    return spec;
}

/// The key of the entry that is refused after `change`, or an empty text if none is.
std::string refused_key(const std::function<void(SweepSpec&)>& change) {
    auto spec = good_spec();
    change(spec);
    try {
        validate(spec);
    } catch (const InvalidInput& error) {
        return error.key();
    }
    return "";
}

}  // namespace

TEST_CASE("a sweep with a target needs a named metric") {
    CHECK(refused_key([](auto&) {}) == "");
    CHECK(refused_key([](auto& spec) { spec.metric = ""; }) == "");
    CHECK(refused_key([](auto& spec) { spec.metric = "", spec.target = 0.1; }) == "metric.name");
    CHECK(refused_key([](auto& spec) { spec.metric = "", spec.trial_end.target = 0.1; }) == "metric.name");
}

TEST_CASE("a sweep must end: by its trials, its target or its time") {
    CHECK(refused_key([](auto& spec) { spec.run_cap.reset(); }) == "run_cap");
    CHECK(refused_key([](auto& spec) { spec.run_cap.reset(), spec.target = 0.1; }) == "");
    CHECK(refused_key([](auto& spec) { spec.run_cap.reset(), spec.has_time_budget = true; }) == "");
}

TEST_CASE("invalid counts are refused") {
    CHECK(refused_key([](auto& spec) { spec.run_cap = 0; }) == "run_cap");
    CHECK(refused_key([](auto& spec) { spec.max_retries = -1; }) == "max_retries");
    CHECK(refused_key([](auto& spec) { spec.max_retries = 0; }) == "");
    CHECK(refused_key([](auto& spec) { spec.scheduler.workers = 0; }) == "scheduler.workers");
}

TEST_CASE("a target must be a number that a report can meet") {
    CHECK(refused_key([](auto& spec) { spec.target = not_a_number; }) == "budget.target");
    CHECK(refused_key([](auto& spec) { spec.target = infinity; }) == "budget.target");
    CHECK(refused_key([](auto& spec) { spec.target = -3; }) == "");
}

TEST_CASE("the resources of a sweep are at least one and in order") {
    CHECK(refused_key([](auto& spec) { spec.scheduler.min = Resource{0}; }) == "scheduler.min");
    CHECK(refused_key([](auto& spec) { spec.scheduler.min = Resource{28}; }) == "scheduler.max");
    CHECK(refused_key([](auto& spec) { spec.scheduler.min = Resource{27}; }) == "");
}

TEST_CASE("a reduction factor drops trials, a scaling factor never drops workers") {
    CHECK(refused_key([](auto& spec) { spec.scheduler.reduction_factor = 1; }) == "scheduler.reduction_factor");
    CHECK(refused_key([](auto& spec) { spec.scheduler.reduction_factor = 2; }) == "");
    CHECK(refused_key([](auto& spec) { spec.scheduler.scaling_factor = 0; }) == "scheduler.scaling_factor");
    CHECK(refused_key([](auto& spec) { spec.scheduler.scaling_factor = 1; }) == "");
}

TEST_CASE("max_workers must allow a trial to start") {
    CHECK(refused_key([](auto& spec) { spec.scheduler.workers = 4, spec.scheduler.max_workers = 3; }) ==
          "scheduler.max_workers");
    CHECK(refused_key([](auto& spec) { spec.scheduler.workers = 4, spec.scheduler.max_workers = 4; }) == "");
}

TEST_CASE("all problems of a sweep are reported, each with its key") {
    auto spec = good_spec();
    spec.run_cap = 0;
    spec.scheduler.reduction_factor = 1;

    const auto problems = problems_of(spec);

    REQUIRE(problems.size() == 2);
    CHECK(problems[0].key() == "run_cap");
    CHECK(problems[1].key() == "scheduler.reduction_factor");
}

TEST_CASE("a message has the problem, why it is one, and the remedy") {
    auto spec = good_spec();
    spec.scheduler.reduction_factor = 1;

    CHECK_THROWS_WITH(validate(spec), "reduction_factor is 1 (a rung must drop some trials); use 2, 3 or 4");
}

TEST_CASE("scaling follows the reduction factor unless it is given") {
    SchedulerSpec spec;
    spec.reduction_factor = 4;
    CHECK(spec.scaling() == 4);

    spec.scaling_factor = 2;
    CHECK(spec.scaling() == 2);
}

TEST_CASE("a metric to maximize becomes a loss to minimize, and back") {
    CHECK(to_loss(Goal::minimize, 0.25) == 0.25);
    CHECK(to_loss(Goal::maximize, 0.25) == -0.25);
    CHECK(from_loss(Goal::minimize, 0.25) == 0.25);
    CHECK(from_loss(Goal::maximize, -0.25) == 0.25);
}

TEST_CASE("a value that is not finite becomes the worst loss, which has no metric") {
    for (const auto goal : {Goal::minimize, Goal::maximize}) {
        for (const double metric : {not_a_number, infinity, -infinity}) {
            CHECK(to_loss(goal, metric) == infinity);
        }
        CHECK(std::isnan(from_loss(goal, infinity)));
    }
}

TEST_CASE("settings that a scheduler does not use are refused") {
    using enum SchedulerKind;
    for (const auto kind : {fifo, median, hyperband, successive_halving}) {
        CHECK(refused_key([&](auto& spec) { spec.scheduler.kind = kind, spec.scheduler.mode = Mode::promote; }) ==
              "scheduler.mode");
        CHECK(refused_key([&](auto& spec) { spec.scheduler.kind = kind, spec.scheduler.rule = Rule::percentile; }) ==
              "scheduler.rule");
        CHECK(refused_key([&](auto& spec) { spec.scheduler.kind = kind, spec.scheduler.brackets = 1; }) ==
              "scheduler.brackets");
    }
    for (const auto kind : {fifo, asha, pasha, async_hyperband}) {
        CHECK(refused_key([&](auto& spec) { spec.scheduler.kind = kind, spec.scheduler.grow = GrowPolicy::wait; }) ==
              "scheduler.grow");
        CHECK(refused_key([&](auto& spec) { spec.scheduler.kind = kind, spec.scheduler.shrink = Switch::on; }) ==
              "scheduler.shrink");
        CHECK(refused_key([&](auto& spec) { spec.scheduler.kind = kind, spec.scheduler.surplus = Switch::on; }) ==
              "scheduler.surplus");
        CHECK(refused_key([&](auto& spec) {
                  spec.scheduler.kind = kind, spec.scheduler.priority = Priority::promotions_first;
              }) == "scheduler.priority");
    }
}

TEST_CASE("settings that contradict each other are refused") {
    CHECK(refused_key([](auto& spec) {
              spec.scheduler.mode = Mode::promote, spec.scheduler.rule = Rule::percentile;
          }) == "scheduler.rule");
    CHECK(refused_key([](auto& spec) { spec.scheduler.grow = GrowPolicy::wait, spec.scheduler.shrink = Switch::on; }) ==
          "scheduler.shrink");
    CHECK(refused_key([](auto& spec) {
              spec.scheduler.priority = Priority::starts_first, spec.run_cap.reset(), spec.has_time_budget = true;
          }) == "scheduler.priority");
    CHECK(refused_key([](auto& spec) {
              spec.scheduler.kind = SchedulerKind::successive_halving, spec.run_cap.reset(), spec.target = 0.1;
          }) == "run_cap");
    CHECK(refused_key([](auto& spec) { spec.scheduler.max_concurrent = 0; }) == "scheduler.max_concurrent");
}

TEST_CASE("there are no more brackets than rungs, and asynchronous Hyperband has one for each rung") {
    CHECK(refused_key([](auto& spec) { spec.scheduler.brackets = 4; }) == "");  // 1, 3, 9, 27
    CHECK(refused_key([](auto& spec) { spec.scheduler.brackets = 5; }) == "scheduler.brackets");
    CHECK(refused_key([](auto& spec) { spec.scheduler.brackets = 0; }) == "scheduler.brackets");

    auto scheduler = good_spec().scheduler;
    CHECK(scheduler.num_brackets() == 1);
    scheduler.kind = SchedulerKind::async_hyperband;
    CHECK(scheduler.num_brackets() == 4);
}
