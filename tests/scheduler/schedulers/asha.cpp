#include "scheduler/schedulers/asha.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "tests/scheduler/schedulers/judge.hpp"

using namespace crescendo;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

SchedulerSpec asha_of(int min, int max, int eta, Rule rule = Rule::rank) {
    SchedulerSpec spec;
    spec.kind = SchedulerKind::asha;
    spec.min = Resource{min};
    spec.max = Resource{max};
    spec.reduction_factor = eta;
    spec.rule = rule;
    return spec;
}

/// One letter for each loss, reported at the first rung by trials 0, 1, 2, …: c(ontinue) or s(top).
std::string decisions(const SchedulerSpec& spec, const std::vector<double>& losses) {
    Judge<Asha> asha{spec};
    std::string letters;
    for (int trial = 0; trial < static_cast<int>(losses.size()); ++trial) {
        const auto judgement = asha.report(TrialId{trial}, 0, spec.min, losses[static_cast<std::size_t>(trial)]);
        letters += judgement.verdict == Verdict::go_on ? 'c' : 's';
    }
    return letters;
}

/// The same for values of a metric to maximize.
std::string decisions_maximizing(const SchedulerSpec& spec, std::vector<double> metrics) {
    for (double& metric : metrics) {
        metric = to_loss(Goal::maximize, metric);
    }
    return decisions(spec, metrics);
}

}  // namespace

TEST_CASE("maximizing with eta 2, both rules continue a 5 and stop a later 4") {
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::rank), {5, 4}) == "cs");
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::percentile), {5, 4}) == "cs");
}

TEST_CASE("on Ray's own example, the percentile rule continues 2 and 4, then stops 1 at a cutoff of 3") {
    // The 50th percentile of {2, 4} is 3.
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::percentile), {2, 4, 1}) == "ccs");
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::percentile), {2, 4, 2.999}) == "ccs");
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::percentile), {2, 4, 3}) == "ccc");
}

TEST_CASE("the two rules differ for a value between the best and the cutoff") {
    // 2, 4, 3: by rank one of three trains on, and 3 is second; the percentile's cutoff is 3.
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::rank), {2, 4, 3}) == "ccs");
    CHECK(decisions_maximizing(asha_of(1, 4, 2, Rule::percentile), {2, 4, 3}) == "ccc");
}

TEST_CASE("the cutoff interpolates between the losses around the 1/eta quantile") {
    // Losses 0, 3, 6 with eta 3: place (3 - 1) / 3 = 2/3 of the way from 0 to 3, so 2.
    const auto spec = asha_of(1, 9, 3, Rule::percentile);
    Judge<Asha> asha{spec};
    for (const int trial : {0, 1, 2}) {
        asha.report(TrialId{trial}, 0, Resource{1}, 3.0 * trial);
    }
    Judge<Asha> same = asha;

    CHECK(asha.report(TrialId{3}, 0, Resource{1}, 2.0).verdict == Verdict::go_on);
    CHECK(same.report(TrialId{3}, 0, Resource{1}, 2.0000001).verdict == Verdict::stop);
}

TEST_CASE("the percentile rule records stopped trials as well") {
    // Losses, eta 2. 1: first. 9: cutoff 1, stops. 4: cutoff (1 + 9) / 2 = 5, continues.
    CHECK(decisions(asha_of(1, 4, 2, Rule::percentile), {1, 9, 4}) == "csc");
}

TEST_CASE("the percentile rule lets equal losses train on") {
    CHECK(decisions(asha_of(1, 4, 2, Rule::percentile), {0.1, 0.1, 0.1, 0.1}) == "cccc");
}

TEST_CASE("by rank, the k-th arrival trains on if it is among the best third so far") {
    // n:       1  2  3  4  5  6    7    8    9
    // keep:    1  1  1  1  1  2    2    2    3      max(1, floor(n / 3))
    // rank:    0  1  0  3  0  1    3    1    2
    CHECK(decisions(asha_of(1, 27, 3), {5, 6, 4, 7, 3, 3.5, 4.5, 3.2, 3.4}) == "cscsccscc");
}

TEST_CASE("by rank, each new best trains on, and later worse ones stop") {
    CHECK(decisions(asha_of(1, 4, 2), {5, 4, 3, 2, 1}) == "ccccc");
    CHECK(decisions(asha_of(1, 27, 3), {1, 2, 3, 4, 5}) == "cssss");
}

TEST_CASE("by rank, the lower id of equal losses trains on, in either order") {
    Judge<Asha> asha{asha_of(1, 4, 2)};
    Judge<Asha> reversed{asha_of(1, 4, 2)};

    CHECK(asha.report(TrialId{1}, 0, Resource{1}, 0.5).verdict == Verdict::go_on);
    CHECK(asha.report(TrialId{2}, 0, Resource{1}, 0.5).verdict == Verdict::stop);
    CHECK(reversed.report(TrialId{2}, 0, Resource{1}, 0.5).verdict == Verdict::go_on);
    CHECK(reversed.report(TrialId{1}, 0, Resource{1}, 0.5).verdict == Verdict::go_on);
}

TEST_CASE("a NaN is the worst of its rung under both rules") {
    CHECK(decisions(asha_of(1, 4, 2, Rule::rank), {1, not_a_number, 0.5}) == "csc");
    CHECK(decisions(asha_of(1, 4, 2, Rule::percentile), {1, not_a_number, 0.5}) == "csc");
    // After only a NaN, anything is an improvement.
    CHECK(decisions(asha_of(1, 4, 2, Rule::rank), {not_a_number, 1e300}) == "cc");
    CHECK(decisions(asha_of(1, 4, 2, Rule::percentile), {not_a_number, not_a_number, 1e300}) == "csc");
    auto keeping = asha_of(1, 4, 2, Rule::percentile);
    keeping.keep_diverged = Switch::on;
    CHECK(decisions(keeping, {not_a_number, not_a_number, 1e300}) == "ccc");
}

TEST_CASE("the rank rule agrees with counting the better losses") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CounterRandom random{seed, 0};
        const int eta = 2 + static_cast<int>(seed % 3);
        std::vector<double> losses;
        std::string expected;
        for (std::size_t n = 1; n <= 50; ++n) {
            losses.push_back(static_cast<double>(random.below(20)));  // equal ones too: the earlier has the lower id
            const auto better =
                std::count_if(losses.begin(), losses.end() - 1, [&](double other) { return other <= losses.back(); });
            expected += better < std::max(1, static_cast<int>(n) / eta) ? 'c' : 's';
        }
        REQUIRE(decisions(asha_of(1, 64, eta, Rule::rank), losses) == expected);
    }
}

TEST_CASE("the percentile rule agrees with the percentile of the metrics, as Ray computes it") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CounterRandom random{seed, 0};
        const int eta = 2 + static_cast<int>(seed % 3);
        std::vector<double> metrics;
        std::vector<double> sorted;
        std::string expected;
        for (int n = 0; n < 50; ++n) {
            metrics.push_back(random.uniform());
            double cutoff = -1;
            if (!sorted.empty()) {
                // numpy.percentile(sorted, (1 - 1 / eta) * 100), linearly interpolated
                const double place = (1 - 1.0 / eta) * static_cast<double>(sorted.size() - 1);
                const auto below = static_cast<std::size_t>(place);
                const auto above = std::min(below + 1, sorted.size() - 1);
                cutoff = std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
            }
            expected += metrics.back() < cutoff ? 's' : 'c';
            sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), metrics.back()), metrics.back());
        }
        REQUIRE(decisions_maximizing(asha_of(1, 64, eta, Rule::percentile), metrics) == expected);
    }
}

TEST_CASE("a report that skips milestones is recorded and judged in each, lowest first") {
    Judge<Asha> asha{asha_of(1, 27, 3)};  // milestones 1, 3, 9, 27

    const auto judgement = asha.report(TrialId{0}, 0, Resource{10}, 0.5);

    CHECK(judgement.verdict == Verdict::go_on);
    CHECK(judgement.rungs_survived == 3);
    CHECK(asha.size_of_rung(0) == 1);
    CHECK(asha.size_of_rung(2) == 1);
    CHECK(asha.size_of_rung(3) == 0);
}

TEST_CASE("a report that skips milestones goes no further than the rung that stops it") {
    Judge<Asha> asha{asha_of(1, 27, 3)};
    asha.report(TrialId{0}, 0, Resource{1}, 0.9);
    asha.report(TrialId{0}, 1, Resource{3}, 0.1);

    const auto judgement = asha.report(TrialId{1}, 0, Resource{27}, 0.5);  // best at 1, second at 3

    CHECK(judgement.verdict == Verdict::stop);
    CHECK(judgement.rungs_survived == 1);
    CHECK(asha.size_of_rung(1) == 2);
    CHECK(asha.size_of_rung(2) == 0);
    CHECK(asha.size_of_rung(3) == 0);
}

TEST_CASE("no trial is judged at the top rung") {
    Judge<Asha> asha{asha_of(1, 3, 3)};
    asha.report(TrialId{0}, 1, Resource{3}, 0.1);

    const auto judgement = asha.report(TrialId{1}, 1, Resource{4}, 0.9);  // beyond the maximum counts as at the maximum

    CHECK(judgement.verdict == Verdict::complete);
    CHECK(judgement.rungs_survived == 1);
    CHECK(asha.size_of_rung(1) == 2);
}

TEST_CASE("a report between milestones is not recorded") {
    Judge<Asha> asha{asha_of(2, 8, 2)};

    const auto judgement = asha.report(TrialId{0}, 0, Resource{1}, 0.5);

    CHECK(judgement.verdict == Verdict::go_on);
    CHECK(judgement.rungs_survived == 0);
    CHECK(asha.size_of_rung(0) == 0);
}

TEST_CASE("a failed trial counts as the worst of its next rung") {
    Judge<Asha> asha{asha_of(1, 4, 2)};
    asha.report(TrialId{0}, 0, Resource{1}, 0.1);
    asha.report(TrialId{1}, 0, Resource{1}, 0.3);
    asha.fail(TrialId{2}, 0);

    CHECK(asha.size_of_rung(0) == 3);
    // Without the failure 0.2 would be second of three, where one trains on; now it is second of four.
    CHECK(asha.report(TrialId{3}, 0, Resource{1}, 0.2).verdict == Verdict::go_on);
}

TEST_CASE("fifo has only the rung at the maximum") {
    auto spec = asha_of(1, 27, 3);
    spec.kind = SchedulerKind::fifo;
    Judge<Asha> asha{spec};

    CHECK(asha.scheduler.rungs().size() == 1);
    CHECK(asha.scheduler.rungs()[0].milestone == Resource{27});
    CHECK(asha.report(TrialId{0}, 0, Resource{26}, not_a_number).verdict == Verdict::go_on);
}

TEST_CASE("if 27 trials arrive best first with eta 3, one trains on from each rung") {
    Judge<Asha> asha{asha_of(1, 27, 3)};

    for (int trial = 0; trial < 27; ++trial) {
        const auto judgement = asha.report(TrialId{trial}, 0, Resource{27}, trial);
        // Rank r arrives as the (r + 1)-th, when floor((r + 1) / 3) train on: r is never below that, except for 0.
        CHECK(judgement.verdict == (trial == 0 ? Verdict::complete : Verdict::stop));
    }

    CHECK(asha.size_of_rung(0) == 27);
    CHECK(asha.size_of_rung(1) == 1);
    CHECK(asha.size_of_rung(3) == 1);
}

TEST_CASE("if 27 trials arrive worst first with eta 3, all train on") {
    Judge<Asha> asha{asha_of(1, 27, 3)};

    for (int trial = 0; trial < 27; ++trial) {
        CHECK(asha.report(TrialId{trial}, 0, Resource{27}, -trial).verdict == Verdict::complete);
    }

    CHECK(asha.size_of_rung(3) == 27);
}

TEST_CASE("if 64 trials arrive in blocks of four, best first, with eta 4, a quarter trains on") {
    // Milestones 1, 4, 16, 64. In blocks of four, best first: of 4k + 1 results k train on, and each block's first is
    // better than all before it.
    Judge<Asha> asha{asha_of(1, 64, 4)};
    int num_survivors = 0;

    for (int trial = 0; trial < 64; ++trial) {
        const double loss = 100.0 * (trial % 4) - trial;
        num_survivors += asha.report(TrialId{trial}, 0, Resource{1}, loss).verdict == Verdict::go_on ? 1 : 0;
    }

    CHECK(asha.size_of_rung(0) == 64);
    CHECK(num_survivors == 16);
}

TEST_CASE("a maximum of 243 with factor 3 has six rungs, each once") {
    const Asha asha{sweep_with(asha_of(1, 243, 3))};

    REQUIRE(asha.rungs().size() == 6);
    CHECK(asha.rungs()[4].milestone == Resource{81});
    CHECK(asha.rungs()[5].milestone == Resource{243});
}

TEST_CASE("a trial of bracket b has its first rung at the b-th milestone, and competes within its bracket") {
    auto spec = asha_of(1, 9, 3);
    spec.brackets = 3;
    Asha asha{sweep_with(spec)};
    std::map<int, int> num_drawn;
    for (int trial = 0; trial < 1000; ++trial) {
        ++num_drawn[asha.begin(TrialId{trial})];
    }

    // Hyperband's sizes are 9, 5 (4.5) and 3 of 17.
    CHECK(num_drawn[0] == doctest::Approx(1000 * 9 / 17).epsilon(0.1));
    CHECK(num_drawn[1] == doctest::Approx(1000 * 5 / 17).epsilon(0.1));
    CHECK(num_drawn[2] == doctest::Approx(1000 * 3 / 17).epsilon(0.15));
    CHECK(asha.next_milestone(0, 0) == Resource{1});
    CHECK(asha.next_milestone(1, 0) == Resource{3});
    CHECK(asha.next_milestone(2, 0) == Resource{9});
    Trial trial;
    trial.resource = Resource{3};
    trial.loss = 0.1;
    CHECK(asha.report(trial).rungs_survived == 2);
    trial.id = TrialId{1};
    trial.bracket = 1;
    trial.loss = 0.9;
    CHECK(asha.report(trial).verdict == Verdict::go_on);  // the first of its bracket
    CHECK(asha.rungs()[1].size == 2);
}

TEST_CASE("with fewer brackets, only the lowest ones are used") {
    auto spec = asha_of(1, 9, 3);
    spec.brackets = 1;
    Asha asha{sweep_with(spec)};

    for (int trial = 0; trial < 50; ++trial) {
        CHECK(asha.begin(TrialId{trial}) == 0);
    }
}

TEST_CASE("the brackets of trials follow from the sweep's seed") {
    const auto brackets_with = [](std::uint64_t seed) {
        SchedulerSpec scheduler;
        scheduler.kind = SchedulerKind::asha;
        scheduler.max = Resource{9};
        scheduler.brackets = 3;
        auto spec = sweep_with(scheduler);
        spec.seed = seed;
        Asha asha{spec};
        std::vector<int> brackets;
        for (int trial = 0; trial < 50; ++trial) {
            brackets.push_back(asha.begin(TrialId{trial}));
        }
        return brackets;
    };

    CHECK(brackets_with(1) == brackets_with(1));
    CHECK(brackets_with(1) != brackets_with(2));
}
