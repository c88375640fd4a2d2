#include "launch/json/event_json.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/check.hpp"
#include "core/random.hpp"
#include "launch/json/value_json.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string error_of(const std::string& json) {
    return tests::error_of([&] { event_from_json(Json::parse(json)); });
}

}  // namespace

TEST_CASE("every event is written as a line that reads back as the same event") {
    const std::vector<std::pair<Event, std::string>> lines{
        {SlotsJoined{{{SlotId{0}, NodeId{0}, 0}, {SlotId{1}, NodeId{2}, 3}}},
         R"({"event":"slots_joined","slots":[{"slot":0,"node":0,"gpu":0},{"slot":1,"node":2,"gpu":3}]})"},
        {SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{2}}}},
         R"({"event":"slots_joined","slots":[{"slot":0,"node":0},{"slot":1,"node":2}]})"},
        {SlotsLost{{SlotId{0}, SlotId{1}}}, R"({"event":"slots_lost","slots":[0,1]})"},
        {TrialReported{TrialId{3}, Resource{1}, 0.31},
         R"({"event":"trial_reported","trial":3,"resource":1,"loss":0.31})"},
        {TrialReported{TrialId{3}, Resource{1}, infinity},
         R"({"event":"trial_reported","trial":3,"resource":1,"loss":null})"},
        {TrialReported{TrialId{3}, Resource{1}, 0.31, std::nullopt, {0.025, 256.0, 810.5}},
         R"({"event":"trial_reported","trial":3,"resource":1,"loss":0.31,"step":[0.025,256.0,810.5]})"},
        {TrialReported{TrialId{3}, Resource{1}, 0.31, std::nullopt, {std::nullopt, 256.0, std::nullopt}},
         R"({"event":"trial_reported","trial":3,"resource":1,"loss":0.31,"step":[null,256.0]})"},
        {TrialReported{TrialId{3}, Resource{1}, 0.31, 41.203},
         R"({"event":"trial_reported","trial":3,"resource":1,"loss":0.31,"clock":[41.203]})"},
        {TrialFinished{TrialId{3}}, R"({"event":"trial_finished","trial":3})"},
        {TrialFailed{TrialId{3}, FailureKind::crash}, R"({"event":"trial_failed","trial":3,"kind":"crash"})"},
        {TrialFailed{TrialId{3}, FailureKind::error}, R"({"event":"trial_failed","trial":3,"kind":"error"})"},
        {TrialFailed{TrialId{3}, FailureKind::repeated_error, SlotId{2}},
         R"({"event":"trial_failed","trial":3,"kind":"repeated_error","slot":2})"},
        {TrialFailed{TrialId{3}, FailureKind::crash, std::nullopt, SlotId{1}},
         R"({"event":"trial_failed","trial":3,"kind":"crash","suspect":1})"},
        {TrialFailed{TrialId{3}, FailureKind::out_of_memory},
         R"({"event":"trial_failed","trial":3,"kind":"out_of_memory"})"},
        {TrialTimed{TrialId{3}, 0, {0.014, 256.0, std::nullopt}},
         R"({"event":"trial_timed","trial":3,"generation":0,"step":[0.014,256.0]})"},
        {TrialTimed{TrialId{3}, 0, {0.014, 256.0, std::nullopt}, 60000.0},
         R"({"event":"trial_timed","trial":3,"generation":0,"step":[0.014,256.0],"samples_per_resource":60000.0})"},
        {TrialRegrouped{TrialId{3}, 2, 0.06}, R"({"event":"trial_regrouped","trial":3,"generation":2,"seconds":0.06})"},
        {TrialRegrouped{TrialId{3}, 2, 0.06, 0.014},
         R"({"event":"trial_regrouped","trial":3,"generation":2,"seconds":0.06,"step":[0.014]})"},
        {TimeUp{}, R"({"event":"time_up"})"},
        {DeadlineNear{}, R"({"event":"deadline_near"})"},
        {Cancelled{}, R"({"event":"cancelled"})"},
        {TrialProposed{TrialId{3}, {{"lr", 0.5}, {"n", std::int64_t{2}}}},
         R"({"event":"trial_proposed","trial":3,"config":{"lr":0.5,"n":2}})"},
        {TrialProposed{TrialId{3}, {{"lr", 0.5}}, Origin::model},
         R"({"event":"trial_proposed","trial":3,"config":{"lr":0.5},"origin":"model"})"},
        {ProposalsEnded{}, R"({"event":"proposals_ended"})"},
        {LimitsChanged{{200, 0.5, true, 4, 1}, false},
         R"({"event":"limits_changed","run_cap":200,"target":0.5,"time_budget":true,"max_concurrent":4,)"
         R"("max_retries":1,"time_left":false})"},
        {LimitsChanged{{}, true},
         R"({"event":"limits_changed","run_cap":null,"target":null,"time_budget":false,"max_concurrent":null,)"
         R"("max_retries":2,"time_left":true})"},
        {TrialRetried{TrialId{3}}, R"({"event":"trial_retried","trial":3})"},
        {TrialStopped{TrialId{3}}, R"({"event":"trial_stopped","trial":3})"},
        {TrialHeld{TrialId{3}, HoldAt::report}, R"({"event":"trial_held","trial":3,"at":"report"})"},
        {TrialReleased{TrialId{3}}, R"({"event":"trial_released","trial":3})"},
        {TrialTimeUp{TrialId{3}}, R"({"event":"trial_time_up","trial":3})"},
    };
    for (const auto& [event, line] : lines) {
        CHECK(launch::to_json(event).dump() == line);
        CHECK(launch::to_json(event_from_json(Json::parse(line))).dump() == line);
    }
}

TEST_CASE("a loss reads back bit for bit") {
    CounterRandom random(/*seed=*/1, /*stream=*/0);
    for (int i = 0; i < 2000; ++i) {
        const auto loss = std::bit_cast<double>(random.next());
        if (!std::isfinite(loss)) {
            continue;
        }
        const auto line = launch::to_json(TrialReported{TrialId{0}, Resource{1}, loss}).dump();

        const auto event = std::get<TrialReported>(event_from_json(Json::parse(line)));

        CHECK(std::bit_cast<std::uint64_t>(event.loss) == std::bit_cast<std::uint64_t>(loss));
    }
}

TEST_CASE("a loss that is not finite reads back as the worst loss") {
    for (const double loss : {infinity, -infinity, std::nan("")}) {
        const auto json = launch::to_json(TrialReported{TrialId{0}, Resource{1}, loss});

        CHECK(std::get<TrialReported>(event_from_json(json)).loss == infinity);
    }
}

TEST_CASE("additional keys of an event are ignored") {
    const auto event = event_from_json(Json::parse(R"({"n":4,"time":1.5,"event":"trial_finished","trial":7})"));

    CHECK(std::get<TrialFinished>(event).trial == TrialId{7});
}

TEST_CASE("the error for an invalid event says what is wrong") {
    CHECK(error_of(R"([])") == R"([] is not an event; write an object such as {"event":"time_up"})");
    CHECK(error_of(R"({"trial":1})") == R"({"trial":1} needs the key "event")");
    CHECK(error_of(R"({"event":"trial_reported","trial":1,"resource":2})") ==
          R"({"event":"trial_reported","resource":2,"trial":1} needs the key "loss")");
    CHECK(error_of(R"({"event":"begun"})") ==
          R"("event" of {"event":"begun"} must be slots_joined, slots_lost, trial_reported, trial_timed, )"
          R"(trial_regrouped, trial_finished, trial_failed, deadline_near, time_up, cancelled, trial_proposed, )"
          R"(limits_changed, trial_retried, proposals_ended, trial_stopped, )"
          R"(trial_held, trial_released or trial_time_up)");
    CHECK(error_of(R"({"event":5})").starts_with(R"("event" of {"event":5} must be slots_joined, )"));
    CHECK(error_of(R"({"event":"trial_finished","trial":"1"})") ==
          R"("trial" of {"event":"trial_finished","trial":"1"} must be a 32-bit whole number)");
    CHECK(error_of(R"({"event":"trial_failed","trial":1,"kind":"bored"})") ==
          R"("kind" of {"event":"trial_failed","kind":"bored","trial":1} must be crash, error, )"
          R"(repeated_error or out_of_memory)");
    CHECK(error_of(R"({"event":"trial_reported","trial":1,"resource":2,"loss":1,"step":["fast"]})")
              .ends_with("must be a list of numbers, with null for what was not measured"));
    CHECK(error_of(R"({"event":"trial_held","trial":1,"at":7})") ==
          R"("at" of {"at":7,"event":"trial_held","trial":1} must be once or report)");
    CHECK(error_of(R"({"event":"slots_lost","slots":3})") ==
          R"("slots" of {"event":"slots_lost","slots":3} must be a list)");
}

TEST_CASE("a number that does not fit is refused, not wrapped") {
    for (const auto* trial : {"2147483648", "-2147483649", "9223372036854775808", "18446744073709551615", "1.0"}) {
        CAPTURE(trial);
        CHECK(
            error_of(std::string(R"({"event":"trial_finished","trial":)") + trial + "}").find("32-bit whole number") !=
            std::string::npos);
    }
}

TEST_CASE("a value keeps its type and its bits") {
    const double smallest = std::numeric_limits<double>::denorm_min();
    for (const Value& value :
         {Value{true}, Value{std::int64_t{1}}, Value{1.0}, Value{0.1}, Value{smallest},
          Value{std::numeric_limits<std::int64_t>::min()}, Value{"1"}, Value{"ä\n\""}, Value{JsonValue("null")},
          Value{JsonValue(R"([1,2.5,"a"])")}, Value{JsonValue(R"({"a":{},"b":[true]})")}}) {
        CHECK(value_from_json(Json::parse(launch::to_json(value).dump())) == value);
    }
}

TEST_CASE("a whole number beyond the range of parameters is refused") {
    CHECK_THROWS_AS(value_from_json(Json::parse("9223372036854775808")), InvalidInput);
}

TEST_CASE("a configuration keeps the order of its parameters") {
    CHECK(launch::to_json(Config{{"z", 0.5}, {"a", std::int64_t{1}}}).dump() == R"({"z":0.5,"a":1})");
}
