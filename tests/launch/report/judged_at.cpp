#include "launch/report/judged_at.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "launch/json/event_json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// The history of one configuration of two trials.
struct Twins {
    Twins() : history(spec(), Reports::all) { tell(SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}}); }

    static SweepSpec spec() {
        SweepSpec spec;
        spec.metric = "loss";
        spec.run_cap = 1;
        spec.space = SearchSpace({{"lr", Uniform{0.0, 1.0}}});
        spec.scheduler.kind = SchedulerKind::asha;
        spec.scheduler.max = Resource{9};
        spec.repeat.times = 2;
        spec.max_retries = 0;
        return spec;
    }

    void tell(const Event& event, const Json& metrics = nullptr) {
        Json record = launch::to_json(event);
        record["time"] = 100.0;
        record["metrics"] = metrics;
        history.apply(record);
    }

    void report(int trial, double loss) { tell(TrialReported{TrialId{trial}, Resource{1}, loss}, {{"loss", loss}}); }

    std::optional<double> judged() const { return judged_at(history, TrialId{0}, Resource{1}); }

    History history;
};

}  // namespace

TEST_CASE("a configuration is judged by all its repetitions, once the last of them is there") {
    Twins twins;
    twins.report(0, 0.2);
    CHECK_FALSE(twins.judged());

    twins.report(1, 0.6);

    CHECK(twins.judged() == doctest::Approx(0.4));
    CHECK_FALSE(judged_at(twins.history, TrialId{0}, Resource{3}));
}

TEST_CASE("a configuration is judged without a repetition that ended before the milestone") {
    Twins twins;
    twins.report(0, 0.2);

    twins.tell(TrialFailed{TrialId{1}, FailureKind::crash});

    CHECK(twins.judged() == doctest::Approx(0.2));
}

TEST_CASE("a configuration with a repetition that diverged is not judged by the other one alone") {
    Twins twins;
    twins.report(0, 0.2);

    twins.report(1, NAN);

    CHECK_FALSE(twins.judged());
}
