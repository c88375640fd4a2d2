#include "launch/view/seed_spread.hpp"

#include <doctest/doctest.h>

#include "launch/json/event_json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// Trials that report once, each on its own slot. A trial that reports at 2 has finished.
History history_of(const std::vector<std::pair<int, Json>>& reports) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = static_cast<int>(reports.size());
    spec.space = SearchSpace({{"lr", Constant{0.1}}});
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{2};
    History history(spec);
    history.apply(session_note(100.0, "host", static_cast<int>(reports.size())));
    SlotsJoined joined;
    for (int i = 0; i < static_cast<int>(reports.size()); ++i) {
        joined.slots.push_back({SlotId{i}, NodeId{0}});
    }
    Json record = launch::to_json(joined);
    record["time"] = 100.0;
    history.apply(record);
    for (int i = 0; i < static_cast<int>(reports.size()); ++i) {
        const auto& [resource, metrics] = reports[static_cast<std::size_t>(i)];
        history.apply(Json{{"event", "trial_reported"},
                           {"trial", i},
                           {"resource", resource},
                           {"loss", 0.5},
                           {"time", 101.0 + i},
                           {"metrics", metrics}});
    }
    return history;
}

}  // namespace

TEST_CASE("the spread over seeds is the sample standard deviation over finished trials") {
    const auto history = history_of({{2, {{"val", 1.0}, {"test", 4.0}}}, {2, {{"val", 3.0}}}, {1, {{"val", 99.0}}}});

    const auto table = seed_spread(history);

    // val: mean 2, squares 1 + 1, over 2 - 1
    CHECK(table.print(Format::csv) ==
          "metric,seeds,not_finite,mean,std,min,max\ntest,1,,4,,4,4\nval,2,,2,1.4142135623730951,1,3\n");
    CHECK(not_finite_text(history).empty());
}

TEST_CASE("diverged seeds are counted, but excluded from mean and spread") {
    const auto history =
        history_of({{2, {{"loss", 1.0}, {"test", nullptr}}}, {2, {{"loss", nullptr}}}, {2, {{"loss", 2.0}}}});

    CHECK(seed_spread(history).print(Format::csv) ==
          "metric,seeds,not_finite,mean,std,min,max\nloss,2,1,1.5,0.7071067811865476,1,2\ntest,0,1,,,,\n");
    CHECK(not_finite_text(history) == "1 of 3 seeds ended with a loss that is not finite; mean and std exclude them");
}

TEST_CASE("seeds that failed are told of, because the mean of the others may be better than that of all") {
    auto history = history_of({{2, {{"loss", 1.0}}}, {1, {{"loss", 9.0}}}, {1, {{"loss", 9.0}}}});
    CHECK(unfinished_text(history).empty());
    for (int i = 0; i <= history.sweep().spec().max_retries; ++i) {
        history.apply(Json{{"event", "trial_failed"}, {"trial", 1}, {"kind", "crash"}, {"time", 110.0 + i}});
    }

    CHECK(unfinished_text(history) ==
          "1 of 3 seeds did not finish (1 failed, 0 stopped); mean and std are those of the others");
}

TEST_CASE("the table is empty if no trial has finished") {
    CHECK(seed_spread(history_of({{1, {{"val", 1.0}}}})).rows().empty());
}

TEST_CASE("seeds change nothing if all numbers of several trials are the same") {
    const std::pair<int, Json> same{2, {{"val", 1.0}, {"test", 4.0}}};

    CHECK(seeds_change_nothing(history_of({same, same})));
    CHECK_FALSE(seeds_change_nothing(history_of({same, {2, {{"val", 1.0}, {"test", 5.0}}}})));
    CHECK_FALSE(seeds_change_nothing(history_of({same})));
    CHECK_FALSE(seeds_change_nothing(history_of({{1, {{"val", 1.0}}}})));
}
