#include "launch/messages/wire.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

TrialWork work() {
    return {TrialId{7},          1ULL << 63,    "/sweep/trials/000007",
            Resource{1LL << 40}, {{"lr", 0.1}}, {"python3", "train.py"}};
}

}  // namespace

TEST_CASE("orders arrive as they were sent, in their order") {
    const JoinGroup join{work(), 2,           4,          {{SlotId{5}, 1}, {SlotId{6}, 2}}, StateSource::memory, 3,
                         2,      Resource{9}, Resource{8}};
    const std::vector<Order> sent{join, GoOn{TrialId{1}, 2, Resource{3}}, LeaveTrial{TrialId{4}, true},
                                  EvaluateTrial{work(), SlotId{5}, Resource{9}, "checkpoint.pt", "test"},
                                  AnswerStore{SlotId{6}, {{"value", "AAE="}}}};

    const auto got = decode_orders(encode(sent));

    REQUIRE(got.size() == 5);
    const auto& joined = std::get<JoinGroup>(got[0]);
    CHECK(joined.work.trial == TrialId{7});
    CHECK(joined.work.seed == 1ULL << 63);
    CHECK(joined.work.directory == "/sweep/trials/000007");
    CHECK(joined.work.max_resource == Resource{1LL << 40});
    CHECK(joined.work.settings == Json{{"lr", 0.1}});
    CHECK(joined.work.command == std::vector<std::string>{"python3", "train.py"});
    CHECK(joined.generation == 2);
    CHECK(joined.accumulation == 2);
    CHECK(joined.reported == Resource{8});
    CHECK(joined.size == 4);
    REQUIRE(joined.members.size() == 2);
    CHECK(joined.members[1].slot == SlotId{6});
    CHECK(joined.members[1].rank == 2);
    CHECK(joined.state == StateSource::memory);
    CHECK(joined.batch_multiple == 3);
    CHECK(joined.checkpoint_at == Resource{9});
    CHECK(std::get<GoOn>(got[1]).checkpoint_at == Resource{3});
    CHECK(std::get<LeaveTrial>(got[2]).save);
    CHECK(std::get<EvaluateTrial>(got[3]).resource == Resource{9});
    CHECK(std::get<EvaluateTrial>(got[3]).data == "test");
    CHECK(std::get<AnswerStore>(got[4]).answer == Json{{"value", "AAE="}});
}

TEST_CASE("notices arrive as they were sent, with metrics that are no numbers") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Notice> sent{
        TrialMetrics{TrialId{1}, Resource{2}, {{"loss", nan}, {"accuracy", 1.0 / 3}}, 0.25},
        ProgramEnded{TrialId{1}},
        WorkerFailed{TrialId{2}, SlotId{3}, FailureKind::out_of_memory, "no \xff memory", ProgramFault::usage_error},
        StoreRequest{SlotId{1}, {{"op", "get"}}},
        GroupFormed{TrialId{1}, 2, 0.25},
        LeftTrial{TrialId{1}, SlotId{2}, "no room"},
        TrialEvaluated{TrialId{1}, {{"test_loss", 0.5}}, ""},
        AgentLost{NodeId{3}, "no sign of life"},
        WorkerStranded{TrialId{1}, SlotId{2}, 4},
        CheckpointFailed{TrialId{1}, SlotId{2}, "no space"},
        SlotDown{SlotId{3}, 2, "no GPU"},
        SlotUp{SlotId{3}}};

    const auto got = decode_notices(encode(sent));

    REQUIRE(got.size() == 12);
    CHECK(std::isnan(std::get<TrialMetrics>(got[0]).metrics.at("loss")));
    CHECK(std::get<TrialMetrics>(got[0]).metrics.at("accuracy") == 1.0 / 3);
    CHECK(std::get<TrialMetrics>(got[0]).data_wait == 0.25);
    CHECK(std::get<ProgramEnded>(got[1]).trial == TrialId{1});
    CHECK(std::get<WorkerFailed>(got[2]).kind == FailureKind::out_of_memory);
    CHECK(std::get<WorkerFailed>(got[2]).fault == ProgramFault::usage_error);
    CHECK(std::get<WorkerFailed>(got[2]).message == "no \xff memory");
    CHECK(std::get<StoreRequest>(got[3]).request == Json{{"op", "get"}});
    CHECK(std::get<GroupFormed>(got[4]).seconds == 0.25);
    CHECK(std::get<LeftTrial>(got[5]).problem == "no room");
    CHECK(std::get<TrialEvaluated>(got[6]).metrics.at("test_loss") == 0.5);
    CHECK(std::get<AgentLost>(got[7]).node == NodeId{3});
    CHECK(std::get<WorkerStranded>(got[8]).generation == 4);
    CHECK(std::get<CheckpointFailed>(got[9]).message == "no space");
    CHECK(std::get<SlotDown>(got[10]).num_retries == 2);
    CHECK(std::get<SlotDown>(got[10]).message == "no GPU");
    CHECK(std::get<SlotUp>(got[11]).slot == SlotId{3});
}

TEST_CASE("nothing to say is a message too, and what is no message is refused") {
    CHECK(decode_orders(encode(std::vector<Order>{})).empty());
    CHECK_THROWS_AS(decode_orders({0xff, 0x00}), Json::exception);
    CHECK_THROWS_AS(decode_orders(Json::to_cbor({{99, Json::object()}})), Json::exception);
}
