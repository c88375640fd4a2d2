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

    /// The trial reports after one more unit of resource, and took `overhead` seconds beside its steps.
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

    /// The trial tells of its first steps, before its first report.
    void timed(const Trial& trial, double step_seconds, std::optional<double> samples_per_resource = {}) {
        growth.note(
            trial,
            TrialTimed{trial.id, trial.group.generation, {step_seconds, 128.0, std::nullopt}, samples_per_resource});
    }

    int choose(const Trial& trial, const std::vector<int>& sizes) { return growth.choose(trial, sizes); }
};

/// Two trials that took equally long for their first steps.
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

TEST_CASE("always takes what is offered") {
    Trials trials(GrowWhen::always);
    auto trial = Trials::make(0);
    trials.report(trial, 1.0);
    trials.resize(trial, 2);
    trials.report(trial, 1.0);

    CHECK(trials.choose(trial, {4, 8}) == 8);
}

TEST_CASE("a sweep whose reports have no step times grows as ever") {
    Trials trials(GrowWhen::goodput);

    CHECK(trials.choose(Trials::make(0), {2}) == 2);
    CHECK(trials.choose(Trials::make(1), {2}) == 2);
}

TEST_CASE("what nobody measured is tried") {
    TwoTrials trials(GrowWhen::faster);

    CHECK(trials.choose(trials.first, {2}) == 2);
    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("once a trial has grown in vain, no other repeats it") {
    TwoTrials trials(GrowWhen::faster);
    trials.resize(trials.first, 2);
    trials.report(trials.first, 1.0);

    CHECK(trials.choose(trials.second, {2}) == 1);
    CHECK(trials.choose(trials.second, {2, 4}) == 1);  // nor goes beyond
    CHECK(trials.choose(trials.first, {4}) == 2);
}

TEST_CASE("a step that straggles as the first trial tries a size keeps no other from growing") {
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
        trials.report(trials.second, 0.6);  // until the straggler is outside of the middle half
    }
    CHECK(trials.choose(third, {2}) == 2);
}

TEST_CASE("a size that makes trials slower is tried twice, and not a third time") {
    TwoTrials trials(GrowWhen::faster);
    for (auto* trial : {&trials.first, &trials.second}) {
        trials.resize(*trial, 2);
        trials.report(*trial, 1.5);
    }
    auto third = Trials::make(2);
    trials.report(third, 1.0);

    CHECK(trials.choose(third, {2}) == 1);
}

TEST_CASE("a size that makes a trial slower is not tried again in a sweep that began when none was") {
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

TEST_CASE("a size after a gain is tried if only the error of its prediction leaves room for another gain") {
    const auto choose = [](GrowWhen when, Switch hopeful, double seconds_of_two) {
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

    CHECK(choose(GrowWhen::goodput, Switch::on, 0.8) == std::pair{4, 4});   // not 8, of which even less is known
    CHECK(choose(GrowWhen::goodput, Switch::off, 0.8) == std::pair{2, 2});  // as in sweeps that began before
    CHECK(choose(GrowWhen::faster, Switch::on, 0.8) == std::pair{2, 2});    // nobody would return
    CHECK(choose(GrowWhen::goodput, Switch::on, 1.0) == std::pair{2, 1});   // two workers bring nothing
}

TEST_CASE("a trial takes as many of the workers on offer as make it faster") {
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

TEST_CASE("goodput grows only where it saves more time than a regroup costs") {
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

TEST_CASE("workers that do not make a trial faster are known as such") {
    Trials trials(GrowWhen::goodput);
    auto vain = Trials::make(0);
    trials.report(vain, 1.0);
    CHECK_FALSE(trials.growth.is_as_fast_with(vain, 1));
    trials.resize(vain, 2);
    trials.report(vain, 1.0);

    CHECK(trials.growth.is_as_fast_with(vain, 1));
    CHECK_FALSE(Trials(GrowWhen::always).growth.is_as_fast_with(vain, 1));
}

TEST_CASE("while one trial tries a size that costs something, the others wait for what it tells") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);

    CHECK(trials.choose(trials.second, {2}) == 1);  // nobody knows what a regroup costs
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

        CHECK(trials.growth.take_waiting().empty());  // the try goes on
        trials.regrouped(trials.first, 30, 0.5);
        CHECK(trials.growth.take_waiting() == (expected ? std::set{trials.second.id} : std::set<TrialId>{}));
        CHECK(trials.growth.take_waiting().empty());  // told once
    }
}

TEST_CASE("a trial that reports, or leaves its slots, waits for no try any more") {
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

TEST_CASE("a report without step times ends a try, so that nobody waits for ever") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);
    CHECK(trials.choose(trials.second, {2}) == 1);
    trials.growth.note(trials.first, TrialReported{trials.first.id, Resource{2}, 0.5});

    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("a trial that leaves its slots tries nothing any more") {
    TwoTrials trials(GrowWhen::goodput);
    trials.resize(trials.first, 2);
    trials.growth.forget(trials.first.id);

    CHECK(trials.choose(trials.second, {2}) == 2);
}

TEST_CASE("what a regroup is told to cost counts instead of what the clock suggests, and once") {
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

TEST_CASE("a regroup that cannot be, or is not the present one, tells nothing") {
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

        CHECK(trials.choose(trials.second, {2}) == (expected == 0.1 ? 2 : 1));  // beside the first, or after it
        trials.regrouped(trials.first, 30.1 - expected);
        CHECK(trials.choose(trials.second, {2}) == (expected == 0.1 ? 1 : 2));
    }
}

TEST_CASE("an adaptive batch doubles with the group while samples stay worth four fifths of those in the first") {
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

TEST_CASE("an adaptive batch that has grown stays, unless the group shrinks") {
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

TEST_CASE("an adaptive batch stays where reports tell no noise scale, or not in samples") {
    Trials trials(GrowWhen::always, BatchPolicy::adaptive);
    auto silent = Trials::make(0);
    trials.report(silent, 1.0);
    CHECK(trials.growth.batch_multiple(silent, 4) == 1);

    auto unitless = Trials::make(1);
    trials.growth.note(unitless, {unitless.id, Resource{1}, 0.5, 100.0, {1.0, std::nullopt, 1e9}});
    CHECK(trials.growth.batch_multiple(unitless, 4) == 1);
}

TEST_CASE("the first steps of a trial count as those of a report") {
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

TEST_CASE("before its first report a trial tries nothing while another one tries, whatever that may cost") {
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

TEST_CASE("a trial that has not reported has as much left to train as others tell") {
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

TEST_CASE("a trial that tells how many samples it has before it asks what a change costs, before any has reported") {
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

TEST_CASE("until one has reported, trials do not try side by side, however long they say that they train") {
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

TEST_CASE("first steps change nothing if they are of an older group, without a batch, no times, or told twice") {
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

TEST_CASE("a trial that began again tells news of its new group, which its times stay for") {
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

TEST_CASE("a trial that grew in vain is fastest with workers that were measured, not with others in between") {
    Trials trials(GrowWhen::goodput);
    auto trial = Trials::make(0);
    trials.timed(trial, 1.0);
    trials.resize(trial, 2);
    trials.regrouped(trial, 0.1, 0.6);
    CHECK(trials.growth.fastest_size(trial, 1) == 2);
    trials.resize(trial, 4);
    CHECK(trials.growth.fastest_size(trial, 1) == 4);  // nobody knows yet
    trials.regrouped(trial, 0.1, 0.9);

    CHECK(trials.growth.fastest_size(trial, 1) == 2);
    CHECK(trials.growth.fastest_size(trial, 3) == 4);
    CHECK(trials.growth.fastest_size(trial, 4) == 4);
}

TEST_CASE("an adaptive batch stays before the first rung of a trial that told of its first steps") {
    Trials trials(GrowWhen::goodput, BatchPolicy::adaptive);
    auto trial = Trials::make(0);
    trials.timed(trial, 1.0);
    trials.resize(trial, 2);
    trials.report(trial, 0.5, 0, 1e9);
    CHECK(trials.growth.batch_multiple(trial, 2) == 1);

    trial.rungs_survived = 1;
    CHECK(trials.growth.batch_multiple(trial, 2) == 2);
}

TEST_CASE("reports without a batch have the one of the first steps") {
    Trials trials(GrowWhen::goodput);
    auto trial = Trials::make(0);
    trials.timed(trial, 1.0);
    trials.resize(trial, 2);
    trials.regrouped(trial, 0.1, 0.5);
    trials.growth.note(trial, {trial.id, Resource{1}, 0.5, 100.0, {0.5, {}, {}}});

    CHECK(trials.growth.fastest_size(trial, 1) == 2);  // 256 samples a second, and not 2
    CHECK(trials.growth.measured_speedup(trial.id) == doctest::Approx(2.0));
}
