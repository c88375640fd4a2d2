#include "scheduler/growth/growth.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <set>
#include <tuple>

using namespace crescendo;

namespace {

/// Trials on one worker each, with a batch of 128. Every unit of resource takes 100 steps.
struct Trials {
    explicit Trials(GrowWhen when, BatchPolicy batch = BatchPolicy::global, int max = 64,
                    std::optional<double> expected_regroup = {})
        : growth([&] {
              SchedulerSpec spec;
              spec.max = Resource{max};
              spec.grow_when = when;
              spec.batch = batch;
              spec.expected_regroup = expected_regroup;
              return spec;
          }()) {}

    Growth growth;

    static Trial make(int id) {
        Trial trial;
        trial.id = TrialId{id};
        trial.group.slots.resize(1);
        return trial;
    }

    /// The trial reports one more unit of resource, which took `overhead` seconds in addition to its steps.
    void report(Trial& trial, double step_seconds, double overhead = 0, std::optional<double> noise_scale = {}) {
        const double clock = trial.seconds.value_or(0) + 100 * step_seconds + overhead;
        const Resource next{trial.resource.value + 1};
        const double samples = 128.0 * trial.group.batch.multiple;
        growth.note(trial, {trial.id, next, 0.5, clock, {step_seconds, samples, noise_scale}});
        trial.resource = next;
        trial.seconds = clock;
    }

    void resize(Trial& trial, std::size_t size) {
        growth.note_growth(trial, static_cast<int>(size));
        trial.group.slots.resize(size);
        ++trial.group.generation;
    }

    void regrouped(const Trial& trial, double seconds, std::optional<double> step_seconds = {}) {
        growth.note(trial, TrialRegrouped{trial.id, trial.group.generation, seconds, step_seconds});
    }

    /// The trial reports the times of its first steps, before its first report.
    void timed(const Trial& trial, double step_seconds, std::optional<double> samples_per_resource = {}) {
        growth.note(
            trial,
            TrialTimed{trial.id, trial.group.generation, {step_seconds, 128.0, std::nullopt}, samples_per_resource});
    }

    int choose(const Trial& trial, const std::vector<int>& sizes) { return growth.choose(trial, sizes); }
};

/// Two trials whose first steps took equally long.
struct TwoTrials : Trials {
    template <class... Options>
    explicit TwoTrials(Options... options) : Trials(options...) {
        report(first, 1.0);
        report(second, 1.0);
    }

    Trial first = make(0);
    Trial second = make(1);
};

}  // namespace

TEST_CASE("always takes the largest size on offer") {
    Trials trials(GrowWhen::always);
    auto trial = Trials::make(0);
    trials.report(trial, 1.0);
    trials.resize(trial, 2);
    trials.report(trial, 1.0);

    CHECK(trials.choose(trial, {4, 8}) == 8);
}

TEST_CASE("trials without step times grow as usual") {
    Trials trials(GrowWhen::goodput);

    CHECK(trials.choose(Trials::make(0), {2}) == 2);
    CHECK(trials.choose(Trials::make(1), {2}) == 2);
}

TEST_CASE("a size that no trial has measured is tried") {
    TwoTrials trials(GrowWhen::faster);

    CHECK(trials.choose(trials.first, {2}) == 2);
    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("after a trial has grown in vain, no trial grows to that size or beyond") {
    TwoTrials trials(GrowWhen::faster);
    trials.resize(trials.first, 2);
    trials.report(trials.first, 1.0);

    CHECK(trials.choose(trials.second, {2}) == 1);
    CHECK(trials.choose(trials.second, {2, 4}) == 1);  // nor goes beyond
    CHECK(trials.choose(trials.first, {4}) == 2);
}

TEST_CASE("a straggling step in the first try of a size does not keep other trials from growing") {
    TwoTrials trials(GrowWhen::goodput, BatchPolicy::global, /*max=*/64, /*expected_regroup=*/10.0);
    auto third = Trials::make(2);
    trials.report(third, 1.0);
    trials.resize(trials.first, 2);
    trials.regrouped(trials.first, 10, 3.0);

    CHECK(trials.choose(trials.second, {2}) == 2);
    trials.resize(trials.second, 2);
    CHECK(trials.choose(third, {2}) == 1);  // one tries again, and the others wait
    trials.regrouped(trials.second, 10, 0.6);
    for (int i = 0; i < 3; ++i) {
        trials.report(trials.second, 0.6);  // until the straggler falls outside the middle half
    }
    CHECK(trials.choose(third, {2}) == 2);
}

TEST_CASE("a size that makes trials slower is tried twice but not a third time") {
    TwoTrials trials(GrowWhen::faster);
    for (auto* trial : {&trials.first, &trials.second}) {
        trials.resize(*trial, 2);
        trials.report(*trial, 1.5);
    }
    auto third = Trials::make(2);
    trials.report(third, 1.0);

    CHECK(trials.choose(third, {2}) == 1);
}

TEST_CASE("without second tries, a size that makes a trial slower is not tried again") {
    SchedulerSpec spec;
    spec.max = Resource{64};
    spec.grow_when = GrowWhen::faster;
    spec.second_try = Switch::off;
    Trials trials(GrowWhen::faster);
    trials.growth = Growth(spec);
    auto first = Trials::make(0);
    auto second = Trials::make(1);
    trials.report(first, 1.0);
    trials.report(second, 1.0);
    trials.resize(first, 2);
    trials.report(first, 3.0);

    CHECK(trials.choose(second, {2}) == 1);
}

TEST_CASE("after a gain, the next size is tried if a further gain is within the error of its prediction") {
    const auto choose = [](GrowWhen when, HopefulTries hopeful, double seconds_of_two) {
        SchedulerSpec spec;
        spec.max = Resource{64};
        spec.grow_when = when;
        spec.hopeful_tries = hopeful;
        Trials trials(when);
        trials.growth = Growth(spec);
        auto first = Trials::make(0);
        trials.report(first, 1.0);
        trials.resize(first, 2);
        trials.report(first, seconds_of_two);
        auto second = Trials::make(1);
        trials.report(second, 1.0);
        return std::pair{trials.choose(first, {4}), trials.choose(second, {2, 4, 8})};
    };

    for (const auto hopeful : {HopefulTries::on, HopefulTries::after_gain}) {
        CHECK(choose(GrowWhen::goodput, hopeful, 0.8) == std::pair{4, 4});  // not 8, about which even less is known
        CHECK(choose(GrowWhen::faster, hopeful, 0.8) == std::pair{2, 2});   // it would never return to 2
        CHECK(choose(GrowWhen::goodput, hopeful, 1.0) == std::pair{2, 1});  // two workers bring nothing
    }
    CHECK(choose(GrowWhen::goodput, HopefulTries::off, 0.8) == std::pair{2, 2});  // as in older sweeps
}

TEST_CASE("a trial with many workers that bring nothing does not try even more") {
    const auto choose = [](HopefulTries hopeful, double seconds_of_four) {
        SchedulerSpec spec;
        spec.max = Resource{64};
        spec.grow_when = GrowWhen::goodput;
        spec.hopeful_tries = hopeful;
        Trials trials(GrowWhen::goodput);
        trials.growth = Growth(spec);
        auto trial = Trials::make(0);
        for (const auto& [size, seconds] : {std::pair{1, 1.0}, {2, 1.0}, {4, seconds_of_four}}) {
            trials.resize(trial, static_cast<std::size_t>(size));
            trials.report(trial, seconds);
        }
        return trials.choose(trial, {8});
    };

    CHECK(choose(HopefulTries::after_gain, 1.0) == 4);
    CHECK(choose(HopefulTries::on, 1.0) == 8);  // as in older sweeps
    CHECK(choose(HopefulTries::after_gain, 0.9) == 8);
}

TEST_CASE("a trial takes the smallest of the fastest sizes on offer") {
    Trials trials(GrowWhen::faster);
    auto first = Trials::make(0);
    trials.report(first, 1.0);
    for (const auto& [size, seconds] : {std::pair{2, 0.5}, {4, 0.25}, {8, 0.25}}) {
        trials.resize(first, static_cast<std::size_t>(size));
        trials.report(first, seconds);
    }
    auto second = Trials::make(1);
    trials.report(second, 1.0);

    CHECK(trials.choose(second, {2, 4, 8}) == 4);
}

TEST_CASE("goodput grows a trial only if that saves more time than a regroup costs") {
    for (const int max : {3, 4}) {
        Trials trials(GrowWhen::goodput, BatchPolicy::global, max);
        auto first = Trials::make(0);
        trials.report(first, 1.0);
        trials.resize(first, 2);
        trials.report(first, 0.5, /*overhead=*/120);
        auto second = Trials::make(1);
        trials.report(second, 1.0);  // at resource 1, of 100 s each; two workers save half of that

        CHECK(trials.choose(second, {2}) == (max == 3 ? 1 : 2));  // saves 100 s, or 150 s
    }
}

TEST_CASE("a batch far beyond the noise scale is worth little") {
    // Twice the workers take twice the batch in the same time.
    Trials trials(GrowWhen::goodput, BatchPolicy::per_worker);
    auto first = Trials::make(0);
    trials.report(first, 1.0);
    trials.resize(first, 2);
    first.group.batch.multiple = 2;
    trials.report(first, 1.0);
    auto noisy = Trials::make(1);
    trials.report(noisy, 1.0, 0, /*noise_scale=*/12800);
    auto quiet = Trials::make(2);
    trials.report(quiet, 1.0, 0, /*noise_scale=*/1);

    CHECK(trials.choose(noisy, {2}) == 2);  // 2 * (12800 + 128) / (12800 + 256) = 1.98
    CHECK(trials.choose(quiet, {2}) == 1);  // 2 * (1 + 128) / (1 + 256) = 1.004
}

TEST_CASE("a trial that grew in vain is known to be as fast with fewer workers") {
    Trials trials(GrowWhen::goodput);
    auto vain = Trials::make(0);
    trials.report(vain, 1.0);
    CHECK_FALSE(trials.growth.is_as_fast_with(vain, 1));
    trials.resize(vain, 2);
    trials.report(vain, 1.0);

    CHECK(trials.growth.is_as_fast_with(vain, 1));
    CHECK_FALSE(Trials(GrowWhen::always).growth.is_as_fast_with(vain, 1));
}

TEST_CASE("while one trial tries a size at a cost, the others wait for its result") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);

    CHECK(trials.choose(trials.second, {2}) == 1);  // the cost of a regroup is still unknown
    CHECK(trials.growth.wants(trials.second, {2}));
    trials.regrouped(trials.first, 30);
    CHECK(trials.choose(trials.second, {2}) == 1);  // 30 s of the 6300 s that it has left
    trials.report(trials.first, 0.5, /*overhead=*/30);
    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("the first steps after a regroup end a try before the next report") {
    for (const double together : {0.5, 1.0}) {
        TwoTrials trials(GrowWhen::goodput);
        trials.resize(trials.first, 2);
        trials.regrouped(trials.first, 30, together);

        CHECK(trials.choose(trials.second, {2}) == (together == 0.5 ? 2 : 1));
    }
}

TEST_CASE("trials that waited for a try may choose again when it ends, if they regroup in memory") {
    for (const auto& expected : {std::optional<double>{}, {30.0}}) {
        TwoTrials trials(GrowWhen::goodput, BatchPolicy::global, /*max=*/64, expected);
        trials.resize(trials.first, 2);
        trials.choose(trials.second, {2});

        CHECK(trials.growth.take_waiting().empty());  // the try continues
        trials.regrouped(trials.first, 30, 0.5);
        CHECK(trials.growth.take_waiting() == (expected ? std::set{trials.second.id} : std::set<TrialId>{}));
        CHECK(trials.growth.take_waiting().empty());  // reported only once
    }
}

TEST_CASE("a trial that reports or leaves its slots stops waiting for a try") {
    for (const bool reports : {true, false}) {
        TwoTrials trials(GrowWhen::goodput, BatchPolicy::global, /*max=*/64, /*expected=*/30.0);
        trials.resize(trials.first, 2);
        trials.choose(trials.second, {2});
        if (reports) {
            trials.report(trials.second, 1.0);
        } else {
            trials.growth.forget(trials.second.id);
        }
        trials.regrouped(trials.first, 30, 0.5);

        CHECK(trials.growth.take_waiting().empty());
    }
}

TEST_CASE("trials may try a size side by side once a regroup is known to cost next to nothing") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);
    trials.regrouped(trials.first, 0.1);

    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("a report without step times ends a try, so no trial waits forever") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);
    CHECK(trials.choose(trials.second, {2}) == 1);
    trials.growth.note(trials.first, TrialReported{trials.first.id, Resource{2}, 0.5});

    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("a trial that leaves its slots ends its try") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);
    trials.growth.forget(trials.first.id);

    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("the reported cost of a regroup counts once, instead of the cost that the clock suggests") {
    using Told = std::optional<double>;
    for (const auto& [told, by_clock, chosen] :
         {std::tuple(Told(), 120.0, 1), {Told(1.0), 120.0, 2}, {Told(1000.0), 0.0, 1}}) {
        Trials trials(GrowWhen::goodput, BatchPolicy::global, /*max=*/3);
        auto first = Trials::make(0);
        trials.report(first, 1.0);
        trials.resize(first, 2);
        if (told) {
            trials.regrouped(first, *told);
            trials.regrouped(first, 1);
        }
        trials.report(first, 0.5, /*overhead=*/by_clock);
        auto second = Trials::make(1);
        trials.report(second, 1.0);

        CHECK(trials.choose(second, {2}) == chosen);  // two workers save 100 s
    }
}

TEST_CASE("an impossible or outdated time of a regroup is ignored") {
    Trials trials(GrowWhen::goodput, BatchPolicy::global, /*max=*/3);
    auto first = Trials::make(0);
    trials.report(first, 1.0);
    trials.resize(first, 2);
    for (const double seconds :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        trials.regrouped(first, seconds);
    }
    trials.growth.note(first, TrialRegrouped{first.id, /*generation=*/0, 1000.0});
    trials.regrouped(Trials::make(7), 1000);
    trials.report(first, 0.5);
    auto second = Trials::make(1);
    trials.report(second, 1.0);

    CHECK(trials.choose(second, {2}) == 2);
}

TEST_CASE("a regroup costs what the launcher expects until one is measured") {
    for (const double expected : {0.1, 30.0}) {
        TwoTrials trials(GrowWhen::goodput, BatchPolicy::global, /*max=*/64, expected);
        trials.resize(trials.first, 2);

        CHECK(trials.choose(trials.second, {2}) == (expected == 0.1 ? 2 : 1));  // together with the first, or after it
        trials.regrouped(trials.first, 30.1 - expected);
        CHECK(trials.choose(trials.second, {2}) == (expected == 0.1 ? 1 : 2));
    }
}

TEST_CASE(
    "an adaptive batch doubles with the group while a sample is worth at least four fifths of one in the first batch") {
    for (const auto& [noise, multiple] :
         {std::pair{0.0, 1}, {100.0, 1}, {383.0, 1}, {385.0, 2}, {1407.0, 2}, {1409.0, 4}, {1e9, 4}}) {
        CAPTURE(noise);
        Trials trials(GrowWhen::always, BatchPolicy::adaptive);
        auto trial = Trials::make(0);
        CHECK(trials.growth.batch_multiple(trial, 8) == 1);  // nothing is known yet
        trials.report(trial, 1.0, 0, noise);

        CHECK(trials.growth.batch_multiple(trial, 1) == 1);
        CHECK(trials.growth.batch_multiple(trial, 4) == multiple);
        CHECK(trials.growth.batch_multiple(trial, 7) == multiple);
    }
}

TEST_CASE("an adaptive batch that has grown shrinks only with its group") {
    Trials trials(GrowWhen::always, BatchPolicy::adaptive);
    auto trial = Trials::make(0);
    trials.report(trial, 1.0, 0, 500);
    trials.resize(trial, 4);
    trial.group.batch.multiple = trials.growth.batch_multiple(trial, 4);
    CHECK(trial.group.batch.multiple == 2);
    trials.report(trial, 0.5, 0, 10);

    CHECK(trials.growth.batch_multiple(trial, 4) == 2);
    CHECK(trials.growth.batch_multiple(trial, 1) == 1);
    trials.report(trial, 0.5, 0, 5000);
    CHECK(trials.growth.batch_multiple(trial, 4) == 4);
}

TEST_CASE("an adaptive batch does not grow if reports have no noise scale or no sample count") {
    Trials trials(GrowWhen::always, BatchPolicy::adaptive);
    auto silent = Trials::make(0);
    trials.report(silent, 1.0);
    CHECK(trials.growth.batch_multiple(silent, 4) == 1);

    auto unitless = Trials::make(1);
    trials.growth.note(unitless, {unitless.id, Resource{1}, 0.5, 100.0, {1.0, std::nullopt, 1e9}});
    CHECK(trials.growth.batch_multiple(unitless, 4) == 1);
}

TEST_CASE("the first steps of a trial count like those of a report") {
    Trials trials(GrowWhen::goodput);
    auto first = Trials::make(0);
    trials.timed(first, 1.0);
    CHECK(trials.growth.is_timed(first.id));
    CHECK(trials.choose(first, {2}) == 2);  // a try
    trials.resize(first, 2);
    trials.regrouped(first, 0.1, 1.0);
    auto second = Trials::make(1);
    trials.timed(second, 1.0);

    CHECK(trials.choose(second, {2}) == 1);  // in vain
    CHECK(trials.growth.measured_speedup(first.id) == doctest::Approx(1.0));
}

TEST_CASE(
    "before its first report, a trial tries nothing while another trial tries, even if regroups cost almost nothing") {
    Trials trials(GrowWhen::goodput, BatchPolicy::global, 64, /*expected_regroup=*/1e-6);
    auto first = Trials::make(0);
    auto second = Trials::make(1);
    trials.timed(first, 1.0);
    trials.timed(second, 1.0);
    trials.resize(first, 2);
    CHECK(trials.choose(second, {2}) == 1);

    trials.regrouped(first, 0.1, 0.5);
    CHECK(trials.growth.take_waiting() == std::set{second.id});
    CHECK(trials.choose(second, {2}) == 2);
}

TEST_CASE("before its first report, a trial's remaining time is estimated from other trials") {
    for (const int max : {3, 4}) {
        Trials trials(GrowWhen::goodput, BatchPolicy::global, max);
        auto first = Trials::make(0);
        trials.report(first, 1.0);
        trials.resize(first, 2);
        trials.regrouped(first, /*seconds=*/160, 0.5);
        auto second = Trials::make(1);
        trials.timed(second, 1.0);  // two workers save half of 100 s in each unit of resource

        CHECK(trials.choose(second, {2}) == (max == 3 ? 1 : 2));
    }
}

TEST_CASE("a trial that reports its number of samples weighs the cost of a regroup before any trial has reported") {
    for (const int max : {3, 4}) {
        Trials trials(GrowWhen::goodput, BatchPolicy::global, max, /*expected_regroup=*/160);
        auto trial = Trials::make(0);
        trials.timed(trial, 1.0, /*samples_per_resource=*/100 * 128);  // two workers save at most half of 100 s in each

        CHECK(trials.choose(trial, {2}) == (max == 3 ? 1 : 2));
    }
    for (const double no_number : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        Trials trials(GrowWhen::goodput, BatchPolicy::global, 3, /*expected_regroup=*/160);
        auto trial = Trials::make(0);
        trials.timed(trial, 1.0, no_number);

        CHECK(trials.choose(trial, {2}) == 2);
    }
}

TEST_CASE("until one trial has reported, trials do not try sizes side by side, however long they train") {
    Trials trials(GrowWhen::goodput, BatchPolicy::global, 64, /*expected_regroup=*/3);
    auto first = Trials::make(0);
    auto second = Trials::make(1);
    trials.timed(first, 1.0, /*samples_per_resource=*/100 * 128);  // 6,400 s
    trials.timed(second, 1.0, /*samples_per_resource=*/100 * 128);
    trials.resize(first, 2);
    CHECK(trials.choose(second, {2}) == 1);

    auto third = Trials::make(2);
    trials.report(third, 1.0);
    CHECK(trials.choose(second, {2}) == 2);  // a try costs next to nothing
}

TEST_CASE("first steps are ignored if they are outdated, incomplete, invalid or come after a report") {
    Trials trials(GrowWhen::goodput);
    auto trial = Trials::make(0);
    trial.group.generation = 1;
    for (const auto& timed : {TrialTimed{trial.id, 0, {1.0, 128.0, {}}}, TrialTimed{trial.id, 1, {1.0, {}, {}}},
                              TrialTimed{trial.id, 1, {{}, 128.0, {}}}, TrialTimed{trial.id, 1, {-1.0, 128.0, {}}},
                              TrialTimed{trial.id, 1, {1.0, std::numeric_limits<double>::infinity(), {}}}}) {
        trials.growth.note(trial, timed);
        CHECK_FALSE(trials.growth.is_timed(trial.id));
    }
    trials.report(trial, 1.0);
    trials.timed(trial, 1.0);

    CHECK_FALSE(trials.growth.is_timed(trial.id));
}

TEST_CASE("first steps of a restarted trial count as news but do not replace its earlier times") {
    Trials trials(GrowWhen::goodput);
    auto trial = Trials::make(0);
    const auto tell = [&](double step_seconds) {
        return trials.growth.note(trial, TrialTimed{trial.id, trial.group.generation, {step_seconds, 128.0, {}}});
    };
    CHECK(tell(1.0));
    CHECK_FALSE(tell(1.0));  // twice

    trials.resize(trial, 2);
    trials.regrouped(trial, 0.1, 0.5);
    ++trial.group.generation;  // it lost all workers, and began again
    CHECK(tell(9.0));
    CHECK(trials.growth.measured_speedup(trial.id) == doctest::Approx(2.0));
}

TEST_CASE("the fastest size of a trial that grew in vain is a measured size, not one in between") {
    Trials trials(GrowWhen::goodput);
    auto trial = Trials::make(0);
    trials.timed(trial, 1.0);
    trials.resize(trial, 2);
    trials.regrouped(trial, 0.1, 0.6);
    CHECK(trials.growth.fastest_size(trial, 1) == 2);
    trials.resize(trial, 4);
    CHECK(trials.growth.fastest_size(trial, 1) == 4);  // not measured yet
    trials.regrouped(trial, 0.1, 0.9);

    CHECK(trials.growth.fastest_size(trial, 1) == 2);
    CHECK(trials.growth.fastest_size(trial, 3) == 4);
    CHECK(trials.growth.fastest_size(trial, 4) == 4);
}

TEST_CASE("the adaptive batch of a trial with timed first steps does not grow before its first rung") {
    Trials trials(GrowWhen::goodput, BatchPolicy::adaptive);
    auto trial = Trials::make(0);
    trials.timed(trial, 1.0);
    trials.resize(trial, 2);
    trials.report(trial, 0.5, 0, 1e9);
    CHECK(trials.growth.batch_multiple(trial, 2) == 1);

    trial.rungs_survived = 1;
    CHECK(trials.growth.batch_multiple(trial, 2) == 2);
}

TEST_CASE("a report without a batch uses the batch of the first steps") {
    Trials trials(GrowWhen::goodput);
    auto trial = Trials::make(0);
    trials.timed(trial, 1.0);
    trials.resize(trial, 2);
    trials.regrouped(trial, 0.1, 0.5);
    trials.growth.note(trial, {trial.id, Resource{1}, 0.5, 100.0, {0.5, {}, {}}});

    CHECK(trials.growth.fastest_size(trial, 1) == 2);  // 256 samples a second, not 2
    CHECK(trials.growth.measured_speedup(trial.id) == doctest::Approx(2.0));
}
