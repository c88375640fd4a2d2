#include "scheduler/schedulers/repeated_asha.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

namespace {

/// Milestones 1, 2, 4 with eta 2. Two configurations of two repetitions: trials 0 and 1, 2 and 3.
struct Pairs {
    explicit Pairs(JudgedBy judge = JudgedBy::mean) : scheduler(spec_with(judge)) {
        for (int id = 0; id < 4; ++id) {
            scheduler.begin(TrialId{id});
        }
    }

    static SweepSpec spec_with(JudgedBy judge) {
        SweepSpec spec;
        spec.scheduler.kind = SchedulerKind::asha;
        spec.scheduler.max = Resource{4};
        spec.scheduler.reduction_factor = 2;
        spec.repeat = {2, judge};
        return spec;
    }
    static Trial trial(int id, int rungs_survived, int resource = 0, std::optional<double> loss = {}) {
        Trial trial;
        trial.id = TrialId{id};
        trial.rungs_survived = rungs_survived;
        trial.resource = Resource{resource};
        trial.loss = loss;
        return trial;
    }

    Judgement report(int id, int rungs_survived, int resource, double loss) {
        return scheduler.report(trial(id, rungs_survived, resource, loss));
    }
    /// Promotes the next trial, if any, and returns it.
    std::optional<TrialId> promoted() {
        const auto next = scheduler.promotable();
        if (next) {
            scheduler.promote();
        }
        return next;
    }

    RepeatedAsha scheduler;
};

}  // namespace

TEST_CASE("a repetition waits at a rung for its siblings, then all of them continue") {
    Pairs pairs;

    CHECK(pairs.report(0, 0, 1, 0.5).verdict == Verdict::pause);
    CHECK(pairs.promoted() == std::nullopt);
    const auto last = pairs.report(1, 0, 1, 0.7);

    CHECK(last.verdict == Verdict::go_on);
    CHECK(last.rungs_survived == 1);
    CHECK(pairs.promoted() == TrialId{0});
    CHECK(pairs.promoted() == std::nullopt);
    CHECK(pairs.scheduler.rungs()[0].size == 1);  // one configuration
}

TEST_CASE("a configuration that loses ends with all its repetitions") {
    Pairs pairs;
    pairs.report(0, 0, 1, 0.5);
    pairs.report(1, 0, 1, 0.7);

    CHECK(pairs.report(2, 0, 1, 0.1).verdict == Verdict::pause);
    CHECK(pairs.report(3, 0, 1, 1.2).verdict == Verdict::stop);  // (0.1 + 1.2) / 2 = 0.65 > 0.6

    CHECK(pairs.scheduler.take_eliminated() == std::vector{TrialId{2}});
    CHECK(pairs.scheduler.take_eliminated().empty());
}

TEST_CASE("a configuration is judged by its worst repetition if the sweep says so") {
    Pairs pairs{JudgedBy::worst};
    pairs.report(0, 0, 1, 0.5);
    pairs.report(1, 0, 1, 0.7);
    pairs.report(2, 0, 1, 0.6);

    CHECK(pairs.report(3, 0, 1, 0.6).verdict == Verdict::go_on);  // 0.6 < 0.7, though the means are equal

    const auto judged = pairs.scheduler.take_judged();
    REQUIRE(judged.size() == 2);
    CHECK(judged[0].configuration == TrialId{0});
    CHECK(judged[0].milestone == Resource{1});
    CHECK(judged[0].loss == 0.7);
    CHECK(judged[1].loss == 0.6);
    CHECK(pairs.scheduler.take_judged().empty());
}

TEST_CASE("no repetition waits at the maximum, and the configuration counts there once") {
    Pairs pairs;
    pairs.report(0, 0, 1, 0.5);
    pairs.report(1, 0, 1, 0.5);
    pairs.promoted();
    pairs.report(0, 1, 2, 0.4);
    pairs.report(1, 1, 2, 0.4);
    pairs.promoted();

    CHECK(pairs.report(0, 2, 4, 0.2).verdict == Verdict::complete);
    CHECK(pairs.scheduler.rungs()[2].size == 0);
    CHECK(pairs.report(1, 2, 4, 0.4).verdict == Verdict::complete);
    CHECK(pairs.scheduler.rungs()[2].size == 1);
    CHECK(pairs.scheduler.take_judged().back().loss == doctest::Approx(0.3));
}

TEST_CASE("a repetition that trained ahead waits at the first undecided rung") {
    Pairs pairs;

    CHECK(pairs.report(0, 0, 3, 0.5).verdict == Verdict::pause);  // beyond milestones 1 and 2
    CHECK(pairs.report(1, 0, 1, 0.5).verdict == Verdict::go_on);
    CHECK(pairs.promoted() == TrialId{0});
    const auto again = pairs.report(0, 1, 3, 0.5);

    CHECK(again.verdict == Verdict::pause);
    CHECK(again.rungs_survived == 1);
}

TEST_CASE("a failed repetition is left out, and one that ended by itself counts with its last loss") {
    Pairs pairs;
    pairs.report(0, 0, 1, 0.5);
    pairs.scheduler.fail(Pairs::trial(1, 0));

    CHECK(pairs.promoted() == TrialId{0});
    CHECK(pairs.scheduler.take_judged().back().loss == 0.5);

    pairs.scheduler.finish(Pairs::trial(2, 0, 1, 0.1));
    CHECK(pairs.report(3, 0, 1, 0.3).verdict == Verdict::go_on);
    CHECK(pairs.scheduler.take_judged().back().loss == doctest::Approx(0.2));
}

TEST_CASE("a retried repetition passes the rungs that were decided without it, then its siblings wait for it") {
    Pairs pairs;
    pairs.scheduler.fail(Pairs::trial(1, 0));
    CHECK(pairs.report(0, 0, 1, 0.5).verdict == Verdict::go_on);
    REQUIRE(pairs.scheduler.can_retry(Pairs::trial(1, 0)));

    pairs.scheduler.retry(Pairs::trial(1, 0));

    CHECK(pairs.report(0, 1, 2, 0.4).verdict == Verdict::pause);
    CHECK(pairs.report(1, 0, 1, 9.0).rungs_survived == 1);
    CHECK(pairs.report(1, 1, 2, 0.6).verdict == Verdict::go_on);
    CHECK(pairs.scheduler.take_judged().back().loss == doctest::Approx(0.5));
}

TEST_CASE("a repetition cannot be retried once its configuration has lost") {
    Pairs pairs;
    pairs.report(0, 0, 1, 0.1);
    pairs.report(1, 0, 1, 0.1);
    pairs.scheduler.fail(Pairs::trial(2, 0));
    CHECK(pairs.report(3, 0, 1, 0.5).verdict == Verdict::stop);

    CHECK_FALSE(pairs.scheduler.can_retry(Pairs::trial(2, 0)));
}

TEST_CASE("a configuration whose repetitions all failed counts as the worst until one is retried") {
    Pairs pairs;
    pairs.scheduler.fail(Pairs::trial(0, 0));
    CHECK(pairs.scheduler.rungs()[0].size == 0);
    pairs.scheduler.fail(Pairs::trial(1, 0));
    CHECK(pairs.scheduler.rungs()[0].size == 1);
    pairs.scheduler.end_all();
    REQUIRE(pairs.scheduler.can_retry(Pairs::trial(1, 0)));

    pairs.scheduler.retry(Pairs::trial(1, 0));

    CHECK(pairs.scheduler.rungs()[0].size == 0);
    CHECK(pairs.report(1, 0, 1, 0.5).verdict == Verdict::go_on);
}

TEST_CASE("a configuration whose repetitions all failed continues normally once all are retried") {
    Pairs pairs;
    for (const int repetition : {0, 1}) {
        pairs.scheduler.fail(Pairs::trial(repetition, 0));
    }

    for (const int repetition : {0, 1}) {
        pairs.scheduler.retry(Pairs::trial(repetition, 0));
    }

    CHECK(pairs.report(0, 0, 1, 0.5).verdict == Verdict::pause);
    CHECK(pairs.report(1, 0, 1, 0.7).verdict == Verdict::go_on);
}

TEST_CASE("a trial that is withdrawn before its promotion is not promoted") {
    Pairs pairs;
    pairs.report(0, 0, 1, 0.5);
    pairs.report(1, 0, 1, 0.7);
    REQUIRE(pairs.scheduler.promotable() == TrialId{0});

    pairs.scheduler.withdraw(Pairs::trial(0, 0, 1, 0.5));

    CHECK(pairs.scheduler.promotable() == std::nullopt);
}

TEST_CASE("siblings do not wait for a withdrawn repetition") {
    Pairs pairs;
    pairs.report(0, 0, 1, 0.5);
    pairs.report(1, 0, 1, 0.5);
    pairs.report(1, 1, 2, 0.3);  // waits at the next rung for trial 0, which waits for slots

    pairs.scheduler.withdraw(Pairs::trial(0, 0, 1, 0.5));

    CHECK(pairs.scheduler.take_judged().back().loss == doctest::Approx(0.4));
    CHECK(pairs.promoted() == TrialId{1});
}
