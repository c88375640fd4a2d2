#include "launch/agent/written_reports.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/contains.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

const ReportSource in_the_log{{R"(epoch (?P<resource>\d+): (?P<loss>.*))"}, "", 1};
const ReportSource in_a_file{{}, "reports.jsonl", 1};
constexpr Clock::time_point start_of_time{};
const ExitStatus well{};

/// The folder of trial 4, and the reports that its program writes there.
struct WritingProgram {
    explicit WritingProgram(const ReportSource& source, const std::string& log_before = "")
        : file(folder / (source.is_printed() ? "trainer.log" : source.file)) {
        write(log_before);
        reports.emplace(source, "loss", TrialId{4}, folder.path().string());
    }

    void write(const std::string& text) const { std::ofstream(file, std::ios::app) << text; }

    TemporaryFolder folder;
    std::filesystem::path file;
    std::optional<WrittenReports> reports;
};

std::vector<std::string> texts_of(const std::vector<WrittenLine>& lines) {
    std::vector<std::string> texts;
    for (const auto& line : lines) {
        texts.push_back(line.text);
    }
    return texts;
}

std::string mistake_in(WrittenReports& reports, const std::string& line) {
    return tests::error_of<std::exception>([&] { reports.report_in({line}); });
}

}  // namespace

TEST_CASE("only new lines of a program's log count, but in its report file also those of an earlier process") {
    WritingProgram printing(in_the_log, "epoch 1: 0.5\n");
    WritingProgram writing(in_a_file, "{1}\n");

    printing.write("epoch 2: 0.25\n\n");
    writing.write("{2}\n\n");

    CHECK(texts_of(printing.reports->lines(start_of_time)) == std::vector<std::string>{"epoch 2: 0.25"});
    CHECK(texts_of(writing.reports->lines(start_of_time)) == std::vector<std::string>{"{1}", "{2}"});
}

TEST_CASE("a file is read from time to time, and to its very end when the program has ended") {
    WritingProgram program({{"(?P<loss>.*)"}, "reports.log", 1});
    auto& reports = *program.reports;
    CHECK_FALSE(reports.next_look().has_value());
    reports.lines(start_of_time);
    const auto next = reports.next_look().value();
    REQUIRE(next > start_of_time);

    program.write("one\ntwo\nthree");

    CHECK(reports.lines(next - std::chrono::milliseconds(1)).empty());
    CHECK(texts_of(reports.lines(next)) == std::vector<std::string>{"one", "two"});
    CHECK(texts_of(reports.last_lines(next, well)) == std::vector<std::string>{"three"});
    CHECK(reports.last_lines(next, well).empty());
}

TEST_CASE("if a lot was written, the next look follows at once, and the end comes last") {
    WritingProgram program({{"(?P<loss>.*)"}, "reports.log", 1});
    auto& reports = *program.reports;
    program.write(std::string(3 << 20, '\n') + "end");  // three times what is read at once

    CHECK(reports.last_lines(start_of_time, well).empty());
    CHECK(reports.has_more());
    CHECK(reports.next_look() == start_of_time);
    std::vector<std::string> lines;
    while (reports.has_more()) {
        lines = texts_of(reports.last_lines(start_of_time, well));
    }

    CHECK(lines == std::vector<std::string>{"end"});
}

TEST_CASE("lines of an earlier process are recognized unless the file is rewritten") {
    WritingProgram appending(in_a_file, "{1}\n");
    WritingProgram writing_anew(in_a_file, "{1}\n");
    const auto earlier = [](WritingProgram& program) {
        std::vector<bool> are_earlier;
        for (const auto& line : program.reports->last_lines(start_of_time, well)) {
            are_earlier.push_back(line.is_earlier);
        }
        return are_earlier;
    };

    appending.write("{2}\n");
    std::ofstream(writing_anew.file, std::ios::trunc) << "{3}\n{4}\n";

    CHECK(earlier(appending) == std::vector<bool>{true, false});
    CHECK(earlier(writing_anew) == std::vector<bool>{false, false});
}

TEST_CASE("a file that is rewritten with the same lines is recognized, unlike one that was not written") {
    WritingProgram program(in_a_file, "{1}\n");
    CHECK_FALSE(program.reports->is_written_alike());

    const auto written = std::filesystem::last_write_time(program.file);
    std::filesystem::last_write_time(program.file, written + std::chrono::seconds(1));

    CHECK(program.reports->is_written_alike());
}

TEST_CASE("a JSON report that a kill cut off does not count and does not hide the reports after it") {
    WritingProgram program(in_a_file, R"({"resource":3,"metr)");
    const std::string report = R"({"resource":3,"metrics":{"loss":NaN}})";

    program.write(report + "\n" + report);
    auto lines = program.reports->last_lines(start_of_time, well);
    REQUIRE(texts_of(lines) == std::vector<std::string>{R"({"resource":3,"metr)", report, report});
    CHECK_FALSE(program.reports->report_in(lines[0]).has_value());
    CHECK(program.reports->report_in(lines[1]).has_value());
    CHECK(program.reports->report_in(lines[2]).has_value());  // complete, although it lacks a line feed

    program.write("\n" + report.substr(0, 20));
    CHECK(program.reports->last_lines(start_of_time, well).empty());
    std::ofstream(program.file, std::ios::trunc) << report.substr(0, 9);
    CHECK(program.reports->lines(start_of_time + std::chrono::seconds(1)).empty());
    std::ofstream(program.file, std::ios::trunc) << report << "\n";
    CHECK(texts_of(program.reports->last_lines(start_of_time, well)) == std::vector<std::string>{report});
}

TEST_CASE("a number that a kill cut off does not count") {
    const ReportSource source{{R"(epoch (?P<resource>\d+): (?P<loss>.*))"}, "reports.log", 1};
    WritingProgram program(source, "epoch 1: 0.5\nepoch 2: 0.2");

    program.write("epoch 2: 0.25\nepoch 3: 0.1");

    CHECK(texts_of(program.reports->last_lines(start_of_time, ExitStatus{.code = 137})) ==
          std::vector<std::string>{"epoch 1: 0.5", "epoch 2: 0.25"});
}

TEST_CASE("a line holds a report of the trial, either in JSON or as the matches of a pattern") {
    WritingProgram writing(in_a_file);
    WritingProgram printing(in_the_log);

    const auto message = writing.reports->report_in({R"({"resource":3,"metrics":{"loss":0.5}})"});
    const auto match = printing.reports->report_in({"epoch 3: 0.5"});

    for (const auto& report : {message, match}) {
        REQUIRE(report.has_value());
        CHECK(report->trial == TrialId{4});
        CHECK(report->resource == Resource{3});
        CHECK(report->metrics == protocol::Metrics{{"loss", 0.5}});
    }
    CHECK_FALSE(printing.reports->report_in({"downloading"}).has_value());
    CHECK(contains(mistake_in(*writing.reports, "nonsense"), "not a JSON object: 'nonsense'"));
    CHECK(contains(mistake_in(*printing.reports, "epoch 4: low"), "matches 'low', which is not a number"));
}

TEST_CASE("a report in a file may be as long as a message; a longer one is refused with the limit") {
    WritingProgram program(in_a_file);
    std::string metrics = R"("loss":0.5)";
    for (int i = 0; i < 500; ++i) {
        metrics += ",\"m" + std::to_string(i) + "\":0.125";
    }
    program.write(R"({"resource":1,"metrics":{)" + metrics + "}}\n" + std::string(1'100'000, 'x') + "\n");

    std::vector<std::string> lines;
    do {
        const auto more = texts_of(program.reports->last_lines(start_of_time, well));
        lines.insert(lines.end(), more.begin(), more.end());
    } while (program.reports->has_more());

    REQUIRE(lines.size() == 2);
    CHECK(program.reports->report_in({lines[0]})->metrics.size() == 501);  // 6 KB
    CHECK(contains(mistake_in(*program.reports, lines[1]), "a line of more than 1048576 bytes"));
}

TEST_CASE("a pattern that matches none of many lines causes one remark") {
    WritingProgram program(in_the_log);
    auto& reports = *program.reports;
    const auto read = [&](int num_lines) {
        for (int i = 0; i < num_lines; ++i) {
            reports.report_in({"step"});
        }
    };

    read(999);
    CHECK_FALSE(reports.is_time_to_remark());
    read(1);
    CHECK(reports.is_time_to_remark());
    read(1);
    CHECK_FALSE(reports.is_time_to_remark());
}

TEST_CASE("the reason for a missing report says what is missing where, with the last words of this process") {
    WritingProgram printing(in_the_log, "an earlier process\n");
    WritingProgram half({{"epoch (?P<resource>.*)", "loss=(?P<loss>.*)"}, "", 1});
    WritingProgram writing(in_a_file);
    CHECK(printing.reports->why_none() == "its output is empty, but should contain a match for report.pattern");
    std::filesystem::remove(writing.file);
    CHECK(writing.reports->why_none() ==
          "there is no file " + writing.file.string() +
              ", which should contain its reports; let it write there ($CRESCENDO_TRIAL_DIR is that folder)");

    printing.write("step 1\n");
    printing.reports->report_in({"step 1"});
    half.reports->report_in({"epoch 1"});
    writing.write("{}\n");

    CHECK(printing.reports->why_none() == "its output is a single line, without a match for report.pattern: step 1");
    CHECK(half.reports->why_none() == "its output is a single line, without a match for 'loss': ");
    CHECK(writing.reports->why_none() == "none of the 0 lines of reports.jsonl has a report; the last ones: {}");
}

TEST_CASE("a pipe in place of the report file leads to the advice to write a regular file") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / in_a_file.file).c_str(), 0600) == 0);

    const WrittenReports reports(in_a_file, "loss", TrialId{4}, folder.path().string());

    CHECK(reports.why_none() ==
          "reports.jsonl is not a regular file, and reports are read only from one; let the program write one");
}

TEST_CASE("a file system that counts no blocks does not count as full") {
    const TemporaryFolder folder;
    std::filesystem::create_symlink("/proc/self/status", folder / "trainer.log");  // 0 blocks in all, and 0 free

    WrittenReports reports(in_the_log, "loss", TrialId{4}, folder.path().string());

    CHECK_FALSE(reports.loses_lines(Clock::now()));
}
