#include "launch/view/step_profile.hpp"

#include <doctest/doctest.h>

#include "launch/json/json.hpp"
#include "tests/contains.hpp"

using namespace crescendo::launch;
using crescendo::protocol::Profiled;
using crescendo::tests::contains;

namespace {

/// A trial that is limited by its processor.
Profiled busy() {
    return {.trial = crescendo::TrialId{3},
            .steps = 200,
            .group_batch = 64,
            .epoch_steps = 100,
            .step = 0.020,
            .parts =
                {{"reading", 0.0002}, {"copy", 0.0001}, {"forward", 0.007}, {"backward", 0.0115}, {"optimizer", 0.001}},
            .without_data = 0.0199,
            .without_model = 0.003,
            .evaluation = 0.1,
            .checkpoint = 0.04,
            .flop = 1e9,
            .matmul = 1e11};
}

}  // namespace

TEST_CASE("the table shows the parts of a step, and the other times of a trial") {
    const auto text = profile_text(busy(), 1, Format::table);

    CHECK(text.starts_with("A step of 64 samples on 1 worker takes 20 ms: 3200 samples/s. Mean of 200 steps.\n"));
    CHECK(contains(text, "waiting for samples    200 us   1 %\n"));
    CHECK(contains(text, "backward               11.5 ms  57 %\n"));
    CHECK(contains(text, "everything else        200 us   1 %\n"));
    CHECK(!contains(text, "gradient exchange"));
    CHECK(contains(text, "an epoch:          2 s, 100 steps\n"));
    CHECK(contains(text, "speed:             50 GFLOP/s per worker, 50 % of what matrix products reach here (100)\n"));
    CHECK(text.ends_with(
        "as it should: only more workers, a smaller model or lower precision (`precision`) make it faster.\n"));
}

TEST_CASE("the table says why a step takes less time than its parts, as from a recording") {
    auto recorded = busy();
    CHECK(!contains(profile_text(recorded, 1, Format::table), "one after the other"));
    recorded.step = 0.002;

    const auto text = profile_text(recorded, 1, Format::table);

    CHECK(contains(text, "takes 2 ms: 32000 samples/s."));
    CHECK(contains(text, "backward               11.5 ms  58 %\n"));  // of the sum
    CHECK(contains(text, "everything else        0 us     0 %\n"));
    CHECK(contains(text,
                   "Measured one after the other, the parts take 19.8 ms. In training, a GPU does several at once"));
}

TEST_CASE("JSON and CSV have the values that the trainer measured") {
    const auto json = Json::parse(profile_text(busy(), 1, Format::json));
    CHECK(json.at("step") == 0.020);
    CHECK(json.at("parts").at("backward") == 0.0115);
    CHECK(profile_text(busy(), 1, Format::csv)
              .starts_with("steps,group_batch,step,without_data,without_model,evaluation,"));
}

TEST_CASE("the advice names the bottleneck of a trial") {
    auto slow_disk = busy();
    slow_disk.parts["reading"] = 0.02;
    slow_disk.step = 0.04;
    slow_disk.without_model = 0.04;
    auto shared_cores = slow_disk;
    shared_cores.without_model = 0.01;
    auto waiting = busy();
    waiting.parts["reduction"] = 0.01;
    auto many_weights = busy();
    many_weights.parts["optimizer"] = 0.02;
    auto evaluating = busy();
    evaluating.evaluation = 1.0;
    auto small = busy();
    small.flop = 1e7;

    CHECK(advice_of(slow_disk, 1).starts_with("Reading limits this trial: a step's samples arrive in 40 ms"));
    CHECK(advice_of(shared_cores, 1).starts_with("Steps wait for samples"));
    CHECK(contains(advice_of(waiting, 4), "gives each of the 4 more work"));
    CHECK(advice_of(many_weights, 1).starts_with("The optimizer takes"));
    CHECK(advice_of(evaluating, 1).starts_with("An evaluation takes 1 s, an epoch of training 2 s."));
    CHECK(advice_of(small, 1).starts_with("The processor is not the limit: a step reaches 0 %"));
    CHECK(advice_of(busy(), 1).starts_with("The processor limits this trial"));
}
