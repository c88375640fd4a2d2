#include "scheduler/schedulers/promoting_asha.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/scheduler/schedulers/judge.hpp"

using namespace crescendo;

namespace {

SchedulerSpec promoting_spec(int max, int eta) {
    SchedulerSpec spec;
    spec.kind = SchedulerKind::asha;
    spec.mode = Mode::promote;
    spec.max = Resource{max};
    spec.reduction_factor = eta;
    return spec;
}

/// Promotes all trials that can be promoted, and returns them in order.
std::vector<int> promoted(PromotingAsha& asha) {
    std::vector<int> trials;
    while (const auto next = asha.promotable()) {
        trials.push_back(next->value);
        asha.promote();
    }
    return trials;
}

}  // namespace

TEST_CASE("a rung promotes each trial once") {
    Judge<PromotingAsha> asha{promoting_spec(9, 3)};

    CHECK(asha.report(TrialId{1}, 0, Resource{1}, 0.3).verdict == Verdict::pause);
    asha.report(TrialId{2}, 0, Resource{1}, 0.1);
    CHECK(asha.scheduler.promotable() == std::nullopt);  // none of two
    asha.report(TrialId{3}, 0, Resource{1}, 0.2);

    CHECK(promoted(asha.scheduler) == std::vector{2});  // one of three
}

TEST_CASE("a later but better trial is promoted as well") {
    Judge<PromotingAsha> asha{promoting_spec(9, 3)};
    for (const int trial : {0, 1, 2}) {
        asha.report(TrialId{trial}, 0, Resource{1}, 0.1 * trial + 0.1);
    }
    CHECK(promoted(asha.scheduler) == std::vector{0});

    asha.report(TrialId{3}, 0, Resource{1}, 0.05);

    CHECK(promoted(asha.scheduler) == std::vector{3});  // the best of four, of which one is promoted
}

TEST_CASE("trials at the highest rung are promoted first") {
    Judge<PromotingAsha> asha{promoting_spec(9, 2)};  // milestones 1, 2, 4, 8, 9
    asha.report(TrialId{0}, 0, Resource{1}, 0.1);
    asha.report(TrialId{1}, 0, Resource{1}, 0.2);
    asha.report(TrialId{2}, 1, Resource{2}, 0.8);
    asha.report(TrialId{3}, 1, Resource{2}, 0.9);

    CHECK(promoted(asha.scheduler) == std::vector{2, 0});
}

TEST_CASE("a failed trial counts as the worst of its next rung, so the best can continue") {
    Judge<PromotingAsha> asha{promoting_spec(4, 2)};
    asha.report(TrialId{0}, 0, Resource{1}, 0.9);

    asha.fail(TrialId{1}, 0);

    CHECK(promoted(asha.scheduler) == std::vector{0});
}

TEST_CASE("retrying a failed trial takes back the promotion that its failure allowed") {
    Judge<PromotingAsha> asha{promoting_spec(4, 2)};
    asha.report(TrialId{0}, 0, Resource{1}, 0.9);
    asha.fail(TrialId{1}, 0);
    REQUIRE(asha.scheduler.promotable() == TrialId{0});

    asha.retry(TrialId{1}, 0);

    CHECK(asha.scheduler.promotable() == std::nullopt);  // none of one
}

TEST_CASE("nine, three and one of 27 trials are promoted with eta 3, whatever their order") {
    Judge<PromotingAsha> asha{promoting_spec(27, 3)};
    for (int i = 0; i < 27; ++i) {
        const int trial = i * 10 % 27;
        asha.report(TrialId{trial}, 0, Resource{1}, trial);
    }

    CHECK(promoted(asha.scheduler) == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8});
    for (const int trial : {8, 0, 7, 1, 6, 2, 5, 3, 4}) {
        asha.report(TrialId{trial}, 1, Resource{3}, -trial);  // the order is reversed here
    }
    CHECK(promoted(asha.scheduler) == std::vector{8, 7, 6});
    for (const int trial : {7, 8, 6}) {
        asha.report(TrialId{trial}, 2, Resource{9}, trial);
    }
    CHECK(promoted(asha.scheduler) == std::vector{6});
    CHECK(asha.report(TrialId{6}, 3, Resource{27}, 9).verdict == Verdict::complete);
    CHECK(asha.size_of_rung(3) == 1);
}

TEST_CASE("sixteen, four and one of 64 trials are promoted with eta 4") {
    Judge<PromotingAsha> asha{promoting_spec(64, 4)};
    std::vector<int> trials(64);
    for (int trial = 0; trial < 64; ++trial) {
        trials[static_cast<std::size_t>(trial)] = trial;
    }

    for (const auto& [rung, milestone, num_promoted] : {std::tuple{0, 1, 16}, {1, 4, 4}, {2, 16, 1}}) {
        for (const int trial : trials) {
            asha.report(TrialId{trial}, rung, Resource{milestone}, trial);
        }
        trials = promoted(asha.scheduler);
        CHECK(static_cast<int>(trials.size()) == num_promoted);
    }
}

TEST_CASE("two brackets promote the better trial at a milestone first, and none after all have ended") {
    auto spec = promoting_spec(/*max=*/4, /*eta=*/2);
    spec.brackets = 2;  // milestones 1, 2, 4 and 2, 4
    const auto trial_of = [](int id, int bracket, int rungs_survived, std::optional<double> loss) {
        Trial trial;
        trial.id = TrialId{id};
        trial.bracket = bracket;
        trial.rungs_survived = rungs_survived;
        trial.resource = Resource{2};
        trial.loss = loss;
        return trial;
    };
    PromotingAsha asha{sweep_with(spec)};
    for (const auto& [id, bracket, loss] : {std::tuple{0, 0, 0.3}, {1, 0, 0.4}, {2, 1, 0.1}, {3, 1, 0.2}}) {
        asha.report(trial_of(id, bracket, bracket == 0 ? 1 : 0, loss));
    }
    CHECK(asha.promotable() == TrialId{2});
    asha.promote();
    CHECK(asha.promotable() == TrialId{0});
    for (const auto& [id, loss] : {std::pair{4, 0.05}, {5, 0.06}}) {
        asha.report(trial_of(id, 1, 0, loss));
    }
    CHECK(asha.promotable() == TrialId{4});

    asha.end_all();
    asha.fail(trial_of(6, 0, 0, {}));

    CHECK(asha.promotable() == std::nullopt);
}
