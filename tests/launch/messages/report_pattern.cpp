#include "launch/messages/report_pattern.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/check.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

std::string mistake_in(const std::vector<std::string>& expressions) {
    try {
        const ReportPattern pattern(expressions, "acc", 1);
    } catch (const InvalidInput& error) {
        return error.key() + " " + error.what();
    }
    return "no mistake";
}

std::string error_of(ReportPattern& pattern, const std::string& line) {
    return tests::error_of<std::runtime_error>([&] { pattern.read(line); });
}

}  // namespace

TEST_CASE("a line that matches is a report, and other lines are not") {
    ReportPattern pattern({R"(epoch (?P<resource>\d+).*loss=(?P<loss>[^, ]+).*acc=(?P<acc>[\d.]+))"}, "acc", 1);

    CHECK_FALSE(pattern.read("downloading").has_value());
    CHECK_FALSE(pattern.has_matched());
    const auto report = pattern.read("INFO epoch 3/9: loss=1.5e-1, acc=0.75%");

    REQUIRE(report.has_value());
    CHECK(pattern.has_matched());
    CHECK(report->resource == Resource{3});
    CHECK(report->metrics == protocol::Metrics{{"loss", 0.15}, {"acc", 0.75}});
    CHECK(std::isnan(pattern.read("epoch 4: loss=nan acc=0.5")->metrics.at("loss")));
}

TEST_CASE("a report may be spread over lines, and the sweep's metric completes it") {
    // As PyTorch's MNIST example prints them.
    ReportPattern pattern({R"(Train Epoch: (?P<resource>\d+) .*Loss: (?P<train_loss>[\d.]+))",
                           R"(Average loss: (?P<loss>[\d.]+), Accuracy: (?P<acc>\d+)/)"},
                          "acc", 1);

    CHECK(pattern.awaited_group() == "acc");
    CHECK_FALSE(pattern.read("Average loss: 2.3, Accuracy: 10/100").has_value());  // before the first epoch
    CHECK(pattern.awaited_group() == "resource");
    CHECK_FALSE(pattern.read("Train Epoch: 1 [0/600 (0%)]\tLoss: 2.25").has_value());
    CHECK_FALSE(pattern.read("Train Epoch: 1 [64/600 (10%)]\tLoss: 1.25").has_value());
    const auto first = pattern.read("Test set: Average loss: 0.5, Accuracy: 98/100 (98%)");
    pattern.read("Train Epoch: 2 [0/600 (0%)]\tLoss: 0.5");
    const auto second = pattern.read("Test set: Average loss: 0.25, Accuracy: 99/100 (99%)");

    CHECK(first->metrics == protocol::Metrics{{"train_loss", 1.25}, {"loss", 0.5}, {"acc", 98}});
    CHECK(second->resource == Resource{2});
    CHECK(second->metrics.at("train_loss") == 0.5);
}

TEST_CASE("without a group for the resource, reports are counted, and epochs may count from 0") {
    ReportPattern counted({"acc (?P<acc>.*)"}, "acc", 1);
    ReportPattern from_zero({"(?P<resource>.*): (?P<acc>.*)"}, "acc", 0);

    CHECK(counted.read("acc 0.5")->resource == Resource{1});
    CHECK(counted.read("acc 0.6")->resource == Resource{2});
    CHECK(from_zero.read("0: 0.5")->resource == Resource{1});
}

TEST_CASE("the error for a match that is not a number names the group and the matched text") {
    ReportPattern pattern({"(?P<resource>[^:]*): (?P<acc>.*)"}, "acc", 1);

    CHECK(error_of(pattern, "1: 75%") ==
          "the group 'acc' of report.pattern matches '75%', which is not a number; to end it before '%' write "
          "(?P<acc>[^\\s,%]+)");
    CHECK(error_of(pattern, "1.5: 75") ==
          "the group 'resource' of report.pattern matches '1.5', which is not a whole number; let it match a "
          "number of steps instead, or leave the group out, so that reports are counted");
    CHECK(error_of(pattern, "1,500: 75").ends_with("; let it match only the number, and print that without commas"));
    for (const auto* text : {"inf", "-inf", "nan", "1e19", "-1e19"}) {
        CAPTURE(text);
        CHECK(error_of(pattern, std::string(text) + ": 75").find("which is not a whole number") != std::string::npos);
    }
    CHECK(error_of(pattern, "0: 75") ==
          "the program's first epoch is 0, but reports count from 1; add `counts_from: 0` to the section report");
}

TEST_CASE("the error for a group that matches more than a number shows how to end the group") {
    const auto error_in = [](const char* line) {
        ReportPattern pattern({R"(loss=(?P<loss>\S+))"}, "loss", 1);
        return error_of(pattern, line);
    };
    CHECK(error_in("loss=0.9403, acc=0.9") ==
          "the group 'loss' of report.pattern matches '0.9403,', which is not a number; to end it before ',' write "
          "(?P<loss>[^\\s,]+)");
    for (const auto& [line, group] : {std::pair("loss=90.5%", R"((?P<loss>[^\s,%]+))"),
                                      {"[loss=-1e-5] acc", R"((?P<loss>[^\s,\]]+))"},
                                      {R"("loss=0.31,"acc":0.9})", R"((?P<loss>[^\s,]+))"},
                                      {"loss=0.31}", R"((?P<loss>[^\s,}]+))"},
                                      {"loss=nan;", R"((?P<loss>[^\s,;]+))"}}) {
        CAPTURE(line);
        CHECK_MESSAGE(error_in(line).ends_with(group), error_in(line));
    }
    for (const auto* line : {"loss=1,234", "loss=1,234.5,", "loss=low,", "loss=3s"}) {
        CAPTURE(line);
        CHECK(error_in(line).ends_with("; let it match only the number, and print that without commas"));
    }
}

TEST_CASE("colours in a program's output do not hide numbers") {
    const auto loss_in = [](const char* expression) {
        ReportPattern pattern({expression}, "loss", 1);
        const auto report =
            pattern.read("\x1b[1;32m[Epoch 003]\x1b[0m \x1b[1mloss\x1b[0m: \x1b[33m3.1e-01\x1b[0m\x1b[K");
        return report ? report->metrics.at("loss") : -1;
    };

    CHECK(loss_in(R"(Epoch (?P<resource>\d+)\] loss: (?P<loss>\S+))") == 0.31);
    CHECK(loss_in(R"(loss\x1b\[0m: \x1b\[[\d;]*m(?P<loss>[^\s,\x1b]+))") ==
          0.31);  // the expression expects the colours
    CHECK(loss_in(R"(loss\x1b\[0m: (?P<loss>\S+))") == 0.31);
}

TEST_CASE("a group that matches only a part of a number is refused") {
    const auto error_in = [](const char* expression, const char* line) {
        ReportPattern pattern({expression}, "acc", 1);
        return error_of(pattern, line);
    };
    CHECK(error_in("acc=(?P<acc>[\\d.]+)", "acc=6.7758e-05 took 3 s") ==
          "the group 'acc' of report.pattern matches only '6.7758' of the number 6.7758e-05; let it match the whole "
          "number, as (?P<acc>[^\\s,]+) does");
    CHECK(error_in("acc=(?P<acc>[^\\s,]+)", "acc=1,761.04")
              .ends_with("matches only '1' of the number 1,761.04; print it without commas"));
    CHECK(error_in("acc=(?P<acc>\\d+)", "acc=17,761") != "no error");
    CHECK(error_in("acc=(?P<acc>\\S+)", "acc=6.7758e-05") == "no error");
    // Numbers that are matched whole.
    CHECK(error_in("^(?P<resource>\\d+),(?P<acc>[\\d.]+)", "5,0.120") == "no error");
    CHECK(error_in("^(?P<resource>\\d+),(?P<acc>\\d+)", "5,120") == "no error");
    CHECK(error_in("(?P<acc>[\\d.]+)", "0.931,120") == "no error");
    CHECK(error_in("acc=(?P<acc>[\\d.]+)", "acc=5, 120 s") == "no error");
    CHECK(error_in("acc=(?P<acc>[\\d.]+)", "acc=5epochs") == "no error");
    CHECK(error_in("'epoch': (?P<acc>\\d+)", "'epoch': 1.0") == "no error");
}

TEST_CASE("the exponent of a Fortran double is a part of the number, and a group that leaves it out is refused") {
    ReportPattern whole({"acc=\\s*(?P<acc>\\S+)"}, "acc", 1);
    ReportPattern part({"acc=\\s*(?P<acc>[\\d.]+)"}, "acc", 1);

    CHECK(whole.read("acc=  0.1250D-02")->metrics.at("acc") == 0.00125);
    CHECK(whole.read("acc= -0.2500D+03")->metrics.at("acc") == -250);
    CHECK(error_of(part, "acc=  0.1250D-02").find("matches only '0.1250' of the number 0.1250D-02") !=
          std::string::npos);
    CHECK(error_of(whole, "acc=D") != "no error");
}

TEST_CASE("an invalid expression, or an expression that reads no metric, is an error in the sweep file") {
    CHECK(mistake_in({"acc=(?P<acc>"}).starts_with("report.pattern is not a regular expression: missing )"));
    CHECK(mistake_in({"(?P<acc>.*)", "(?=x)(?P<b>.)"}).starts_with("report.pattern[1] is not a regular expression: "));
    CHECK(mistake_in({"acc=(.*)"}).starts_with("report.pattern has no named group"));
    CHECK(mistake_in({"loss=(?P<loss>.*)"})
              .starts_with("report.pattern has no group for 'acc', the sweep's metric.name"));
    CHECK_THROWS_WITH_AS(ReportPattern({"acc=(?P<val_acc>.*)"}, "val/acc", 1),
                         doctest::Contains("letters, digits and _; write val_acc in both places"), InvalidInput);
}

TEST_CASE("a pattern that makes other engines backtrack endlessly takes no time") {
    ReportPattern pattern({"(?P<acc>(a+)+)$"}, "acc", 1);

    CHECK_FALSE(pattern.read(std::string(4096, 'a') + "!").has_value());
}
