/// How Sweep handles a sampler that learns, and has nothing to propose for a while.

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Proposes `at_once` configurations and one more for each report, up to `most`. A configuration holds the number of
/// reports before it.
class LearningSampler : public Sampler {
  public:
    LearningSampler(int at_once, int most, std::vector<std::string>* told = nullptr)
        : at_once_(at_once), most_(most), told_(told) {}

    std::optional<Proposal> propose(TrialId trial) override {
        if (trial.value >= std::min(at_once_ + num_reports_, most_)) {
            return {};
        }
        return Proposal{{{"x", std::int64_t{num_reports_}}}};
    }

    void tell(const Trial& trial) override {
        num_reports_ += trial.resource.value > 0 && trial.status != TrialStatus::waiting ? 1 : 0;
        if (told_ != nullptr) {
            told_->push_back(text("{} {} {}", trial.id.value, to_string(trial.status), trial.resource.value));
        }
    }

    std::unique_ptr<Sampler> clone() const override { return std::make_unique<LearningSampler>(*this); }

  private:
    int at_once_;
    int most_;
    int num_reports_ = 0;
    std::vector<std::string>* told_;
};

constexpr int endless = 1000;

SweepSpec learning(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.space = SearchSpace({{"x", IntUniform{0, 100}}});
    return spec;
}

Script learning_script(const SweepSpec& spec, int at_once, int most = endless) {
    return Script(Sweep(spec, AnySampler(std::make_unique<LearningSampler>(at_once, most))));
}

Value x_of(const Script& script, int trial) { return script.trial(trial).config.at(0).second; }

}  // namespace

TEST_CASE("slots stay idle while the sampler has nothing, until a later event makes it propose") {
    auto spec = learning(/*run_cap=*/3, /*max=*/4);
    spec.scheduler.min = spec.scheduler.max;  // so that no trial grows on the way
    auto script = learning_script(spec, /*at_once=*/1);

    CHECK(script.join(2) == "start 0 on 0 g0 b1");
    CHECK(script.sweep.num_free_slots() == 1);
    CHECK(script.join(1) == "");
    CHECK(script.report(0, 1, 0.5) == "start 1 on 1 g0 b1");
    CHECK(x_of(script, 1) == Value{std::int64_t{1}});
    CHECK(script.sweep.state() == SweepState::running);
}

TEST_CASE("a sweep ends when the sampler has nothing more and can learn nothing more") {
    auto script = learning_script(learning(/*run_cap=*/9, /*max=*/2), /*at_once=*/2, /*most=*/2);

    CHECK(script.join(4) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1");
    CHECK(script.finish(0) == "drop 0");
    CHECK(script.finish(1) == "drop 1; finish all_trials_done best none");
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a sampler that has nothing for the first trial ends the sweep when slots join") {
    auto script = learning_script(learning(3, 1), /*at_once=*/0);

    CHECK(script.apply(LimitsChanged{limits_of(script.sweep.spec())}) == "");
    CHECK(script.join(1) == "finish all_trials_done best none");
}

TEST_CASE("paused trials end too when nothing runs and the sampler has nothing more") {
    auto spec = learning(/*run_cap=*/9, /*max=*/4);
    spec.scheduler.mode = Mode::promote;
    auto script = learning_script(spec, /*at_once=*/1, /*most=*/1);
    script.join(1);

    // A single trial at a rung is not among the best half.
    CHECK(script.report(0, 1, 0.5) == "pause 0; finish all_trials_done best 0");
}

TEST_CASE("a trial that waits for slots keeps the sweep open") {
    auto script = learning_script(learning(/*run_cap=*/9, /*max=*/4), /*at_once=*/1, /*most=*/1);
    script.join(1);

    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.apply(SlotsJoined{slots(0, 2)}) == "resume 0 on 0 g1 b1");
}

TEST_CASE("a sweep does not end if the sampler could not be asked") {
    auto spec = learning(/*run_cap=*/9, /*max=*/4);
    spec.scheduler.mode = Mode::promote;
    auto script = learning_script(spec, /*at_once=*/1);
    script.join(1);
    script.apply(DeadlineNear{});

    CHECK(script.report(0, 1, 0.5) == "pause 0");
    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.join(1) == "start 1 on 0 g0 b1");
}

TEST_CASE("while the sampler has nothing, survivors get the idle slots as surplus") {
    auto spec = learning(/*run_cap=*/9, /*max=*/8);
    spec.scheduler.surplus = Switch::on;
    spec.scheduler.max_workers = 4;
    auto script = learning_script(spec, /*at_once=*/1, /*most=*/1);
    script.join(4);

    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,1 g1 b2");  // its target
    CHECK(script.report(0, 2, 0.5) == "regroup 0 on 0,1,2,3 g2 b4");
}

TEST_CASE("a proposal from an event takes precedence, even while the sampler has nothing") {
    auto script = learning_script(learning(/*run_cap=*/3, /*max=*/4), /*at_once=*/1);
    script.join(2);

    CHECK(script.apply(TrialProposed{TrialId{1}, {{"x", std::int64_t{77}}}}) == "start 1 on 1 g0 b1");
    CHECK(x_of(script, 1) == Value{std::int64_t{77}});
    CHECK(script.trial(1).is_proposed);
}

TEST_CASE("a sweep that ran out of proposals continues with an enqueued trial when its limits change") {
    auto script = learning_script(learning(/*run_cap=*/3, /*max=*/4), /*at_once=*/1, /*most=*/1);
    script.join(1);
    script.finish(0);
    script.apply(TrialProposed{TrialId{1}, {{"x", std::int64_t{77}}}});

    CHECK(script.change_run_cap(4) == "start 1 on 0 g0 b1");
    CHECK(script.finish(1) == "drop 1; finish all_trials_done best none");
}

TEST_CASE("the sampler gets starts, new reports and ends, once each") {
    std::vector<std::string> told;
    Script script(Sweep(learning(/*run_cap=*/2, /*max=*/2),
                        AnySampler(std::make_unique<LearningSampler>(endless, endless, &told))));
    script.join(2);
    CHECK(told == std::vector<std::string>{"0 running 0", "1 running 0"});
    told.clear();

    script.report(0, 1, 0.5);
    script.report(0, 1, 0.5);  // repeats itself
    script.report(0, 2, 0.5);
    script.report(0, 2, 0.4);  // after its end
    script.report(1, 1, 0.9);
    CHECK(told == std::vector<std::string>{"0 running 1", "0 finished 2", "1 stopped 1"});
}

TEST_CASE("the sampler gets the configuration that counts, failures and retries") {
    std::vector<std::string> told;
    auto spec = learning(/*run_cap=*/1, /*max=*/2);
    spec.max_retries = 0;
    Script script(Sweep(spec, AnySampler(std::make_unique<LearningSampler>(endless, endless, &told))));
    script.join(1);
    told.clear();

    script.apply(TrialProposed{TrialId{0}, {{"x", std::int64_t{77}}}});
    script.fail(0);
    script.retry(0);

    CHECK(told == std::vector<std::string>{"0 running 0", "0 failed 0", "0 waiting 0"});
}

TEST_CASE("a copy of a sweep has a sampler of its own") {
    auto spec = learning(/*run_cap=*/4, /*max=*/4);
    spec.scheduler.min = spec.scheduler.max;
    auto script = learning_script(spec, /*at_once=*/1);
    script.join(2);
    Script copy = script;

    CHECK(script.report(0, 1, 0.5) == "start 1 on 1 g0 b1");
    CHECK(copy.report(0, 1, 0.5) == "start 1 on 1 g0 b1");
}
