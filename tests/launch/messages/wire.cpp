#include "launch/messages/wire.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

const protocol::JsonText settings{R"({"lr":0.1})"};

}  // namespace

TEST_CASE("orders arrive unchanged and in order") {
    const JoinGroup join{{.trial = TrialId{7},
                          .generation = 2,
                          .rank = 0,
                          .size = 4,
                          .batch = {.multiple = 3, .accumulation = 2},
                          .checkpoint_at = Resource{9},
                          .reported = Resource{8},
                          .max_resource = Resource{1LL << 40},
                          .seed = 1ULL << 63,
                          .settings = settings,
                          .directory = "/sweep/trials/000007",
                          .state = protocol::StateSource::memory},
                         {{SlotId{5}, 1}, {SlotId{6}, 2}},
                         {"python3", "train.py"},
                         {SlotId{4}, SlotId{5}}};
    const protocol::Evaluate evaluate{TrialId{7}, settings, Resource{9}, "checkpoint.pt", "test"};
    const std::vector<Order> sent{join,
                                  protocol::Decision{TrialId{1}, 2, Resource{3}},
                                  protocol::Decision{},
                                  LeaveTrial{TrialId{4}, true, true},
                                  EvaluateTrial{SlotId{5}, evaluate},
                                  AnswerStore{SlotId{6}, {{"value", "AAE="}}}};

    const auto got = decode_orders(encode(sent));

    REQUIRE(got.size() == 6);
    const auto& [joined, members, command, slots] = std::get<JoinGroup>(got[0]);
    CHECK(joined.trial == TrialId{7});
    CHECK(joined.seed == 1ULL << 63);
    CHECK(joined.directory == "/sweep/trials/000007");
    CHECK(joined.max_resource == Resource{1LL << 40});
    CHECK(joined.settings == settings);
    CHECK(command == std::vector<std::string>{"python3", "train.py"});
    CHECK(slots == std::vector{SlotId{4}, SlotId{5}});
    CHECK(joined.generation == 2);
    CHECK(joined.batch.accumulation == 2);
    CHECK(joined.reported == Resource{8});
    CHECK(joined.size == 4);
    REQUIRE(members.size() == 2);
    CHECK(members[1].slot == SlotId{6});
    CHECK(members[1].rank == 2);
    CHECK(joined.state == protocol::StateSource::memory);
    CHECK(joined.batch.multiple == 3);
    CHECK(joined.checkpoint_at == Resource{9});
    CHECK(std::get<protocol::Decision>(got[1]).checkpoint_at == Resource{3});
    CHECK_FALSE(std::get<protocol::Decision>(got[2]).checkpoint_at.has_value());
    CHECK(std::get<LeaveTrial>(got[3]).save);
    CHECK(std::get<LeaveTrial>(got[3]).is_complete);
    CHECK(std::get<EvaluateTrial>(got[4]).evaluate.resource == Resource{9});
    CHECK(std::get<EvaluateTrial>(got[4]).evaluate.data == "test");
    CHECK(std::get<AnswerStore>(got[5]).answer == Json{{"value", "AAE="}});
}

TEST_CASE("notices arrive unchanged and in order, even with metrics that are NaN") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Notice> sent{
        protocol::Report{
            TrialId{1}, 3, Resource{2}, {{"loss", nan}, {"accuracy", 1.0 / 3}}, {}, {}, 0.25, 0.125, 0.5, 64, 700},
        ProgramEnded{TrialId{1}},
        WorkerFailed{TrialId{2}, SlotId{3}, FailureKind::out_of_memory, "no \xff memory", ProgramFault::usage_error,
                     "GPU 3 of here"},
        StoreRequest{SlotId{1}, {{"op", "get"}}},
        protocol::Regrouped{TrialId{1}, 2, 0.25},
        LeftTrial{TrialId{1}, SlotId{2}, "no room"},
        TrialEvaluated{TrialId{1}, {{"test_loss", 0.5}}, ""},
        AgentLost{NodeId{3}, "no sign of life"},
        WorkerStranded{TrialId{1}, SlotId{2}, 4},
        CheckpointFailed{TrialId{1}, SlotId{2}, "no space"},
        SlotDown{SlotId{3}, 2, "no GPU", "GPU 3 of here"},
        SlotUp{SlotId{3}},
        ProgramRemark{TrialId{1}, "no match"},
        EnergyUsed{NodeId{3}, "here", true, 12.5, true, {{TrialId{1}, 7.5}, {TrialId{2}, 0.25}}, 0.5},
        protocol::Timed{TrialId{1}, 0, 0.025, 256, 60000}};

    const auto got = decode_notices(encode(sent));

    REQUIRE(got.size() == 15);
    CHECK(std::isnan(std::get<protocol::Report>(got[0]).metrics.at("loss")));
    CHECK(std::get<protocol::Report>(got[0]).metrics.at("accuracy") == 1.0 / 3);
    CHECK(std::get<protocol::Report>(got[0]).data_wait == 0.25);
    CHECK(std::get<protocol::Report>(got[0]).samples_left_out == 0.125);
    CHECK(std::get<protocol::Report>(got[0]).step_seconds == 0.5);
    CHECK(std::get<protocol::Report>(got[0]).group_batch == 64.0);
    CHECK(std::get<protocol::Report>(got[0]).noise_scale == 700.0);
    CHECK(std::get<ProgramEnded>(got[1]).trial == TrialId{1});
    CHECK(std::get<WorkerFailed>(got[2]).kind == FailureKind::out_of_memory);
    CHECK(std::get<WorkerFailed>(got[2]).fault == ProgramFault::usage_error);
    CHECK(std::get<WorkerFailed>(got[2]).message == "no \xff memory");
    CHECK(std::get<WorkerFailed>(got[2]).device == "GPU 3 of here");
    CHECK(std::get<StoreRequest>(got[3]).request == Json{{"op", "get"}});
    CHECK(std::get<protocol::Regrouped>(got[4]).seconds == 0.25);
    CHECK(std::get<LeftTrial>(got[5]).problem == "no room");
    CHECK(std::get<TrialEvaluated>(got[6]).metrics.at("test_loss") == 0.5);
    CHECK(std::get<AgentLost>(got[7]).node == NodeId{3});
    CHECK(std::get<WorkerStranded>(got[8]).generation == 4);
    CHECK(std::get<CheckpointFailed>(got[9]).message == "no space");
    CHECK(std::get<SlotDown>(got[10]).num_retries == 2);
    CHECK(std::get<SlotDown>(got[10]).message == "no GPU");
    CHECK(std::get<SlotDown>(got[10]).device == "GPU 3 of here");
    CHECK(std::get<SlotUp>(got[11]).slot == SlotId{3});
    CHECK(std::get<ProgramRemark>(got[12]).message == "no match");
    const auto& energy = std::get<EnergyUsed>(got[13]);
    CHECK(energy.node == NodeId{3});
    CHECK(energy.host == "here");
    CHECK(energy.has_cpus);
    CHECK(energy.cpus == 12.5);
    CHECK(energy.has_gpus);
    CHECK(energy.trials == std::map<TrialId, double>{{TrialId{1}, 7.5}, {TrialId{2}, 0.25}});
    CHECK(energy.idle_gpus == 0.5);
    CHECK(std::get<protocol::Timed>(got[14]).step_seconds == 0.025);
    CHECK(std::get<protocol::Timed>(got[14]).group_batch == 256);
    CHECK(std::get<protocol::Timed>(got[14]).samples_per_resource == 60000);
}

TEST_CASE("an empty list of orders is a message too, and invalid messages are refused") {
    CHECK(decode_orders(encode(std::vector<Order>{})).empty());
    CHECK_THROWS_AS(decode_orders({0xff, 0x00}), Json::exception);
    CHECK_THROWS_AS(decode_orders(Json::to_cbor({{99, Json::object()}})), Json::exception);

    auto messages = Json::from_cbor(encode(std::vector<Notice>{WorkerStranded{TrialId{1}, SlotId{2}, 4}}));
    messages[0][1][1] = 1e300;
    CHECK_THROWS_AS(decode_notices(Json::to_cbor(messages)), Json::exception);
}
