#include "scheduler/samplers/results.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "scheduler/loss.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Rungs 1, 2, 4.
SweepSpec asha_spec() {
    auto spec = spec_of(SchedulerKind::asha, /*run_cap=*/9, /*max=*/4);
    spec.space = SearchSpace({{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}, "x < 0.5"}});
    return spec;
}

Trial started_at(int id, double x = 0.75) {
    Trial trial;
    trial.id = TrialId{id};
    trial.config = {{"x", x}};
    return trial;
}

Trial reported(int id, int resource, double loss) {
    auto trial = started_at(id);
    trial.resource = Resource{resource};
    trial.loss = finite_or_worst(loss);
    return trial;
}

Trial ended(Trial trial, StopReason reason) {
    trial.reason = reason;
    trial.status = status_after(reason);
    return trial;
}

}  // namespace

TEST_CASE("a trial counts once at each rung, with its first loss there") {
    Results results(asha_spec());
    for (const auto& trial : {reported(0, 1, 0.5), reported(0, 1, 0.5), reported(0, 3, 0.4), reported(1, 1, 0.3)}) {
        results.tell(trial);
    }

    CHECK(results.highest_ranking(3) == nullptr);
    CHECK(results.highest_ranking(2)->best == std::vector<Results::Loss>{{0.3, 1}, {0.5, 0}});
    CHECK(results.highest_ranking(1)->best == std::vector<Results::Loss>{{0.4, 0}});
}

TEST_CASE("a ranking has all losses in the order of their arrival, and the best 32 sorted") {
    Results results(asha_spec());
    for (int id = 0; id < 50; ++id) {
        results.tell(reported(id, 1, (id * 7) % 50));
    }
    const auto& ranking = *results.highest_ranking(50);

    REQUIRE(ranking.losses.size() == 50);
    CHECK(ranking.losses[3] == Results::Loss{21, 3});
    REQUIRE(ranking.best.size() == 32);
    for (int rank = 0; rank < 32; ++rank) {
        CHECK(ranking.best[static_cast<std::size_t>(rank)].loss == rank);
    }
}

TEST_CASE("a complete trial counts at all rungs, but a diverged one does not count towards enough results") {
    Results results(asha_spec());
    results.tell(ended(reported(0, 1, 0.5), StopReason::completed));
    results.tell(reported(1, 4, std::numeric_limits<double>::quiet_NaN()));

    CHECK(results.highest_ranking(1)->losses.size() == 2);
    CHECK(results.highest_ranking(1)->num_finite == 1);
    CHECK(results.highest_ranking(2) == nullptr);
}

TEST_CASE("a trial that stops improving or runs out of time counts with its last loss only without rungs") {
    auto fifo = asha_spec();
    fifo.scheduler.kind = SchedulerKind::fifo;
    for (const auto reason : {StopReason::no_progress, StopReason::timed_out, StopReason::reached}) {
        Results of_fifo(fifo);
        Results of_asha(asha_spec());
        for (auto* results : {&of_fifo, &of_asha}) {
            results->tell(reported(0, 1, 0.5));
            results->tell(ended(reported(0, 3, 0.4), reason));
        }

        CHECK(of_fifo.highest_ranking(1)->best == std::vector<Results::Loss>{{0.4, 0}});
        CHECK(of_asha.highest_ranking(1)->rung == (reason == StopReason::reached ? 2 : 1));
    }
}

TEST_CASE("a trial is lost if its user stops it or its time is up before it reports, but not if its sweep ends") {
    Results results(asha_spec());
    results.tell(reported(0, 4, 0.5));
    results.tell(ended(reported(1, 1, 0.4), StopReason::requested));
    results.tell(ended(started_at(2), StopReason::timed_out));
    results.tell(ended(reported(3, 1, 0.4), StopReason::swept));
    const auto& last_rung = *results.highest_ranking(1);

    CHECK(last_rung.losses.size() == 1);
    CHECK(results.is_settled(1, last_rung));
    CHECK(results.is_settled(2, last_rung));
    CHECK_FALSE(results.is_settled(3, last_rung));
}

TEST_CASE("a trial is pending until its first rung, and settled at a rung once it reaches it or loses below it") {
    Results results(asha_spec());
    results.tell(reported(0, 2, 0.5));
    results.tell(started_at(1));
    const auto& second_rung = *results.highest_ranking(1);

    CHECK(results.is_settled(0, second_rung));
    CHECK(results.is_pending(1));
    CHECK(!results.is_settled(1, second_rung));
    results.tell(reported(1, 1, 0.7));
    CHECK(!results.is_pending(1));
    CHECK(!results.is_settled(1, second_rung));
    results.tell(ended(reported(1, 1, 0.7), StopReason::judged));
    CHECK(results.is_settled(1, second_rung));
}

TEST_CASE("a trial that is paused at a lower rung is settled so far, until it runs again") {
    Results results(asha_spec());
    results.tell(reported(0, 2, 0.5));
    const auto& ranking = *results.highest_ranking(1);
    auto trial = reported(1, 1, 0.6);
    trial.status = TrialStatus::paused;

    results.tell(trial);
    CHECK(results.is_settled_so_far(1, ranking));
    CHECK_FALSE(results.is_settled(1, ranking));
    CHECK(results.is_running(1));

    results.tell(reported(1, 1, 0.6));
    CHECK_FALSE(results.is_settled_so_far(1, ranking));
}

TEST_CASE("the point of a trial follows its configuration and marks absent parameters") {
    Results results(asha_spec());
    results.tell(started_at(0));
    CHECK(results.point(0)[0] == 0.75);
    CHECK(results.point(0)[1] == Results::absent);
    auto proposed = started_at(0, /*x=*/0.25);
    proposed.config.emplace_back("y", 0.5);
    proposed.is_proposed = true;
    results.tell(proposed);

    CHECK(results.point(0)[0] == 0.25);
    CHECK(results.point(0)[1] == 0.5);
}

TEST_CASE("without early stopping, only the final losses of trials count") {
    auto spec = asha_spec();
    spec.scheduler.kind = SchedulerKind::fifo;
    Results results(spec);
    results.tell(reported(0, 3, 0.5));
    CHECK(results.highest_ranking(1) == nullptr);
    results.tell(reported(0, 4, 0.4));
    results.tell(ended(reported(1, 2, 0.3), StopReason::no_progress));

    CHECK(results.highest_ranking(1)->best == std::vector<Results::Loss>{{0.3, 1}, {0.4, 0}});
}

TEST_CASE("without a max, trials count at the rungs where they are judged, and at higher ones once they are complete") {
    auto spec = asha_spec();
    spec.scheduler.max = unlimited_resource;
    Results results(spec);
    results.tell(ended(reported(0, 1, 0.5), StopReason::judged));
    results.tell(reported(1, 2, 0.4));
    CHECK(results.highest_ranking(2)->rung == 0);
    CHECK(results.highest_ranking(1)->best == std::vector<Results::Loss>{{0.4, 1}});
    results.tell(ended(reported(1, 3, 0.3), StopReason::completed));

    CHECK(results.highest_ranking(1)->best == std::vector<Results::Loss>{{0.3, 1}});
    CHECK(results.is_settled(0, *results.highest_ranking(1)));
}

TEST_CASE("trials of earlier sweeps come first and count at the rungs that they reached") {
    auto spec = asha_spec();
    spec.warm_start = {{{{"x", 0.25}}, {{Resource{1}, 0.5}, {Resource{9}, 0.2}}, false, true},
                       {{{"x", 0.5}, {"y", 0.5}}, {{Resource{2}, 0.1}}, true, false},
                       {{}, {{Resource{2}, worst_loss}}, false, true}};
    Results results(spec);

    CHECK(results.num_trials() == 3);
    CHECK(results.point(1)[1] == 0.5);
    CHECK(results.point(2)[0] == Results::absent);
    CHECK(results.highest_ranking(2)->best == std::vector<Results::Loss>{{0.1, 1}, {0.2, 0}, {worst_loss, 2}});
    CHECK(results.highest_ranking(1)->best == std::vector<Results::Loss>{{0.2, 0}});
    CHECK(results.is_settled(1, *results.highest_ranking(1)));
    CHECK(!results.is_settled(2, *results.highest_ranking(1)));
    CHECK(!results.is_pending(1));

    results.tell(reported(0, 4, 0.3));
    CHECK(results.highest_ranking(2)->best == std::vector<Results::Loss>{{0.2, 0}, {0.3, 3}});
    CHECK(results.highest_ranking(2)->num_own == 1);
}

TEST_CASE("without a maximum, an earlier trial counts with its last loss if its program ended") {
    auto spec = asha_spec();
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = unlimited_resource;
    spec.warm_start = {{{{"x", 0.25}}, {{Resource{1}, 0.5}, {Resource{9}, 0.2}}, false, true},
                       {{{"x", 0.5}}, {{Resource{1}, 0.1}}, false, false}};

    CHECK(Results(spec).highest_ranking(1)->best == std::vector<Results::Loss>{{0.2, 0}});
}
