#include "scheduler/schedulers/pasha.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/random.hpp"
#include "tests/scheduler/schedulers/judge.hpp"

using namespace crescendo;

namespace {

SchedulerSpec pasha_spec(int min, int max) {
    SchedulerSpec spec;
    spec.kind = SchedulerKind::pasha;
    spec.min = Resource{min};
    spec.max = Resource{max};
    spec.reduction_factor = 2;
    return spec;
}

/// Four trials at the first rung, of which 0 and 1 are promoted.
Judge<Pasha> after_first_rung() {
    Judge<Pasha> pasha{pasha_spec(1, 8)};  // milestones 1, 2, 4, 8; open are 1 and 2
    for (const int trial : {0, 1, 2, 3}) {
        pasha.report(TrialId{trial}, 0, Resource{1}, 0.1 * (trial + 1));
    }
    pasha.scheduler.promote();
    pasha.scheduler.promote();
    return pasha;
}

/// Reports the losses of a trial at resources 1 to 4, with rungs at 2 and 4.
void train(Judge<Pasha>& pasha, int trial, const std::vector<double>& losses) {
    for (int resource = 1; resource <= 4; ++resource) {
        pasha.report(TrialId{trial}, resource <= 2 ? 0 : 1, Resource{resource},
                     losses[static_cast<std::size_t>(resource - 1)]);
    }
}

/// A simple PASHA for comparison, which sorts all distances at each result.
class SortingPasha {
  public:
    explicit SortingPasha(const SweepSpec& spec) : asha_(spec) { asha_.close_above(top_); }

    Judgement report(const Trial& trial) {
        curves_[trial.id].emplace(trial.resource, *trial.loss);
        const auto judgement = asha_.report(trial);
        if (judgement.verdict == Verdict::pause && judgement.rungs_survived == top_) {
            const auto before = curves_[trial.id].lower_bound(asha_.next_milestone(0, top_ - 1))->second;
            note_distances({*trial.loss, trial.id});
            now_.push_back({*trial.loss, trial.id});
            before_.push_back({before, trial.id});
            if (!is_stable()) {
                asha_.close_above(++top_);
                now_.clear();
                before_.clear();
                distances_.clear();
            }
        }
        return judgement;
    }
    std::optional<TrialId> promotable() const { return asha_.promotable(); }
    void promote() { asha_.promote(); }
    bool has_noise() const { return distances_.size() > 10; }

  private:
    void note_distances(const Result& newcomer) {
        for (const auto& other : now_) {
            if (crosses_twice(curves_[other.trial], curves_[newcomer.trial])) {
                distances_.push_back(std::abs(other.loss - newcomer.loss));
            }
        }
        std::ranges::sort(distances_);
        if (!distances_.empty()) {
            epsilon_ = distances_[(distances_.size() * 9 + 9) / 10 - 1];
        }
    }

    static bool crosses_twice(const std::map<Resource, double>& a, const std::map<Resource, double>& b) {
        std::vector<bool> orders;  // the last one first, equal neighbours once
        for (auto point = a.rbegin(); point != a.rend(); ++point) {
            const auto other = b.find(point->first);
            if (other != b.end() && other->second != point->second) {
                const bool is_before = point->second < other->second;
                if (orders.empty() || orders.back() != is_before) {
                    orders.push_back(is_before);
                }
            }
        }
        return orders.size() >= 3;
    }

    bool is_stable() {
        std::ranges::sort(now_);
        auto before = before_;
        std::ranges::sort(before);
        for (std::size_t i = 0; i < now_.size(); ++i) {
            const auto here = std::ranges::find(before, now_[i].trial, &Result::trial);
            if (std::abs(here->loss - before[i].loss) > epsilon_) {
                return false;
            }
        }
        return true;
    }

    PromotingAsha asha_;
    int top_ = 1;
    double epsilon_ = 0;
    std::map<TrialId, std::map<Resource, double>> curves_;
    std::vector<Result> now_;
    std::vector<Result> before_;
    std::vector<double> distances_;
};

}  // namespace

TEST_CASE("while the ranking is stable, no trial is promoted beyond the two lowest rungs") {
    auto pasha = after_first_rung();

    pasha.report(TrialId{0}, 1, Resource{2}, 0.05);
    pasha.report(TrialId{1}, 1, Resource{2}, 0.06);

    CHECK(pasha.scheduler.promotable() == std::nullopt);
}

TEST_CASE("a result that changes the ranking opens the next rung") {
    auto pasha = after_first_rung();

    pasha.report(TrialId{0}, 1, Resource{2}, 0.05);
    pasha.report(TrialId{1}, 1, Resource{2}, 0.04);  // 0 was before 1

    CHECK(pasha.scheduler.promotable() == TrialId{1});
    pasha.scheduler.promote();
    CHECK(pasha.report(TrialId{1}, 2, Resource{4}, 0.03).verdict == Verdict::pause);
    CHECK(pasha.scheduler.promotable() == std::nullopt);  // the rung at 8 is closed
}

TEST_CASE("trials that differ by less than the noise at the lower rung may change places") {
    Judge<Pasha> pasha{pasha_spec(2, 16)};  // milestones 2, 4, 8, 16
    // 0 is better than 1 at 2, worse at 3, and better again at 4, where they are 0.05 apart: noise.
    train(pasha, 0, {0.5, 0.30, 0.50, 0.40});
    train(pasha, 1, {0.4, 0.40, 0.40, 0.45});

    train(pasha, 2, {0.6, 0.33, 0.45, 0.38});  // 0.03 worse than 0 at 2, better at 4

    pasha.scheduler.promote();  // the first rung's best of three
    CHECK(pasha.scheduler.promotable() == std::nullopt);
}

TEST_CASE("without noise, the same change of places opens the next rung") {
    Judge<Pasha> pasha{pasha_spec(2, 16)};
    train(pasha, 0, {0.5, 0.30, 0.50, 0.40});

    train(pasha, 2, {0.6, 0.33, 0.45, 0.38});

    CHECK(pasha.scheduler.promotable() == TrialId{2});  // from the rung at 4
}

TEST_CASE("a trial that diverged after it changed places does not count as noise") {
    Judge<Pasha> pasha{pasha_spec(2, 16)};
    train(pasha, 0, {0.5, 0.30, 0.50, 0.40});
    train(pasha, 1, {0.4, 0.40, 0.40, std::nan("")});

    train(pasha, 2, {0.6, 0.33, 0.45, 0.38});

    CHECK(pasha.scheduler.promotable() == TrialId{2});  // from the rung at 4
}

TEST_CASE("trials that had both diverged at the lower rung may change places") {
    Judge<Pasha> pasha{pasha_spec(2, 16)};
    train(pasha, 0, {0.5, std::nan(""), 0.50, 0.40});

    train(pasha, 1, {0.4, std::nan(""), 0.40, 0.30});

    pasha.scheduler.promote();  // the first rung's best of two
    CHECK(pasha.scheduler.promotable() == std::nullopt);
}

TEST_CASE("the noise is the same as if all distances were sorted at each result") {
    int num_noisy = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto spec = pasha_spec(4, 256);
        Judge<Pasha> pasha{spec};
        Judge<SortingPasha> reference{spec};
        CounterRandom random{seed, 0};
        std::map<TrialId, int> survived;
        const auto train = [&](TrialId trial, int from) {
            for (int resource = from + 1;; ++resource) {
                const double loss = 1.0 / (trial.value + resource) + 0.02 * random.uniform();
                const auto judgement = pasha.report(trial, survived[trial], Resource{resource}, loss);
                REQUIRE(judgement.verdict ==
                        reference.report(trial, survived[trial], Resource{resource}, loss).verdict);
                num_noisy += reference.scheduler.has_noise() ? 1 : 0;
                if (judgement.verdict != Verdict::go_on) {
                    return;
                }
            }
        };
        for (int trial = 0; trial < 60; ++trial) {
            train(TrialId{trial}, 0);
            REQUIRE(pasha.scheduler.promotable() == reference.scheduler.promotable());
            while (const auto next = pasha.scheduler.promotable()) {
                pasha.scheduler.promote();
                reference.scheduler.promote();
                train(*next, 4 << survived[*next]++);
                REQUIRE(pasha.scheduler.promotable() == reference.scheduler.promotable());
            }
        }
    }
    CHECK(num_noisy > 1000);
}

TEST_CASE("if there is only one rung, a trial is complete there") {
    Judge<Pasha> pasha{pasha_spec(4, 4)};

    CHECK(pasha.report(TrialId{0}, 0, Resource{4}, 0.5).verdict == Verdict::complete);
}
