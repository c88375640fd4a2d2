#include "launch/messages/trial_report.hpp"

#include <doctest/doctest.h>

#include "launch/messages/line_channel.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

protocol::Report report_from(const char* line) { return launch::report_from(TrialId{3}, parse_line(line)); }

}  // namespace

TEST_CASE("a report belongs to the worker's trial, whatever else a program writes in it") {
    const auto report = report_from(R"({"resource":1,"metrics":{"loss":0.5,"note":"x"},"trial":"mine","epoch":7})");

    CHECK(report.trial == TrialId{3});
    CHECK(report.resource == Resource{1});
    CHECK(report.metrics.at("loss") == 0.5);
    CHECK(report.metrics.size() == 1);  // "x" is not a number
}

TEST_CASE("a metric whose name no sweep file can have is ignored") {
    const auto report = report_from(R"({"resource":1,"metrics":{"a\u0000b":1,"a":2}})");

    CHECK(report.metrics == protocol::Metrics{{"a", 2.0}});
}

TEST_CASE("the share of time that a program waited for data counts if it is a number, within its bounds") {
    CHECK(report_from(R"({"resource":1,"metrics":{},"data_wait":0.25})").data_wait == 0.25);
    CHECK(report_from(R"({"resource":1,"metrics":{},"data_wait":25})").data_wait == 1.0);
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"data_wait":"much"})").data_wait.has_value());
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"data_wait":null})").data_wait.has_value());
}

TEST_CASE("a program's clock counts if it is a number that a clock can show") {
    CHECK(report_from(R"({"resource":1,"metrics":{},"seconds":41.2,"evaluated":3})").seconds == 41.2);
    CHECK(report_from(R"({"resource":1,"metrics":{},"seconds":41.2,"evaluated":3})").evaluated == 3.0);
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"seconds":-1})").seconds.has_value());
    CHECK_FALSE(report_from(R"({"resource":1,"metrics":{},"seconds":"1m"})").seconds.has_value());
}

TEST_CASE("a program's measures of its steps count if they are possible") {
    const auto report =
        report_from(R"({"resource":1,"metrics":{},"step_seconds":0.025,"group_batch":256,"noise_scale":810.5})");
    CHECK(report.step_seconds == 0.025);
    CHECK(report.group_batch == 256.0);
    CHECK(report.noise_scale == 810.5);

    const auto wrong = report_from(R"({"resource":1,"metrics":{},"step_seconds":0,"group_batch":0,"noise_scale":-1})");
    CHECK_FALSE(wrong.step_seconds.has_value());
    CHECK_FALSE(wrong.group_batch.has_value());
    CHECK_FALSE(wrong.noise_scale.has_value());
}

TEST_CASE("a report without a resource or metrics is refused") {
    CHECK_THROWS(report_from(R"({"metrics":{}})"));
    CHECK_THROWS(report_from(R"({"resource":1})"));
    CHECK_THROWS(report_from(R"({"resource":"one","metrics":{}})"));
}

TEST_CASE("the problem with a line quotes the line once") {
    const auto problem = [](const std::string& line, const std::string& place) {
        try {
            launch::report_from(TrialId{3}, parse_message(line));
        } catch (const std::exception& error) {
            return problem_in(line, error, place);
        }
        return std::string("none");
    };
    const std::string surrogate = R"({"note":"\udc80"})";  // half of a character is no JSON
    const std::string example = R"({"resource":1,"metrics":{"val_loss":0.3}})";

    const auto no_json = "not a JSON object: '" + surrogate + "'; write one object per line, such as " + example;
    CHECK(problem(surrogate, "") == no_json);
    CHECK(problem(surrogate, "its output") == no_json + " (in its output)");
    CHECK(problem("{}", "").ends_with(" (in '{}')"));
    CHECK(problem("{}", "its output").ends_with(" (in its output: '{}')"));
}
