/// A sweep is simulated with times that all differ, and simulated again from its journal.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "launch/json/event_json.hpp"
#include "launch/replay/recording.hpp"
#include "simulator/virtual_cluster.hpp"
#include "tests/sanitized.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using simulator::RecordedEpochs;
using simulator::RecordedTimes;
using simulator::SimulationSpec;
using simulator::TrainingTimes;
using simulator::VirtualCluster;
using tests::seeds;

namespace {

constexpr int num_trials = 24;
constexpr int num_epochs = 9;

SweepSpec random_spec(CounterRandom& random, std::uint64_t seed) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = num_trials;
    spec.seed = seed;
    spec.space = SearchSpace({{"x", Uniform{0, 1}}});
    auto& scheduler = spec.scheduler;
    scheduler.kind = random.below(3) == 0 ? SchedulerKind::asha : SchedulerKind::rasda;
    scheduler.max = Resource{num_epochs};
    scheduler.reduction_factor = 2 + static_cast<int>(random.below(2));
    scheduler.mode = random.below(2) == 0 ? Mode::promote : Mode::stop;
    if (scheduler.kind == SchedulerKind::rasda) {
        scheduler.scaling_factor = 2;
        scheduler.priority = random.below(2) == 0 ? Priority::promotions_first : Priority::tail;
        scheduler.grow = std::vector{GrowPolicy::eager, GrowPolicy::wait, GrowPolicy::partial}[random.below(3)];
        if (scheduler.grow != GrowPolicy::wait) {
            scheduler.grow_when = std::vector{GrowWhen::always, GrowWhen::faster, GrowWhen::goodput}[random.below(3)];
        }
        scheduler.expected_regroup = 0.5;  // as a launcher knows, and the journal's reader has to know too
    }
    return spec;
}

/// Some trials report nothing about a regroup, or nothing about its steps.
simulator::RecordedRegroup random_regroup(CounterRandom& random) {
    simulator::RecordedRegroup regroup{.seconds = random.uniform(), .told = {}};
    if (random.below(4) > 0) {
        regroup.told = {regroup.seconds + random.uniform(), regroup.seconds, {}};
        if (random.below(4) > 0) {
            regroup.told->step_seconds = 0.01 + 0.02 * random.uniform();
        }
    }
    return regroup;
}

RecordedTimes random_times(CounterRandom& random) {
    RecordedTimes times;
    for (int i = 1; i <= num_epochs; ++i) {
        auto& epochs = times.epochs.emplace_back(RecordedEpochs{Resource{i}, 1 + 9 * random.uniform(), {}});
        if (random.below(8) == 0) {
            epochs.workers = {1 << random.below(4)};
            epochs.steps = Steps{};  // this report has no step times
        }
        times.starts[Resource{i}] = 3 * random.uniform();
        times.regroups[i] = random_regroup(random);
    }
    auto& first_steps = times.first_steps.emplace();
    if (random.below(2) == 0) {
        first_steps[0] = {4 * random.uniform(), {0.01 + 0.02 * random.uniform(), 128.0, {}}};
    }
    return times;
}

/// Trials report after every second or third unit, depending on their ids.
class Sparse final : public simulator::LearningCurves {
  public:
    explicit Sparse(simulator::ParametricCurves curves) : curves_(curves) {}

    using LearningCurves::loss;
    double loss(TrialId trial, Resource resource, double worth) const override {
        return curves_.loss(trial, resource, worth);
    }
    bool has_report(TrialId trial, Resource resource) const override {
        return resource.value % (2 + trial.value % 2) == 0;
    }

  private:
    simulator::ParametricCurves curves_;
};

struct Simulated {
    simulator::Summary summary;
    std::vector<std::pair<double, Event>> events;  ///< with their seconds
};

Simulated simulate(const SweepSpec& spec, int slots, const SimulationSpec& simulation,
                   const simulator::LearningCurves& curves, const std::vector<RecordedTimes>& times) {
    Simulated result;
    VirtualCluster cluster(spec, simulation, slots, curves, TrainingTimes(simulation, spec.seed, times));
    cluster.listen([&](double seconds, const Event& event) { result.events.emplace_back(seconds, event); });
    result.summary = cluster.run();
    return result;
}

/// The history that the launcher would have written. A journal has a resolution of milliseconds.
History history_of(const SweepSpec& spec, const Simulated& simulated, double times_a_second = 1e3) {
    History history(spec, Reports::all);
    const auto journal_time = [&](double seconds) {
        return std::round((1e9 + seconds) * times_a_second) / times_a_second;
    };
    history.apply(session_note(journal_time(0), "here", simulated.summary.slots));
    for (const auto& [seconds, event] : simulated.events) {
        auto record = Json::parse(to_json(event).dump());
        record["time"] = journal_time(seconds);
        if (const auto* report = std::get_if<TrialReported>(&event)) {
            record["metrics"] = {{spec.metric, report->loss}};
        }
        history.apply(record);
    }
    return history;
}

/// The reports in their order: trial and resource.
std::vector<std::pair<TrialId, Resource>> arrivals(const Simulated& simulated) {
    std::vector<std::pair<TrialId, Resource>> result;
    for (const auto& [_, event] : simulated.events) {
        if (const auto* report = std::get_if<TrialReported>(&event)) {
            result.emplace_back(report->trial, report->resource);
        }
    }
    return result;
}

/// All events in order, without clocks, because their last digits may differ.
std::vector<OrderedJson> happenings(const Simulated& simulated) {
    std::vector<OrderedJson> result;
    for (const auto& [_, event] : simulated.events) {
        result.push_back(to_json(event));
        result.back().erase("clock");
    }
    return result;
}

/// A simulation with the times of a recording.
SimulationSpec with(const Recording& recording) {
    SimulationSpec simulation{.loss_per_doubling = 0, .start = recording.times.start, .checkpoint = 0};
    simulation.loss_per_doubling = recording.times.loss_per_doubling.value_or(0);
    return simulation;
}

/// A sweep on some slots with times of its own, and the same sweep simulated from its journal.
struct SimulatedTwice {
    SimulatedTwice(const SweepSpec& spec, CounterRandom& random, const simulator::LearningCurves& curves,
                   double times_a_second = 1e3) {
        const int slots = 2 + static_cast<int>(random.below(15));
        std::vector<RecordedTimes> times;
        for (int trial = 0; trial < num_trials; ++trial) {
            times.push_back(random_times(random));
        }
        const SimulationSpec costly{.loss_per_doubling = 0.2, .checkpoint = 0.3};
        real = simulate(spec, slots, costly, curves, times);
        const auto recording = record(history_of(spec, real, times_a_second));
        again = simulate(spec, slots, with(recording), recording.curves, recording.times.trials);
    }

    Simulated real;
    Simulated again;
};

}  // namespace

TEST_CASE("a sweep simulated from its journal has the same reports in the same order and takes equally long") {
    for (std::uint64_t seed = 0; seed < seeds(300); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const auto spec = random_spec(random, seed);
        const simulator::ParametricCurves curves(seed, spec.goal, spec.scheduler.max, /*noise=*/0.05);

        const auto [real, again] = SimulatedTwice(spec, random, curves);

        REQUIRE(arrivals(again) == arrivals(real));
        REQUIRE(std::abs(again.summary.makespan - real.summary.makespan) < 2e-3);
        REQUIRE(again.summary.num_regroups == real.summary.num_regroups);
    }
}

TEST_CASE("events happen in the same order again even if the journal has several events of a trial at one time") {
    for (std::uint64_t seed = 0; seed < seeds(300); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const auto spec = random_spec(random, seed);
        const simulator::ParametricCurves curves(seed, spec.goal, spec.scheduler.max, /*noise=*/0.05);

        const auto [real, again] = SimulatedTwice(spec, random, curves, /*times_a_second=*/20);

        REQUIRE(happenings(again) == happenings(real));
        REQUIRE(std::abs(again.summary.makespan - real.summary.makespan) < 0.06);
    }
}

TEST_CASE("a replay judges trials at their reports, even if they did not report at every unit of resource") {
    for (std::uint64_t seed = 0; seed < seeds(300); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const auto spec = random_spec(random, seed);
        if (spec.scheduler.kind != SchedulerKind::asha) {
            continue;  // groups that grow between two reports have no times of their own in a journal
        }
        const Sparse curves(simulator::ParametricCurves(seed, spec.goal, spec.scheduler.max, /*noise=*/0.05));

        const auto [real, again] = SimulatedTwice(spec, random, curves);

        REQUIRE(arrivals(again) == arrivals(real));
        REQUIRE(std::abs(again.summary.makespan - real.summary.makespan) < 2e-3);
    }
}
