#include "launch/journal/report_record.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "launch/json/event_json.hpp"
#include "launch/json/value_json.hpp"
#include "launch/messages/trial_report.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ReportRecord written_record(int trial, int resource, double loss, double time, protocol::Metrics metrics,
                            std::optional<double> data_wait = {}) {
    return {{.trial = TrialId{trial},
             .resource = Resource{resource},
             .metrics = std::move(metrics),
             .data_wait = data_wait},
            loss,
            time};
}

Json read_back(const ReportRecord& record) { return Json::parse("{" + members_of(record) + "}"); }

}  // namespace

TEST_CASE("a report is written as its event, with its time and metrics") {
    const auto record = written_record(3, 27, 0.31, 1700000000.5, {{"accuracy", 0.69}, {"loss", 0.31}});

    CHECK(members_of(record) == R"("event":"trial_reported","trial":3,"resource":27,"loss":0.31,"time":1700000000.5,)"
                                R"("metrics":{"accuracy":0.69,"loss":0.31})");
}

TEST_CASE("the share of time spent waiting for data is written if it is known") {
    CHECK(read_back(written_record(0, 1, 0.5, 1.0, {{"x", 1}}, 0.25)).at("data_wait") == 0.25);
    CHECK_FALSE(read_back(written_record(0, 1, 0.5, 1.0, {{"x", 1}})).contains("data_wait"));
}

TEST_CASE("the share of samples left out is written after the data wait, and reads back") {
    auto record = written_record(0, 1, 0.5, 1.0, {{"x", 1}}, 0.25);
    record.report.samples_left_out = 0.125;
    const auto both = report_from(members_of(record));
    record.report.data_wait.reset();
    const auto one = report_from(members_of(record));

    CHECK(both->report.data_wait == 0.25);
    CHECK(both->report.samples_left_out == 0.125);
    CHECK_FALSE(one->report.data_wait.has_value());
    CHECK(one->report.samples_left_out == 0.125);
}

TEST_CASE("the group whose steps were timed is written with the step times, and reads back") {
    auto record = written_record(0, 1, 0.5, 1.0, {{"x", 1}});
    record.report.generation = 3;
    const auto without = report_from(members_of(record));
    record.set_steps({0.025, 256.0, {}});
    const auto with = report_from(members_of(record));

    CHECK(without->report.generation == -1);
    CHECK(with->report.generation == 3);
    CHECK(read_back(record).at("generation") == 3);
}

TEST_CASE("a trial's clock takes at most 30 bytes and reads back") {
    auto record = written_record(3, 27, 0.5, 1.0, {{"x", 1}});
    const auto without = members_of(record);
    CHECK(read_back(record).contains("clock") == false);
    record.report.seconds = 86400.125;
    const auto training = members_of(record);
    record.report.evaluated = 9999.875;
    const auto both = members_of(record);

    CHECK(both.size() <= without.size() + 30);
    CHECK(Json::parse("{" + both + "}").at("clock") == Json({86400.125, 9999.875}));
    CHECK(report_from(both)->report.seconds == 86400.125);
    CHECK(report_from(both)->report.evaluated == 9999.875);
    CHECK(report_from(training)->report.seconds == 86400.125);
    CHECK_FALSE(report_from(training)->report.evaluated.has_value());
    CHECK_FALSE(report_from(without)->report.seconds.has_value());
}

TEST_CASE("the measures of a trial's steps take at most 30 bytes and read back") {
    auto record = written_record(3, 27, 0.5, 1.0, {{"x", 1}});
    const auto without = members_of(record);
    record.set_steps({0.02513, 256.0, 810.5});
    const auto all = members_of(record);
    record.set_steps({std::nullopt, 256.0, std::nullopt});
    const auto batch = members_of(record);

    CHECK(without.find("step") == std::string::npos);
    CHECK(all.size() <= without.size() + 30);
    CHECK(Json::parse("{" + all + "}").at("step") == Json({0.02513, 256.0, 810.5}));
    CHECK(report_from(without)->event().steps == Steps{});
    CHECK(report_from(all)->event().steps == Steps{0.02513, 256.0, 810.5});
    CHECK(report_from(batch)->event().steps == Steps{std::nullopt, 256.0, std::nullopt});
    CHECK(report_from(batch)->report.group_batch == 256.0);
}

TEST_CASE("the scheduler's event has the training clock, however its record is read") {
    auto record = written_record(3, 27, 0.5, 1.0, {{"x", 1}});
    CHECK_FALSE(std::get<TrialReported>(event_from_json(read_back(record))).seconds.has_value());
    record.report.seconds = 0.1;
    record.report.evaluated = 3.1;

    CHECK(record.event().seconds == 0.1);
    CHECK(report_from(members_of(record))->event().seconds == 0.1);
    CHECK(std::get<TrialReported>(event_from_json(read_back(record))).seconds == 0.1);
}

TEST_CASE("numbers of a report read back bit for bit and as floating-point numbers") {
    for (const double number : {0.1, 1.0 / 3, 1.0, -0.0, 1e16, 1e300, 5e-324, -1.7976931348623157e308}) {
        CAPTURE(number);
        const auto json = read_back(written_record(0, 1, number, 1.0, {{"x", number}}));

        CHECK(json.at("loss").is_number_float());
        CHECK(json.at("metrics").at("x").get<double>() == number);
        CHECK(std::signbit(json.at("loss").get<double>()) == std::signbit(number));
        CHECK(std::get<TrialReported>(event_from_json(json)).loss == number);
    }
}

TEST_CASE("a loss or metric that is not finite is written as null") {
    const auto json = read_back(written_record(0, 1, infinity, 1.0, {{"loss", infinity}}));

    CHECK(json.at("loss").is_null());
    CHECK(json.at("metrics").at("loss").is_null());
    CHECK(std::get<TrialReported>(event_from_json(json)).loss == infinity);
}

TEST_CASE("a metric may have any name") {
    const std::map<std::string, double> metrics{{"a \"b\" \\ c\n", 1.0}, {"caf\xC3\xA9", 2.0}};

    CHECK(metrics_from(read_back(written_record(0, 1, 0.5, 1.0, metrics)).at("metrics")) == metrics);
    CHECK(read_back(written_record(0, 1, 0.5, 1.0, {{"caf\xE9", 2.0}})).at("metrics").contains("caf\xEF\xBF\xBD"));
}

TEST_CASE("a written report is read back bit for bit without a JSON value") {
    const std::vector<ReportRecord> records{
        written_record(3, 27, 0.1, 1700000000.5, {{"accuracy", 1.0 / 3}, {"loss", -0.0}}, 0.25),
        written_record(0, 1, infinity, 1.0, {{"loss", std::nan("")}}), written_record(0, 1, 5e-324, 1.0, {})};
    for (const auto& record : records) {
        const auto text = members_of(record);

        const auto read = report_from(text);

        REQUIRE(read.has_value());
        CHECK(members_of(*read) == text);
    }
}

TEST_CASE("a report in another form than ours is left to the JSON parser") {
    const auto text = members_of(written_record(3, 27, 0.5, 1.5, {{"loss", 0.5}}));
    for (std::size_t size = 0; size < text.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(report_from(text.substr(0, size)).has_value());
    }
    CHECK_FALSE(report_from(text + R"(,"more":1)").has_value());
    CHECK_FALSE(report_from(R"("event":"trial_finished","trial":3,"time":1.5)").has_value());
    CHECK_FALSE(report_from(members_of(written_record(0, 1, 0.5, 1.0, {{"a\"b", 1.0}}))).has_value());
}

TEST_CASE("a record of another program with numbers that JSON does not have is left to the JSON parser") {
    const auto text = members_of(written_record(0, 1, 0.5, 1.0, {{"x", 1}}));
    REQUIRE(report_from(text));
    for (const std::string number : {"inf", "Infinity", "nan"}) {
        auto changed = text;
        changed.replace(changed.find(R"("time":1.0)"), 10, R"("time":)" + number);

        CHECK_FALSE(report_from(changed));
    }
}
