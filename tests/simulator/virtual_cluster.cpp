#include "simulator/virtual_cluster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "scheduler/loss.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::simulator;

namespace {

SweepSpec sweep(SchedulerKind kind, int run_cap, int max) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = run_cap;
    spec.seed = 7;
    spec.space = SearchSpace({{"x", Uniform{0, 1}}});
    spec.scheduler.kind = kind;
    spec.scheduler.max = Resource{max};
    return spec;
}

/// All trials are alike, and nothing takes time except epochs of 10 s.
const SimulationSpec plain{.epoch = 10, .spread = 0, .loss_per_doubling = 0, .start = 0, .regroup = 0, .checkpoint = 0};

Summary simulate(const SweepSpec& spec, const SimulationSpec& simulation, int slots,
                 std::optional<double> time_budget = {}) {
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, simulation.noise);
    return VirtualCluster(spec, simulation, slots, curves, TrainingTimes(simulation, spec.seed), time_budget).run();
}

}  // namespace

TEST_CASE("trials that all train to the end fill their slots in turns") {
    const auto summary = simulate(sweep(SchedulerKind::fifo, 5, 3), plain, 2);

    CHECK(summary.makespan == doctest::Approx(90));  // 3 turns of 3 epochs; the last has one trial
    CHECK(summary.slot_seconds_used == doctest::Approx(5 * 30));
    CHECK(summary.utilization() == doctest::Approx(150.0 / 180));
    CHECK(summary.num_reports == 15);
    CHECK(summary.num_complete == 5);
}

TEST_CASE("a watcher gets every report, with its time and the workers that trained for it") {
    const auto spec = sweep(SchedulerKind::rasda, 1, 9);
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, /*noise=*/0);
    VirtualCluster cluster(spec, plain, 3, curves, TrainingTimes(plain, spec.seed));
    std::vector<SeenReport> reports;
    cluster.watch([&](const SeenReport& report) { reports.push_back(report); });

    const auto summary = cluster.run();

    REQUIRE(reports.size() == 9);
    CHECK(summary.num_reports == 9);
    CHECK(reports.front().workers == 1);
    CHECK(reports.front().seconds == doctest::Approx(10));
    CHECK(reports.front().loss == curves.loss(TrialId{0}, Resource{1}));
    CHECK(reports.back().workers == 3);
    CHECK(reports.back().resource == Resource{9});
    CHECK(reports.back().seconds == doctest::Approx(summary.makespan));
}

TEST_CASE("starts, checkpoints and evaluations take time") {
    auto costly = plain;
    costly.start = 2;
    costly.checkpoint = 1;
    costly.evaluation = 5;

    const auto summary = simulate(sweep(SchedulerKind::fifo, 1, 3), costly, 1);

    CHECK(summary.makespan == doctest::Approx(2 + 30 + 1 + 5));  // one checkpoint, at the end
}

TEST_CASE("a trial's clock counts epochs and regroups, but neither its start nor its checkpoints") {
    auto costly = plain;
    costly.start = 100;
    costly.checkpoint = 100;
    costly.regroup = 4;
    auto spec = sweep(SchedulerKind::rasda, 1, 9);  // grows to three workers at 1
    spec.trial_end.seconds = 20;

    const auto summary = simulate(spec, costly, 3);

    CHECK(summary.num_reports == 3);  // 10 s alone, 4 s of regroup, two epochs of 10/3 s
    CHECK(summary.num_complete == 1);
}

TEST_CASE("a group that grows takes time for a regroup, and less time for its epochs") {
    auto growing = plain;
    growing.regroup = 4;

    const auto summary = simulate(sweep(SchedulerKind::rasda, 1, 9), growing, 3);

    // One epoch alone, then 8 epochs of 10/3 s with three workers, from the rung at 1 on.
    CHECK(summary.num_regroups == 1);
    CHECK(summary.makespan == doctest::Approx(10 + 4 + 80.0 / 3));
    CHECK(summary.slot_seconds_used == doctest::Approx(10 + 3 * (4 + 80.0 / 3)));
}

TEST_CASE("a regroup is new unless its slots have already been a group") {
    auto one_by_one = sweep(SchedulerKind::rasda, 20, 9);
    one_by_one.scheduler.max_concurrent = 1;

    const auto summary = simulate(one_by_one, plain, 3);

    CHECK(summary.num_regroups > 1);
    CHECK(summary.num_new_groups == 1);
}

TEST_CASE("a group that grows within an epoch keeps its training in that epoch") {
    auto costly = plain;
    costly.regroup = 2;
    costly.step_noise = 0;
    costly.samples = 2560;
    costly.batch = 128;  // twenty steps an epoch
    auto spec = sweep(SchedulerKind::rasda, 2, 64);
    spec.scheduler.reduction_factor = 2;
    spec.scheduler.grow_when = GrowWhen::goodput;
    spec.scheduler.surplus = Switch::off;  // otherwise they would grow before their first reports
    spec.seed = 2;  // the second one is the better one, and survives
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, costly.noise);
    VirtualCluster cluster(spec, costly, 4, curves, TrainingTimes(costly, spec.seed));
    std::vector<SeenReport> reports;
    cluster.watch([&](const SeenReport& report) { reports.push_back(report); });
    cluster.run();
    const auto second_report = [&](int trial) {
        return *std::ranges::find_if(reports, [&](const SeenReport& report) {
            return report.trial == TrialId{trial} && report.resource == Resource{2};
        });
    };

    // Both report at 10 s. One tries two workers: 2 s for the regroup, then 5 s for the epoch. The other one learns of
    // it after 16 steps of a quarter of a second. It has trained 6 s by then, and needs 2 s, and 2 s for the rest.
    CHECK(second_report(0).seconds == doctest::Approx(10 + 2 + 5));
    CHECK(second_report(1).workers == 2);
    CHECK(second_report(1).seconds == doctest::Approx(10 + 6 + 2 + 2));
}

TEST_CASE("if slots idle, trials grow once they have reported the time of their first steps") {
    auto spec = sweep(SchedulerKind::rasda, 2, 64);
    spec.scheduler.grow_when = GrowWhen::goodput;
    auto costly = plain;
    costly.regroup = 2;
    costly.step_noise = 0;
    costly.samples = 12'800;
    costly.batch = 128;  // a hundred steps an epoch, of a tenth of a second
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, costly.noise);
    VirtualCluster cluster(spec, costly, 4, curves, TrainingTimes(costly, spec.seed));
    std::vector<SeenReport> reports;
    cluster.watch([&](const SeenReport& report) { reports.push_back(report); });
    std::vector<double> told;
    cluster.listen([&](double seconds, const Event& event) {
        if (std::holds_alternative<TrialTimed>(event)) {
            told.push_back(seconds);
        }
    });
    cluster.run();

    // One tries two workers after 16 steps: 1.6 s, then 2 s for the regroup, and 4.2 s for what is left of the epoch.
    // It reports after 16 steps of half the time, at 4.4 s. Then the other one, which has trained as long, grows too.
    REQUIRE(told.size() == 2);
    CHECK(told[0] == doctest::Approx(1.6));
    CHECK(told[1] == doctest::Approx(1.6));
    REQUIRE(reports.size() >= 2);
    CHECK(reports[0].workers == 2);
    CHECK(reports[0].seconds == doctest::Approx(1.6 + 2 + 4.2));
    CHECK(reports[1].workers == 2);
    CHECK(reports[1].seconds == doctest::Approx(4.4 + 2 + 2.8));
}

TEST_CASE("trials that report no step times grow at any cost, but only when they survive a rung") {
    auto spec = sweep(SchedulerKind::rasda, 1, 9);
    spec.scheduler.grow_when = GrowWhen::goodput;
    auto costly = plain;
    costly.regroup = 1000;
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, costly.noise);
    VirtualCluster cluster(spec, costly, 3, curves, TrainingTimes(costly, spec.seed));
    cluster.tell_no_steps();

    const auto summary = cluster.run();

    CHECK(simulate(spec, costly, 3).num_regroups == 0);
    CHECK(summary.num_regroups == 1);
    CHECK(summary.makespan == doctest::Approx(10 + 1000 + 80.0 / 3));
}

TEST_CASE("a group that loses a worker before reporting its first steps reports steps of the remaining workers") {
    auto spec = sweep(SchedulerKind::rasda, 20, 64);
    spec.scheduler.grow_when = GrowWhen::goodput;
    spec.scheduler.workers = 2;
    spec.max_retries = 1000;
    auto fragile = plain;
    fragile.samples = 12'800;  // a hundred steps an epoch
    fragile.failures = 500;    // per hour and worker
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, fragile.noise);
    VirtualCluster cluster(spec, fragile, 4, curves, TrainingTimes(fragile, spec.seed), /*time_budget=*/600);
    std::set<std::pair<int, int>> told;  // trials, and the generations of their groups
    cluster.listen([&](double, const Event& event) {
        if (const auto* timed = std::get_if<TrialTimed>(&event)) {
            CHECK(timed->samples_per_resource == 12'800);
            told.insert({timed->trial.value, timed->generation});
        }
    });
    cluster.run();

    // A trial's second group is the rest of the first, or grew from it once the first had reported its steps.
    CHECK(std::ranges::any_of(told, [&](const auto& each) {
        return each.second == 1 && !told.contains({each.first, 0});
    }));
}

TEST_CASE("failed trials train again from their last checkpoint") {
    auto fragile = plain;
    fragile.failures = 20;  // per hour: one in 18 epochs
    auto spec = sweep(SchedulerKind::fifo, 60, 3);
    spec.max_retries = 100;

    const auto summary = simulate(spec, fragile, 4);

    CHECK(simulate(spec, plain, 4).makespan == doctest::Approx(60 / 4 * 30));
    CHECK(summary.num_resumptions > 0);
    CHECK(summary.num_complete == 60);
    CHECK(summary.num_reports == 60 * 3);  // repeated training is not reported again
    CHECK(summary.makespan > 60 / 4 * 30);
}

TEST_CASE("a sweep ends when its time is up") {
    const auto summary = simulate(sweep(SchedulerKind::fifo, 100, 3), plain, 1, 45);

    CHECK(summary.reason == FinishReason::time_up);
    CHECK(summary.makespan == 45);
    CHECK(summary.num_complete == 1);
    CHECK(summary.num_reports == 4);
}

TEST_CASE("a sweep that might never end is refused") {
    auto endless = sweep(SchedulerKind::asha, 1, 3);
    endless.run_cap.reset();
    endless.target = -1;

    CHECK_THROWS_AS(simulate(endless, plain, 1), InvalidInput);
}

TEST_CASE("a sweep without a run_cap ends after the set number of trials in a row without progress") {
    auto spec = sweep(SchedulerKind::fifo, 1, 3);
    spec.run_cap.reset();
    spec.patience.trials = 4;

    const auto summary = simulate(spec, plain, 1);

    CHECK(summary.reason == FinishReason::no_progress);
    CHECK(summary.best->value == summary.num_complete - 1 - 4);
}

TEST_CASE("a simulation of too many units ends with an error that names the max") {
    const auto spec = sweep(SchedulerKind::asha, 100, 27);
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, plain.noise);
    const auto run = [&](std::int64_t most_units) {
        return VirtualCluster(spec, plain, 4, curves, TrainingTimes(plain, spec.seed), /*time_budget=*/{}, most_units)
            .run();
    };
    const auto num_reports = simulate(spec, plain, 4).num_reports;

    CHECK(run(num_reports).num_reports == num_reports);
    const auto error = tests::error_of([&] { run(num_reports - 1); });
    CHECK_MESSAGE(error.find("more than " + std::to_string(num_reports - 1) + " reports") != std::string::npos, error);
    CHECK_MESSAGE(error.find("and max is 27 units") != std::string::npos, error);
}

TEST_CASE("more trials than fit in memory are refused before the first trial starts") {
    CHECK_NOTHROW(require_few_trials(most_simulated_trials));
    const auto error = tests::error_of([] { require_few_trials(2'147'483'647); });
    CHECK_MESSAGE(error.find("2147483647 trials") != std::string::npos, error);
}

TEST_CASE("the best over time only improves, and slot use begins with all slots and ends with none") {
    const auto summary = simulate(sweep(SchedulerKind::rasda, 100, 27), {}, 16);

    REQUIRE(summary.best_over_time.size() > 1);
    for (std::size_t i = 1; i < summary.best_over_time.size(); ++i) {
        CHECK(summary.best_over_time[i].loss < summary.best_over_time[i - 1].loss);
        CHECK(summary.best_over_time[i].seconds >= summary.best_over_time[i - 1].seconds);
    }
    CHECK(summary.slot_use.front().slots == 16);
    CHECK(summary.slot_use.back().slots == 0);
    CHECK(summary.best_by(-1) == std::nullopt);
    CHECK(summary.best_by(1e9) == summary.best_over_time.back().loss);
}

namespace {

/// The best of all configurations after each report, found from the events alone.
class BestOfAll {
  public:
    explicit BestOfAll(const SweepSpec& spec) : sweep_(spec) {}

    void operator()(double seconds, const Event& event) {
        sweep_.apply(event);
        const auto best = std::holds_alternative<TrialReported>(event) ? sweep_.best() : std::nullopt;
        const double loss = best ? *sweep_.candidate_of(*best).loss : worst_loss;
        if (loss < (over_time.empty() ? worst_loss : over_time.back().loss)) {
            over_time.push_back({seconds, loss, *best, sweep_.trial(*best).resource});
        }
    }

    std::vector<BestSoFar> over_time;

  private:
    Sweep sweep_;
};

auto members_of(const BestSoFar& best) { return std::tuple(best.seconds, best.loss, best.trial, best.resource); }

}  // namespace

TEST_CASE("with repeat, the best over time is the best judged configuration after each report") {
    SimulationSpec rough;
    rough.noise = 0.1;
    rough.failures = 20;
    std::size_t num_improvements = 0;
    for (const auto kind : {SchedulerKind::fifo, SchedulerKind::asha, SchedulerKind::async_hyperband}) {
        for (const auto judge : {JudgedBy::mean, JudgedBy::worst}) {
            for (const double target : {-1.0, 0.15}) {  // the first is never met
                for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
                    CAPTURE(static_cast<int>(kind));
                    CAPTURE(static_cast<int>(judge));
                    CAPTURE(target);
                    CAPTURE(seed);
                    auto spec = sweep(kind, 40, 9);
                    spec.seed = seed;
                    spec.repeat = {.times = 3, .judge = judge};
                    spec.max_retries = 1;
                    spec.target = target;
                    spec.patience.trials = seed % 2 == 0 ? std::optional(2) : std::nullopt;
                    const ParametricCurves curves(seed, spec.goal, spec.scheduler.max, rough.noise, spec.repeat);
                    VirtualCluster cluster(spec, rough, 8, curves, TrainingTimes(rough, seed));
                    BestOfAll expected(cluster.sweep().spec());
                    cluster.listen(std::ref(expected));

                    const auto summary = cluster.run();

                    CHECK(std::ranges::equal(summary.best_over_time, expected.over_time, {}, members_of, members_of));
                    num_improvements += expected.over_time.size();
                }
            }
        }
    }
    CHECK(num_improvements > 200);
}

TEST_CASE("repetitions that were never started do not count as trials that were") {
    auto spec = sweep(SchedulerKind::fifo, 2, 3);
    spec.repeat.times = 3;

    const auto summary = simulate(spec, plain, /*slots=*/1, /*time_budget=*/40);  // a trial takes 30 s

    CHECK(summary.num_trials == 2);
}

TEST_CASE("equal inputs give equal sweeps, and another seed gives another sweep") {
    SimulationSpec rough;
    rough.failures = 1;
    rough.straggler_share = 0.1;
    auto spec = sweep(SchedulerKind::rasda, 200, 27);
    const auto one = simulate(spec, rough, 16);
    const auto same = simulate(spec, rough, 16);
    spec.seed = 8;
    const auto other = simulate(spec, rough, 16);

    CHECK(one.makespan == same.makespan);
    CHECK(one.num_reports == same.num_reports);
    CHECK(one.best == same.best);
    CHECK(one.makespan != other.makespan);
}

TEST_CASE("a paused trial continues from its last report once it is promoted") {
    auto spec = sweep(SchedulerKind::asha, 9, 9);
    spec.scheduler.mode = Mode::promote;
    spec.seed = 8;  // no later trial beats a promoted one

    const auto summary = simulate(spec, plain, 3);

    CHECK(summary.num_resumptions > 0);
    CHECK(summary.num_complete == 1);
    // All 9 trials train to 1, the best 3 to 3 and the best one to 9. No epoch is trained twice.
    CHECK(summary.num_reports == 9 + 3 * 2 + 6);
    CHECK(summary.slot_seconds_used == doctest::Approx(10.0 * (9 + 3 * 2 + 6)));
}

TEST_CASE("every scheduler and policy finishes on few and on many slots, whatever fails") {
    SimulationSpec rough;
    rough.failures = 5;
    for (const auto kind :
         {SchedulerKind::fifo, SchedulerKind::asha, SchedulerKind::rasda, SchedulerKind::successive_halving,
          SchedulerKind::hyperband, SchedulerKind::async_hyperband, SchedulerKind::pasha, SchedulerKind::median}) {
        for (const int slots : {1, 3, 64}) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(slots);
            const auto summary = simulate(sweep(kind, 50, 9), rough, slots);
            CHECK(summary.num_trials <= 50);
            CHECK(summary.num_complete > 0);
            CHECK(summary.utilization() <= 1.0);
        }
    }
    for (const auto grow : {GrowPolicy::eager, GrowPolicy::wait, GrowPolicy::partial}) {
        for (const auto priority : {Priority::promotions_first, Priority::starts_first, Priority::tail}) {
            auto spec = sweep(SchedulerKind::rasda, 50, 9);
            spec.scheduler.grow = grow;
            spec.scheduler.priority = priority;
            spec.scheduler.shrink = grow == GrowPolicy::wait ? Switch::off : Switch::on;
            spec.scheduler.surplus = Switch::on;
            CHECK(simulate(spec, rough, 12).num_trials == 50);
        }
    }
}

TEST_CASE("simulated trials report their steps, so that a sweep learns the speed-up of its workers") {
    auto simulation = plain;
    simulation.step_noise = 0;
    simulation.loss_per_doubling = 0.1;
    auto spec = sweep(SchedulerKind::rasda, 1, 9);
    spec.scheduler.reduction_factor = 2;
    const ParametricCurves curves(spec.seed, spec.goal, spec.scheduler.max, simulation.noise);
    VirtualCluster cluster(spec, simulation, 4, curves, TrainingTimes(simulation, spec.seed));

    cluster.run();

    CHECK(cluster.sweep().growth().measured_speedup(TrialId{0}) == doctest::Approx(4 * 0.9 * 0.9));
}

TEST_CASE("if two workers are only as fast as one, goodput is no slower than ASHA and uses hardly more slot time") {
    auto poor = plain;
    poor.spread = 0.2;
    poor.loss_per_doubling = 0.5;
    for (const double regroup : {0.1, 6.0, 30.0}) {
        CAPTURE(regroup);
        poor.regroup = regroup;
        const auto asha = simulate(sweep(SchedulerKind::asha, 64, 81), poor, 64);
        auto spec = sweep(SchedulerKind::rasda, 64, 81);
        spec.scheduler.batch = BatchPolicy::global;
        const auto always = simulate(spec, poor, 64);
        spec.scheduler.grow_when = GrowWhen::goodput;
        const auto goodput = simulate(spec, poor, 64);

        CHECK(goodput.slot_seconds_used - asha.slot_seconds_used <
              (always.slot_seconds_used - asha.slot_seconds_used) / 10);
        CHECK(goodput.num_regroups <= 10);
        CHECK(goodput.seconds_to(asha.best_over_time.back().loss).value() <=
              1.001 * asha.best_over_time.back().seconds);
    }
}

TEST_CASE("goodput is about as fast as always growing if more workers make trials faster") {
    auto good = plain;
    good.loss_per_doubling = 0.05;
    auto spec = sweep(SchedulerKind::rasda, 64, 81);
    spec.scheduler.batch = BatchPolicy::global;
    const auto always = simulate(spec, good, 64);
    spec.scheduler.grow_when = GrowWhen::goodput;

    CHECK(simulate(spec, good, 64).makespan <= 1.1 * always.makespan);
}

TEST_CASE("a batch far above the noise scale teaches less, and a batch below it teaches as much as without noise") {
    auto noisy = plain;
    noisy.noise = 0;
    noisy.batch = 128;
    auto spec = sweep(SchedulerKind::rasda, 1, 9);
    spec.scheduler.reduction_factor = 2;
    const auto final_loss = [&](BatchPolicy batch, double noise_scale, double noise_growth) {
        spec.scheduler.batch = batch;
        noisy.noise_scale = noise_scale;
        noisy.noise_growth = noise_growth;
        return *simulate(spec, noisy, 4).best_loss;
    };
    const double undisturbed = final_loss(BatchPolicy::global, 0, 1);

    CHECK(final_loss(BatchPolicy::global, 64, 1) == undisturbed);
    CHECK(final_loss(BatchPolicy::per_worker, 0, 1) == undisturbed);
    CHECK(final_loss(BatchPolicy::per_worker, 1e9, 1) == doctest::Approx(undisturbed));
    CHECK(final_loss(BatchPolicy::per_worker, 64, 1) > 1.01 * undisturbed);
    CHECK(final_loss(BatchPolicy::adaptive, 64, 1) == undisturbed);
    CHECK(final_loss(BatchPolicy::adaptive, 64, 1000) < final_loss(BatchPolicy::per_worker, 64, 1000));
    CHECK(final_loss(BatchPolicy::per_worker, 64, 1000) < final_loss(BatchPolicy::per_worker, 64, 1));
}
