/// Tests of the trial protocol between launch and the trainer: one reads what the other writes.

#include "trainer/protocol/orders.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/message_json.hpp"
#include "launch/messages/line_channel.hpp"
#include "launch/messages/trial_report.hpp"
#include "trainer/protocol/control_channel.hpp"

using namespace crescendo;
using launch::Json;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Both ends of a trainer's socket.
class Line {
  public:
    ~Line() { ::close(ends_[0]); }

    /// The order that the trainer reads when launch sends one.
    template <class Message>
    Message to_trainer(const Message& order) {
        launch_.send(protocol::write<Json>(order));
        return std::get<Message>(trainer::parse_order(trainer_.wait(std::chrono::minutes(1)).value()));
    }

    /// The message that launch gets when the trainer sends this.
    template <class Message>
    Json to_launch(const Message& message) {
        trainer_.send(message);
        return launch::parse_line(launch_.receive().at(0));
    }

  private:
    static std::array<int, 2> connect() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
        return ends;
    }

    std::array<int, 2> ends_ = connect();
    launch::LineChannel launch_{ends_[0]};
    trainer::ControlChannel trainer_{ends_[1]};
};

template <class Message>
void check_same(const Message& got, const Message& sent) {
    for_each_field(Message::fields(), [&](const auto& field) {
        CAPTURE(field.key);
        CHECK((field.of(got) == field.of(sent)));
    });
}

protocol::Join join_of(protocol::StateSource state) {
    return {.trial = TrialId{7},
            .generation = 2,
            .rank = 1,
            .size = 4,
            .batch = {.multiple = 3, .accumulation = 2},
            .checkpoint_at = Resource{9},
            .reported = Resource{8},
            .max_resource = Resource{1LL << 40},
            .seed = ~0ULL,
            .sweep_seed = 5,
            .settings = {R"({"batch_size":64,"lr":0.1})"},
            .directory = "/sweep/trials/000007",
            .state = state};
}

}  // namespace

TEST_CASE("a trainer reads every order exactly as launch wrote it") {
    Line line;
    for (const auto state :
         {protocol::StateSource::fresh, protocol::StateSource::checkpoint, protocol::StateSource::memory}) {
        const auto join = join_of(state);
        check_same(line.to_trainer(join), join);
    }
    for (const auto& decision :
         {protocol::Decision{TrialId{7}, 2, Resource{27}}, protocol::Decision{TrialId{7}, {}, {}}}) {
        check_same(line.to_trainer(decision), decision);
    }
    const protocol::Leave leave{TrialId{7}, true};
    check_same(line.to_trainer(leave), leave);
    const protocol::Evaluate evaluate{TrialId{7}, {R"({"model":"cnn"})"}, Resource{9}, "checkpoint.pt", "test"};
    check_same(line.to_trainer(evaluate), evaluate);
    const protocol::MeasureLatency measure{evaluate, 100};
    check_same(line.to_trainer(measure), measure);
    const protocol::Profile profile{join_of(protocol::StateSource::fresh), 2.5, "trace.json"};
    check_same(line.to_trainer(profile), profile);
}

TEST_CASE("launch reads every message exactly as a trainer wrote it") {
    Line line;
    const protocol::Report report{TrialId{7}, 2,    Resource{9}, {{"train_loss", 1.0 / 3}, {"val_loss", no_number}},
                                  41.5,       3.25, 0.25};
    const protocol::Regrouped regrouped{TrialId{7}, 2, 0.05, 0.01, {{"group", 0.02}, {"state", 0.03}}};
    const protocol::Timed timed{TrialId{7}, 0, 0.025, 256, 60000};
    const protocol::Stranded stranded{TrialId{7}, 2};
    const protocol::Left left{TrialId{7}, true};
    const protocol::Failed failed{TrialId{7}, protocol::failure::disk, "no room"};
    const protocol::Evaluated evaluated{TrialId{7}, {{"test_loss", 0.5}}};

    const auto got = launch::report_from(TrialId{7}, line.to_launch(report));
    CHECK(got.trial == report.trial);
    CHECK(got.resource == report.resource);
    CHECK(got.metrics.at("train_loss") == 1.0 / 3);
    CHECK(std::isnan(got.metrics.at("val_loss")));
    CHECK(got.seconds == report.seconds);
    CHECK(got.evaluated == report.evaluated);
    CHECK(got.data_wait == report.data_wait);
    check_same(protocol::read<protocol::Regrouped>(line.to_launch(regrouped)), regrouped);
    check_same(protocol::read<protocol::Timed>(line.to_launch(timed)), timed);
    check_same(protocol::read<protocol::Stranded>(line.to_launch(stranded)), stranded);
    check_same(protocol::read<protocol::Left>(line.to_launch(left)), left);
    check_same(protocol::read<protocol::Failed>(line.to_launch(failed)), failed);
    check_same(protocol::read<protocol::Evaluated>(line.to_launch(evaluated)), evaluated);
    const protocol::Latency latency{TrialId{7}, 500, 0.002, 0.001, 0.009, {{"test_loss", 0.5}}};
    check_same(protocol::read<protocol::Latency>(line.to_launch(latency)), latency);
    const protocol::Profiled profiled{TrialId{7}, 50,   128, 400, 0.03, {{"forward", 0.01}},
                                      0.02,       0.01, 1.5, {},  2e9,  4e10};
    check_same(protocol::read<protocol::Profiled>(line.to_launch(profiled)), profiled);
    CHECK(line.to_launch(protocol::SignOfLife{}) == Json{{"type", "progress"}});
}

TEST_CASE("orders have the keys and words of docs/trial-protocol.md") {
    CHECK(protocol::write<Json>(join_of(protocol::StateSource::fresh)).dump() ==
          R"({"accumulation":2,"batch_multiple":3,"checkpoint_at":9,"directory":"/sweep/trials/000007","generation":2,)"
          R"("max_resource":1099511627776,"rank":1,"reported":8,"seed":18446744073709551615,)"
          R"("settings":{"batch_size":64,"lr":0.1},"size":4,"state":"new","sweep_seed":5,"trial":7,"type":"join"})");
    CHECK(protocol::write<Json>(protocol::Decision{TrialId{0}, 2, Resource{3}}).dump() ==
          R"({"batch_multiple":2,"checkpoint_at":3,"decision":"continue","trial":0,"type":"decision"})");
    CHECK(protocol::write<Json>(protocol::Leave{TrialId{0}, false}).dump() ==
          R"({"save":false,"trial":0,"type":"leave"})");
}

TEST_CASE("a trainer's messages have the keys and words of docs/trial-protocol.md") {
    CHECK(
        protocol::write<Json>(protocol::Report{TrialId{0}, 1, Resource{1}, {{"val_loss", no_number}}, 41.5, 3.25, 0.5})
            .dump() == R"({"data_wait":0.5,"evaluated":3.25,"generation":1,"metrics":{"val_loss":null},"resource":1,)"
                       R"("seconds":41.5,"trial":0,"type":"report"})");
    CHECK_FALSE(protocol::write<Json>(protocol::Report{}).contains("data_wait"));
    CHECK(protocol::write<Json>(protocol::Left{TrialId{0}, false}).dump() ==
          R"({"saved":false,"trial":0,"type":"left"})");
    CHECK(protocol::write<Json>(protocol::Hello{4711, "1.0"}).dump() ==
          R"({"pid":4711,"type":"hello","version":"1.0"})");
}

TEST_CASE("optional keys that are missing from an order or null have default values") {
    const auto json = Json::parse(R"({"type":"join","trial":0,"generation":0,"rank":0,"size":1,"checkpoint_at":null,)"
                                  R"("max_resource":9,"seed":1,"settings":{},"directory":"d","state":"new"})");

    const auto join = std::get<protocol::Join>(trainer::parse_order(json));

    CHECK(join.batch.multiple == 1);
    CHECK(join.batch.accumulation == 1);
    CHECK_FALSE(join.checkpoint_at.has_value());
    CHECK_FALSE(join.reported.has_value());
}

TEST_CASE("a message that is not an order is refused with the reason") {
    CHECK_THROWS_WITH(trainer::parse_order({{"type", "dance"}}), "unknown order type \"dance\"");
    auto join = protocol::write<Json>(join_of(protocol::StateSource::fresh));
    join["state"] = "old";
    CHECK_THROWS_WITH(trainer::parse_order(join), "state is \"old\"; it must be new, checkpoint or memory");
    join.erase("state");
    CHECK_THROWS_WITH(trainer::parse_order(join), doctest::Contains("key 'state' not found"));
}

TEST_CASE("a number that a message's member cannot hold is refused rather than made another one") {
    const auto generation_of = [](const char* number) {
        return protocol::read<protocol::Stranded>(Json{{"generation", Json::parse(number)}}).generation;
    };
    CHECK(generation_of("3.0") == 3);
    for (const auto* number : {"4294967297", "-2147483649", "18446744073709551615", "1.5", "1e300", "true", "\"1\""}) {
        CHECK_THROWS_WITH(generation_of(number), doctest::Contains("is not a whole number of 32 bits"));
    }
    CHECK(protocol::read<protocol::Join>(protocol::write<Json>(join_of(protocol::StateSource::fresh))).seed == ~0ULL);
}
