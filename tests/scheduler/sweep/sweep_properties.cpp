#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/random.hpp"
#include "scheduler/samplers/any_sampler.hpp"
#include "tests/sanitized.hpp"
#include "tests/scheduler/random_cluster.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;
using crescendo::tests::seeds;

namespace {

std::string replayed(const SweepSpec& spec, const std::vector<Event>& events) {
    Sweep sweep{spec};
    std::string log;
    for (const auto& event : events) {
        log += text_of(sweep.apply(event)) + '\n';
    }
    return log;
}

/// The same events, each with its slots in the opposite order.
std::vector<Event> with_slots_reversed(std::vector<Event> events) {
    for (auto& event : events) {
        if (auto* joined = std::get_if<SlotsJoined>(&event)) {
            std::reverse(joined->slots.begin(), joined->slots.end());
        } else if (auto* lost = std::get_if<SlotsLost>(&event)) {
            std::reverse(lost->slots.begin(), lost->slots.end());
        }
    }
    return events;
}

}  // namespace

TEST_CASE("whatever happens, slots and trials are consistent, no slot idles, and the sweep ends") {
    for (std::uint64_t seed = 0; seed < seeds(10'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed};
        REQUIRE_NOTHROW(cluster.play());
    }
}

TEST_CASE("if trials report step times, no slot idles, and no batch grows before the first rung") {
    for (std::uint64_t seed = 0; seed < seeds(5'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_growing_spec};
        cluster.share_of_times = 0.4;
        cluster.watch = [](const Sweep& sweep) {
            for (const auto& trial : sweep.trials()) {
                const bool is_early = trial.rungs_survived == 0 && sweep.growth().is_timed(trial.id);
                if (is_early && sweep.spec().scheduler.batch == BatchPolicy::adaptive &&
                    trial.group.batch.multiple > 1) {
                    throw std::logic_error("a rung compares equal batches");
                }
            }
        };
        REQUIRE_NOTHROW(cluster.play());
    }
}

TEST_CASE("late, repeated or empty times of trials change nothing") {
    for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_growing_spec};
        cluster.share_of_times = 0.4;
        cluster.play();
        Sweep sweep{cluster.spec()};
        std::string log;
        for (const auto& event : cluster.events()) {
            log += text_of(sweep.apply(event)) + '\n';
            if (const auto* timed = std::get_if<TrialTimed>(&event)) {
                REQUIRE(text_of(sweep.apply(*timed)) == "");
            }
            for (const auto& trial : sweep.trials()) {
                const int generation = trial.group.generation;
                REQUIRE(text_of(sweep.apply(TrialTimed{trial.id, generation, {}})) == "");
                REQUIRE(text_of(sweep.apply(TrialTimed{trial.id, generation - 1, {0.1, 128.0, {}}})) == "");
                REQUIRE(text_of(sweep.apply(TrialRegrouped{trial.id, generation - 1, 0.1, 1e-3})) == "");
            }
        }
        REQUIRE(log == cluster.log());
    }
}

TEST_CASE("replaying the same events gives the same actions, byte for byte") {
    for (std::uint64_t seed = 0; seed < seeds(600); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, seed < seeds(500) ? random_spec : random_repeated_spec};
        cluster.play();

        REQUIRE(replayed(cluster.spec(), cluster.events()) == cluster.log());
    }
}

TEST_CASE("a copy of a sweep continues like the original") {
    for (std::uint64_t seed = 0; seed < seeds(100); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed};
        cluster.play();
        Sweep sweep{cluster.spec()};
        const auto half = cluster.events().size() / 2;
        for (std::size_t i = 0; i < half; ++i) {
            sweep.apply(cluster.events()[i]);
        }
        Sweep copy = sweep;
        for (std::size_t i = half; i < cluster.events().size(); ++i) {
            REQUIRE(text_of(copy.apply(cluster.events()[i])) == text_of(sweep.apply(cluster.events()[i])));
        }
    }
}

TEST_CASE("the order in which an event lists its slots does not matter") {
    for (std::uint64_t seed = 0; seed < seeds(500); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed};
        cluster.play();

        REQUIRE(replayed(cluster.spec(), with_slots_reversed(cluster.events())) == cluster.log());
    }
}

TEST_CASE("decisions do not depend on the slots if the reports arrive in the same order") {
    // Round robin over 8 trials, with enough slots for one worker each, or for every target.
    for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
        CAPTURE(seed);
        auto spec = spec_of(/*run_cap=*/8, /*max=*/16);
        spec.scheduler.max_workers = 16;
        Script scarce{spec};
        Script plenty{spec};
        scarce.join(8);
        plenty.join(128);

        for (int resource = 1; resource <= 16; ++resource) {
            CounterRandom random{seed, static_cast<std::uint64_t>(resource)};
            for (int trial = 0; trial < 8; ++trial) {
                const double loss = random.uniform();
                scarce.report(trial, resource, loss);
                plenty.report(trial, resource, loss);
                REQUIRE(scarce.trial(trial).status == plenty.trial(trial).status);
                REQUIRE(scarce.trial(trial).group.batch.multiple == plenty.trial(trial).group.batch.multiple);
            }
        }
        REQUIRE(scarce.sweep.best() == plenty.sweep.best());
    }
}

namespace {

/// The rungs of asynchronous successive halving, updated from the trials after each event, and sorted for each
/// question.
class SlowRungs {
  public:
    explicit SlowRungs(const SchedulerSpec& spec) : spec_(spec), milestones_(spec.milestones()) {}

    void look_at(const std::vector<Trial>& trials) {
        num_arrivals_.resize(trials.size());
        have_failed_.resize(trials.size());
        for (const auto& trial : trials) {
            const auto index = static_cast<std::size_t>(trial.id.value);
            for (int& k = num_arrivals_[index]; k <= trial.rungs_survived && has_come_to(trial, k); ++k) {
                rung(trial, k).insert({*trial.loss, trial.id});
            }
            const bool has_failed = trial.status == TrialStatus::failed;
            const Result worst{std::numeric_limits<double>::infinity(), trial.id};
            if (has_failed && !have_failed_[index]) {
                rung(trial, trial.rungs_survived).insert(worst);
            } else if (!has_failed && have_failed_[index]) {
                rung(trial, trial.rungs_survived).erase(worst);
            }
            have_failed_[index] = has_failed;
        }
    }

    /// How many rungs the trial survives with this new report, in mode: stop.
    int num_survived(Trial trial, const TrialReported& report) {
        trial.resource = report.resource;
        const double loss = to_loss(Goal::minimize, report.loss);
        int k = trial.rungs_survived;
        while (has_come_to(trial, k) && !is_top(trial, k) && survives(rung(trial, k), {loss, trial.id})) {
            ++k;
        }
        return k;
    }

    /// Whether mode: promote may promote the trial from this rung. Only results that `others` already had can be
    /// better.
    bool is_among_best(const Trial& trial, int k, SlowRungs& others) {
        const auto& results = rung(trial, k);
        const auto own = std::ranges::find(results, trial.id, &Result::second);
        const auto& rivals = others.rung(trial, k);
        return own != results.end() && std::distance(rivals.begin(), rivals.lower_bound(*own)) <
                                           static_cast<std::ptrdiff_t>(results.size() / eta());
    }

  private:
    using Result = std::pair<double, TrialId>;

    std::size_t eta() const { return static_cast<std::size_t>(spec_.reduction_factor); }
    std::set<Result>& rung(const Trial& trial, int k) { return rungs_[{trial.bracket, k}]; }
    bool is_top(const Trial& trial, int k) const {
        return static_cast<std::size_t>(trial.bracket + k) + 1 == milestones_.size();
    }
    bool has_come_to(const Trial& trial, int k) const {
        const auto milestone = static_cast<std::size_t>(trial.bracket + k);
        return milestone < milestones_.size() && trial.resource >= milestones_[milestone];
    }

    bool survives(const std::set<Result>& others, const Result& own) const {
        const auto num_better = static_cast<std::size_t>(std::distance(others.begin(), others.lower_bound(own)));
        if (spec_.rule == Rule::rank) {
            return num_better < std::max<std::size_t>(1, (others.size() + 1) / eta());
        }
        if (others.empty()) {
            return true;
        }
        const auto [whole, part] = std::div(static_cast<long>(others.size() - 1), static_cast<long>(eta()));
        const double low = std::next(others.begin(), whole)->first;
        const double high = part == 0 ? low : std::next(others.begin(), whole + 1)->first;
        const double cutoff =
            low == high ? low : low + (high - low) * (static_cast<double>(part) / static_cast<double>(eta()));
        return own.first <= cutoff && (std::isfinite(own.first) || spec_.keep_diverged == Switch::on);
    }

    SchedulerSpec spec_;
    std::vector<Resource> milestones_;
    std::map<std::pair<int, int>, std::set<Result>> rungs_;  // by bracket and number in it
    std::vector<int> num_arrivals_;                          // by trial: the rungs that it has come to
    std::vector<bool> have_failed_;                          // by trial
};

}  // namespace

TEST_CASE("whatever happens, a trial survives a rung exactly if the sorted results of that rung say so") {
    for (std::uint64_t seed = 0; seed < seeds(500); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_asha_spec};
        cluster.play();
        Sweep sweep{cluster.spec()};
        SlowRungs rungs{cluster.spec().scheduler};
        const bool promotes = cluster.spec().scheduler.mode == Mode::promote;
        for (const auto& event : cluster.events()) {
            const auto before = sweep.trials();
            sweep.apply(event);
            const auto* report = std::get_if<TrialReported>(&event);
            for (const auto& trial : before) {
                const auto& now = sweep.trial(trial.id);
                if (!promotes) {
                    const bool is_news = now.resource > trial.resource;
                    REQUIRE(now.rungs_survived ==
                            (is_news ? rungs.num_survived(trial, *report) : trial.rungs_survived));
                }
            }
            auto rungs_before = rungs;  // results of the same event may count later, as held trials train ahead
            rungs.look_at(sweep.trials());
            for (const auto& trial : before) {
                for (int k = trial.rungs_survived; promotes && k < sweep.trial(trial.id).rungs_survived; ++k) {
                    REQUIRE(rungs.is_among_best(trial, k, rungs_before));
                }
            }
            const bool can_promote = std::ranges::any_of(sweep.trials(), [&](const Trial& trial) {
                return trial.status == TrialStatus::paused && rungs.is_among_best(trial, trial.rungs_survived, rungs);
            });
            REQUIRE(sweep.can_promote() == can_promote);
        }
    }
}

namespace {

/// The repetitions of configuration `index`.
std::span<const Trial> repetitions_of(const Sweep& sweep, std::size_t index) {
    const auto times = static_cast<std::size_t>(sweep.spec().repeat.times);
    return std::span(sweep.trials()).subspan(index * times, times);
}

void require(bool holds, const char* rule) {
    if (!holds) {
        throw std::logic_error(rule);
    }
}

void require_sound_configurations(const Sweep& sweep) {
    using enum StopReason;
    const auto times = static_cast<std::size_t>(sweep.spec().repeat.times);
    require(sweep.trials().size() == sweep.candidates().size() * times, "configurations are complete");
    for (std::size_t i = 0; i < sweep.candidates().size(); ++i) {
        const auto& configuration = sweep.candidates()[i];
        const auto repetitions = repetitions_of(sweep, i);
        const auto is_lost = [](const Trial& trial) { return trial.reason == judged || trial.reason == requested; };
        const bool have_ended = std::ranges::all_of(repetitions, &Trial::ended);
        require(configuration.ended() == have_ended, "a configuration ends with the last of its repetitions");
        require(have_ended || std::ranges::none_of(repetitions, is_lost), "repetitions stop together");
        int fewest_rungs = std::numeric_limits<int>::max();
        int most_rungs = 0;
        std::vector<double> losses;
        for (const auto& trial : repetitions) {
            require(trial.config == configuration.config, "repetitions have one configuration");
            require(trial.bracket == repetitions.front().bracket, "repetitions climb one ladder");
            if (trial.status != TrialStatus::failed && trial.loss) {
                losses.push_back(*trial.loss);
            }
            if (trial.status == TrialStatus::paused && trial.resource >= sweep.next_milestone(trial.id)) {
                fewest_rungs = std::min(fewest_rungs, trial.rungs_survived);
            }
            most_rungs = std::max(most_rungs, trial.rungs_survived);
        }
        require(fewest_rungs == std::numeric_limits<int>::max() || most_rungs - fewest_rungs <= 1,
                "nobody passes a rung where a sibling waits");
        if (have_ended && !losses.empty() && configuration.status != TrialStatus::failed) {
            require(configuration.loss == judged_loss(sweep.spec().repeat.judge, losses),
                    "a configuration has the mean or the worst of its repetitions' losses");
        }
    }
}

}  // namespace

TEST_CASE("with repeat, whatever happens, no slot idles, the sweep ends, and repetitions stop together") {
    for (std::uint64_t seed = 0; seed < seeds(2'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_repeated_spec};
        cluster.share_of_stops = seed % 2 == 0 ? 0 : 0.1;
        cluster.watch = require_sound_configurations;
        REQUIRE_NOTHROW(cluster.play());
    }
}

TEST_CASE("with any sampler and any sessions, no slot idles, and a replay that asks no model gives the same sweep") {
    for (std::uint64_t seed = 0; seed < seeds(1'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_searching_spec};
        cluster.share_of_times = seed % 3 == 0 ? 0.3 : 0;
        cluster.share_of_ends = 0.02;
        REQUIRE_NOTHROW(cluster.play());
        const auto& trials = cluster.sweep().trials();
        Sweep sweep{cluster.spec()};
        for (const auto& trial : trials) {  // a launcher reads these from the journal first
            if (trial.origin == Origin::model && cluster.spec().repeat.repetition_of(trial.id) == 0 &&
                !AnySampler(cluster.spec())->proposes_by_events()) {
                sweep.apply(TrialProposed{trial.id, trial.config, trial.origin});
            }
        }

        std::string log;
        for (const auto& event : cluster.events()) {
            log += text_of(sweep.apply(event)) + '\n';
        }

        REQUIRE(log == cluster.log());
        for (const auto& trial : trials) {
            REQUIRE(sweep.trial(trial.id).config == trial.config);
        }
    }
}
