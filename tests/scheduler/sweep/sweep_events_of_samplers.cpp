/// What Sweep does with a sampler whose proposals are events.

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Proposes `most` configurations, each with the number of trials that it was told of. A replay must not ask it.
class Model : public Sampler {
  public:
    Model(int most, bool may_be_asked) : most_(most), may_be_asked_(may_be_asked) {}

    std::optional<Proposal> propose(TrialId trial) override {
        REQUIRE(may_be_asked_);
        return trial.value < most_
                   ? std::optional(Proposal{{{"x", static_cast<std::int64_t>(told_.size())}}, Origin::model})
                   : std::nullopt;
    }
    void tell(const Trial& trial) override { told_.insert(trial.id); }
    bool proposes_by_events() const override { return true; }
    std::unique_ptr<Sampler> clone() const override { return std::make_unique<Model>(*this); }

  private:
    int most_;
    bool may_be_asked_;
    std::set<TrialId> told_;
};

constexpr int all = 1000;

SweepSpec searching(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.space = SearchSpace({{"x", IntUniform{0, 100}}});
    return spec;
}

Script script_of(const SweepSpec& spec, int most = all, bool may_be_asked = true) {
    return Script(Sweep(spec, AnySampler(std::make_unique<Model>(most, may_be_asked))));
}

/// Applies the sampler's proposals, as a launcher does, and records them in `events`. Returns the resulting actions.
std::string propose_by(Script& script, std::vector<Event>* events = nullptr) {
    std::string all_actions;
    while (const auto event = script.sweep.propose()) {
        if (events != nullptr) {
            events->push_back(*event);
        }
        const auto actions = script.apply(*event);
        all_actions += (all_actions.empty() || actions.empty() ? "" : "; ") + actions;
    }
    return all_actions;
}

}  // namespace

TEST_CASE("a trial starts only when an event has its proposal") {
    auto script = script_of(searching(/*run_cap=*/3, /*max=*/4));

    CHECK(script.join(2) == "");
    CHECK(script.sweep.awaited_proposal() == TrialId{0});
    CHECK(propose_by(script) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1");

    CHECK_FALSE(script.sweep.awaited_proposal().has_value());
    CHECK(script.trial(1).config == Config{{"x", std::int64_t{1}}});  // the sampler was told of trial 0 first
    CHECK(script.trial(1).origin == Origin::model);
}

TEST_CASE("slots are kept for the trial whose proposal is awaited, and no trial grows onto them") {
    auto spec = searching(/*run_cap=*/9, /*max=*/8);
    spec.scheduler.surplus = Switch::on;
    spec.scheduler.max_workers = 4;
    auto script = script_of(spec);
    script.join(1);
    propose_by(script);
    script.apply(SlotsJoined{slots(1, 1)});

    CHECK(script.report(0, 1, 0.5) == "");
    CHECK(propose_by(script) == "start 1 on 1 g0 b1");
}

TEST_CASE("a waiting trial gets slots before a proposal arrives, even if new trials come first") {
    auto spec = searching(/*run_cap=*/9, /*max=*/8);
    spec.scheduler.priority = Priority::starts_first;
    auto script = script_of(spec, /*most=*/1);  // the sampler has nothing more before it knows how trial 0 ends
    script.join(1);
    propose_by(script);
    script.lose({SlotId{0}});

    CHECK(script.apply(SlotsJoined{slots(1, 1)}) == "resume 0 on 1 g1 b1");
    CHECK_FALSE(script.sweep.propose().has_value());
}

TEST_CASE("a sweep ends when the sampler has nothing more and no trial is active") {
    auto script = script_of(searching(/*run_cap=*/9, /*max=*/2), /*most=*/2);
    script.join(4);
    CHECK(propose_by(script) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1");
    script.finish(0);
    CHECK_FALSE(script.sweep.propose().has_value());  // trial 1 may teach the sampler something

    script.finish(1);

    CHECK(propose_by(script) == "finish all_trials_done best none");
    CHECK(script.sweep.finish_reason() == FinishReason::all_trials_done);
}

TEST_CASE("a sampler that had nothing more is asked again once the limits have changed") {
    auto script = script_of(searching(/*run_cap=*/9, /*max=*/2), /*most=*/0);
    script.join(1);
    propose_by(script);
    REQUIRE(script.sweep.state() == SweepState::finished);

    CHECK(script.change_run_cap(10) == "");

    CHECK(script.sweep.awaited_proposal() == TrialId{0});
}

TEST_CASE("a proposal from an event starts even after the sampler's last proposal") {
    auto script = script_of(searching(/*run_cap=*/9, /*max=*/2), /*most=*/1);
    script.join(2);
    propose_by(script);
    script.apply(ProposalsEnded{});

    CHECK(script.apply(TrialProposed{TrialId{1}, {{"x", std::int64_t{77}}}}) == "start 1 on 1 g0 b1");
    CHECK(script.trial(1).origin == Origin::enqueued);
}

TEST_CASE("no proposal is awaited near the deadline, or after the end") {
    auto script = script_of(searching(/*run_cap=*/9, /*max=*/2));
    script.join(1);
    script.apply(DeadlineNear{});
    CHECK_FALSE(script.sweep.propose().has_value());

    script.apply(Cancelled{});

    CHECK_FALSE(script.sweep.awaited_proposal().has_value());
}

TEST_CASE("a replay of the events never asks the sampler, and gives the same sweep") {
    const auto spec = searching(/*run_cap=*/6, /*max=*/4);
    auto script = script_of(spec);
    std::vector<Event> events{SlotsJoined{slots(0, 3)}};
    script.apply(events.back());
    propose_by(script, &events);
    for (int step = 1; step <= 4; ++step) {
        for (std::int32_t trial = 0; std::cmp_less(trial, script.sweep.trials().size()); ++trial) {
            events.push_back(TrialReported{TrialId{trial}, Resource{step}, 0.1 * trial + 1.0 / step});
            script.apply(events.back());
            propose_by(script, &events);
        }
    }
    REQUIRE(script.sweep.trials().size() == 6);

    auto replayed = script_of(spec, all, /*may_be_asked=*/false);
    for (const auto& event : events) {
        replayed.apply(event);
    }

    for (const auto& trial : script.sweep.trials()) {
        CHECK(replayed.sweep.trial(trial.id).config == trial.config);
        CHECK(replayed.sweep.trial(trial.id).status == trial.status);
        CHECK(replayed.sweep.trial(trial.id).resource == trial.resource);
    }
}
