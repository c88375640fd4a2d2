#include "launch/sweep_file/keys/earlier_defaults.hpp"

#include <doctest/doctest.h>

#include "launch/sweep_file/sweep_file.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

SchedulerSpec scheduler_of(const std::string& section, const std::vector<Override>& overrides) {
    return parse_sweep("metric: {name: x}\nrun_cap: 2\nparameters: {a: {min: 1, max: 2}}\n" + section, "s.yaml",
                       overrides)
        .spec.scheduler;
}

}  // namespace

TEST_CASE("earlier defaults apply only to the keys that a file leaves out") {
    const auto earlier = earlier_defaults(1);

    CHECK(scheduler_of("scheduler: {max: 9}", {}).batch == BatchPolicy::global);
    CHECK(scheduler_of("scheduler: {max: 9}", earlier).batch == BatchPolicy::ladder);
    CHECK(scheduler_of("scheduler: {max: 9, batch: per_worker}", earlier).batch == BatchPolicy::per_worker);
}

TEST_CASE("survivors of sweeps that began before goodput was the default grow as before") {
    const auto grow_when = [](const std::string& section, int number) {
        return scheduler_of("scheduler: {max: 9" + section + "}", earlier_defaults(number)).grow_when;
    };

    CHECK(grow_when("", present_defaults) == GrowWhen::goodput);
    CHECK(grow_when("", 3) == GrowWhen::always);
    CHECK(grow_when(", grow_when: faster", 3) == GrowWhen::faster);
    CHECK(grow_when(", grow: wait", present_defaults) == GrowWhen::always);  // no wait for slots to refuse them
    CHECK(grow_when(", type: asha", present_defaults) == GrowWhen::always);
}

TEST_CASE("workers of sweeps that began before distinct_gpus was the default share GPUs as before") {
    const auto distinct_gpus = [](const std::string& section, int number) {
        return scheduler_of("scheduler: {max: 9" + section + "}", earlier_defaults(number)).distinct_gpus;
    };

    CHECK(distinct_gpus("", present_defaults) == Switch::on);
    CHECK(distinct_gpus(", distinct_gpus: off", present_defaults) == Switch::off);
    CHECK(distinct_gpus("", 4) == Switch::off);
}

TEST_CASE("diverged trials survive in sweeps that began when a percentile let them survive") {
    CHECK(scheduler_of("scheduler: {max: 9, rule: percentile}", {}).keep_diverged == Switch::off);
    CHECK(scheduler_of("scheduler: {max: 9, rule: percentile}", earlier_defaults(5)).keep_diverged == Switch::on);
}

TEST_CASE("slots beyond max_concurrent stay idle in sweeps that began before capped_surplus was the default") {
    CHECK(scheduler_of("scheduler: {max: 9, max_concurrent: 4}", {}).capped_surplus == Switch::on);
    CHECK(scheduler_of("scheduler: {max: 9, max_concurrent: 4}", earlier_defaults(6)).capped_surplus == Switch::off);
}

TEST_CASE("sweeps that began before second_try was the default continue without it") {
    CHECK(scheduler_of("scheduler: {max: 9}", {}).second_try == Switch::on);
    CHECK(scheduler_of("scheduler: {max: 9}", earlier_defaults(7)).second_try == Switch::off);
}

TEST_CASE("sweeps continue with the hopeful_tries that were the default when they began") {
    CHECK(scheduler_of("scheduler: {max: 9}", {}).hopeful_tries == HopefulTries::after_gain);
    CHECK(scheduler_of("scheduler: {max: 9}", earlier_defaults(9)).hopeful_tries == HopefulTries::on);
    CHECK(scheduler_of("scheduler: {max: 9}", earlier_defaults(8)).hopeful_tries == HopefulTries::off);
}

TEST_CASE("earlier defaults do not add a scheduler to a file without one") {
    CHECK(scheduler_of("command: [train]", earlier_defaults(1)).kind == scheduler_of("command: [train]", {}).kind);
}

TEST_CASE("earlier defaults fit every type of scheduler") {
    for (const auto* type : {"fifo", "asha", "rasda", "successive_halving", "hyperband", "async_hyperband", "pasha",
                             "median"}) {
        CAPTURE(type);
        CHECK_NOTHROW(scheduler_of(std::string("scheduler: {max: 9, type: ") + type + "}", earlier_defaults(1)));
    }
}

TEST_CASE("a sweep that begins now has no earlier defaults") { CHECK(earlier_defaults(present_defaults).empty()); }
