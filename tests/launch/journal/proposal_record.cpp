#include "launch/journal/proposal_record.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "launch/json/event_json.hpp"
#include "launch/json/json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

const Config config{{"lr", 0.1},
                    {"whole", 1.0},
                    {"tiny", std::numeric_limits<double>::denorm_min()},
                    {"width", std::int64_t{16}},
                    {"least", std::numeric_limits<std::int64_t>::min()},
                    {"flag", true},
                    {"off", false},
                    {"act", "re lu"}};

}  // namespace

TEST_CASE("a configuration is written as its event") {
    const ProposalRecord record{{TrialId{3}, {{"lr", 0.5}, {"n", std::int64_t{2}}, {"b", true}, {"s", "x"}}}, 1.5};

    CHECK(members_of(record) ==
          R"("event":"trial_proposed","trial":3,"config":{"lr":0.5,"n":2,"b":true,"s":"x"},"time":1.5)");
}

TEST_CASE("a configuration reads back with its types and bits, also as an event from JSON") {
    const auto text = members_of(ProposalRecord{{TrialId{7}, config}, 1.5});

    const auto read = proposal_from(text);

    REQUIRE(read.has_value());
    CHECK(read->event.config == config);
    CHECK(read->event.trial == TrialId{7});
    CHECK(read->time == 1.5);
    auto event = std::get<TrialProposed>(event_from_json(Json::parse("{" + text + "}")));
    std::ranges::sort(event.config);
    auto sorted = config;
    std::ranges::sort(sorted);
    CHECK(event.config == sorted);
}

TEST_CASE("the origin of a configuration is in the record if the event has one") {
    const auto text = members_of(ProposalRecord{{TrialId{3}, {{"n", std::int64_t{2}}}, Origin::model}, 1.5});

    CHECK(text == R"("event":"trial_proposed","trial":3,"config":{"n":2},"origin":"model","time":1.5)");
    REQUIRE(proposal_from(text).has_value());
    CHECK(proposal_from(text)->event.origin == Origin::model);
    CHECK_FALSE(proposal_from(members_of(ProposalRecord{{TrialId{3}, {}}, 1.5}))->event.origin.has_value());
}

TEST_CASE("the record of a start has the origin only if a model proposed the configuration") {
    Trial trial;
    trial.id = TrialId{3};
    trial.config = config;

    CHECK(!record_of_start(trial, 1.5).event.origin.has_value());
    trial.origin = Origin::warm;
    CHECK(record_of_start(trial, 1.5).event.origin == Origin::warm);
    CHECK(record_of_start(trial, 1.5).event.config == config);
}

TEST_CASE("names and values may be any text, and text with escapes is left to the JSON parser") {
    const Config odd{{"a \"b\" \\", "line\nfeed"}, {"caf\xC3\xA9", "x"}};
    const auto text = members_of(ProposalRecord{{TrialId{0}, odd}, 1.0});

    CHECK_FALSE(proposal_from(text).has_value());
    CHECK(std::get<TrialProposed>(event_from_json(Json::parse("{" + text + "}"))).config == odd);
}

TEST_CASE("a configuration in another form than ours is left to the JSON parser") {
    const auto text = members_of(ProposalRecord{{TrialId{3}, config, Origin::warm}, 1.5});
    for (std::size_t size = 0; size < text.size() - 2; ++size) {  // from the point of 1.5 on, the time is a number
        CAPTURE(size);
        CHECK_FALSE(proposal_from(text.substr(0, size)).has_value());
    }
}
