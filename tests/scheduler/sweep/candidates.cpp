#include "scheduler/sweep/candidates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <variant>

using namespace crescendo;

namespace {

constexpr Repeat two_each{.times = 2};

void add(Trials& trials, std::optional<double> loss) {
    Trial trial;
    trial.id = TrialId{trials.size()};
    trial.config = {{"x", 0.5}};
    trial.loss = loss;
    trials.add(std::move(trial));
}

void end(Trials& trials, int trial, StopReason reason) {
    trials.transition(trials[TrialId{trial}], status_after(reason));
    trials[TrialId{trial}].reason = reason;
}

/// Two running configurations of two repetitions, with these losses.
struct TwoConfigurations {
    Trials trials;
    Candidates candidates{two_each};

    explicit TwoConfigurations(const std::vector<double>& losses) {
        for (const double loss : losses) {
            add(trials, loss);
        }
        candidates.begin(trials[TrialId{0}]);
        candidates.begin(trials[TrialId{2}]);
    }

    /// Completes both repetitions of a configuration, and returns the checkpoints that are dropped.
    std::vector<int> complete(int configuration) {
        for (const int trial : {2 * configuration, 2 * configuration + 1}) {
            end(trials, trial, StopReason::completed);
        }
        const Trial* ended = candidates.end(trials, trials[TrialId{2 * configuration}]);
        REQUIRE(ended != nullptr);
        std::vector<Action> actions;
        candidates.drop_obsolete(trials, *ended, actions);
        std::vector<int> dropped;
        for (const auto& action : actions) {
            dropped.push_back(std::get<DropCheckpoint>(action).trial.value);
        }
        return dropped;
    }
};

}  // namespace

TEST_CASE("without repetitions, the candidates are the trials") {
    Trials trials;
    add(trials, 0.3);
    add(trials, 0.2);
    Candidates candidates{Repeat{}};

    CHECK(candidates.are_trials());
    CHECK(&candidates.all(trials) == &trials);
    CHECK(&candidates.of(trials, TrialId{1}) == &trials[TrialId{1}]);
    CHECK(candidates.repetitions(trials, TrialId{1}).size() == 1);
    CHECK(candidates.best(trials) == TrialId{1});
    CHECK(candidates.end(trials, trials[TrialId{0}]) == &trials[TrialId{0}]);
    CHECK(candidates.best_ended(trials) == std::nullopt);
}

TEST_CASE("a configuration ends with its last repetition, and its loss is judged over repetitions that did not fail") {
    TwoConfigurations sweep({0.2, 0.4, 0.1, 0.1});
    end(sweep.trials, 0, StopReason::completed);
    CHECK(sweep.candidates.end(sweep.trials, sweep.trials[TrialId{0}]) == nullptr);

    end(sweep.trials, 1, StopReason::judged);
    const Trial* ended = sweep.candidates.end(sweep.trials, sweep.trials[TrialId{1}]);

    REQUIRE(ended != nullptr);
    CHECK(ended->id == TrialId{0});
    CHECK(*ended->loss == doctest::Approx(0.3));
    CHECK(ended->reason == StopReason::judged);  // it lost, although one repetition was complete
}

TEST_CASE("a configuration fails if all its repetitions fail, and opens again if one is tried again") {
    TwoConfigurations sweep({0.2, 0.4, 0.1, 0.1});
    end(sweep.trials, 0, StopReason::failed);
    end(sweep.trials, 1, StopReason::failed);
    CHECK(sweep.candidates.end(sweep.trials, sweep.trials[TrialId{1}])->status == TrialStatus::failed);

    const Trial* open = sweep.candidates.retry(sweep.trials[TrialId{1}]);

    REQUIRE(open != nullptr);
    CHECK_FALSE(open->ended());
    CHECK(sweep.candidates.retry(sweep.trials[TrialId{0}]) == nullptr);  // it is no longer failed
}

TEST_CASE("only the best repetition of the best configuration keeps its checkpoint") {
    TwoConfigurations sweep({0.2, 0.4, 0.15, 0.1});
    sweep.candidates.judge({TrialId{0}, Resource{1}, 0.3});
    CHECK(sweep.candidates.best(sweep.trials) == TrialId{0});

    CHECK(sweep.complete(0) == std::vector{1});
    CHECK(sweep.candidates.best_ended(sweep.trials) == TrialId{0});
    CHECK(sweep.complete(1) == std::vector{2, 0});
    CHECK(sweep.candidates.best_ended(sweep.trials) == TrialId{3});
}

TEST_CASE("a configuration that is not the best keeps no checkpoint") {
    TwoConfigurations sweep({0.15, 0.1, 0.4, 0.2});
    CHECK(sweep.complete(0) == std::vector{0});
    CHECK(sweep.complete(1) == std::vector{2, 3});
}

TEST_CASE("a proposal for one repetition applies to all repetitions of its configuration") {
    TwoConfigurations sweep({0.2, 0.4, 0.1, 0.1});

    const Trial& candidate = sweep.candidates.propose(sweep.trials, TrialId{3}, {{"x", 0.25}}, Origin::enqueued);

    CHECK(candidate.id == TrialId{1});
    CHECK(candidate.config == Config{{"x", 0.25}});
    CHECK(std::ranges::all_of(sweep.candidates.repetitions(sweep.trials, TrialId{2}), [](const Trial& trial) {
        return trial.config == Config{{"x", 0.25}} && trial.origin == Origin::enqueued && trial.is_proposed;
    }));
    CHECK(sweep.trials[TrialId{1}].config == Config{{"x", 0.5}});
}
