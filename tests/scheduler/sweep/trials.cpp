#include "scheduler/sweep/trials.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

namespace {

/// Running trials 0, 1, … with these losses.
Trials with_losses(const std::vector<std::optional<double>>& losses) {
    Trials trials;
    for (const auto& loss : losses) {
        Trial trial;
        trial.id = TrialId{trials.size()};
        trial.loss = loss;
        trials.add(std::move(trial));
    }
    return trials;
}

}  // namespace

TEST_CASE("trials are counted by their present status") {
    auto trials = with_losses({0.1, 0.2, 0.3});

    trials.transition(trials[TrialId{0}], TrialStatus::paused);
    trials.transition(trials[TrialId{1}], TrialStatus::failed);

    CHECK(trials.count(TrialStatus::running) == 1);
    CHECK(trials.count(TrialStatus::paused) == 1);
    CHECK(trials.count(TrialStatus::failed) == 1);

    trials.retry(trials[TrialId{1}]);

    CHECK(trials.count(TrialStatus::failed) == 0);
    CHECK(trials.count(TrialStatus::waiting) == 1);
}

TEST_CASE("taking the changes gives all trials at first, then only changed ones") {
    using Ids = std::set<TrialId>;
    auto trials = with_losses({0.1, 0.2, 0.3});
    CHECK(trials.take_changes() == Ids{TrialId{0}, TrialId{1}, TrialId{2}});
    CHECK(trials.take_changes().empty());

    trials.transition(trials[TrialId{1}], TrialStatus::failed);
    trials.retry(trials[TrialId{1}]);
    trials.note_report(trials[TrialId{2}]);
    Trial added;
    added.id = TrialId{3};
    trials.add(std::move(added));

    CHECK(trials.take_changes() == Ids{TrialId{1}, TrialId{2}, TrialId{3}});
    CHECK(trials.take_changes().empty());
}

TEST_CASE("all trials have ended once none runs, waits or is paused") {
    auto trials = with_losses({0.1, 0.2, 0.3});
    trials.transition(trials[TrialId{0}], TrialStatus::stopped);
    trials.transition(trials[TrialId{1}], TrialStatus::finished);
    CHECK_FALSE(trials.all_ended());

    trials.transition(trials[TrialId{2}], TrialStatus::failed);

    CHECK(trials.all_ended());
}

TEST_CASE("the best trial has the lowest loss, then the lowest id, and did not fail") {
    auto trials = with_losses({std::nullopt, 0.2, 0.2, 0.1});
    CHECK(trials.best() == TrialId{3});

    trials.transition(trials[TrialId{3}], TrialStatus::failed);

    CHECK(trials.best() == TrialId{1});
}

TEST_CASE("the best ended trial stays, and each other ended trial is named once") {
    const auto trials = with_losses({0.2, 0.3, 0.1, std::nullopt});

    CHECK(trials.best_ended() == std::nullopt);
    auto ranked = trials;
    CHECK(ranked.rank_ended(trials[TrialId{0}]) == std::nullopt);
    CHECK(ranked.rank_ended(trials[TrialId{1}]) == TrialId{1});
    CHECK(ranked.rank_ended(trials[TrialId{2}]) == TrialId{0});
    CHECK(ranked.rank_ended(trials[TrialId{3}]) == TrialId{3});
    CHECK(ranked.best_ended() == TrialId{2});
}
