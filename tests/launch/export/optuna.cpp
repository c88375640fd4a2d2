#include "launch/export/export_formats.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/launch/export/export_a_sweep.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

TEST_CASE("a study has the sweep's name and direction, and a line for each trial") {
    const ExportedSweep optuna(optuna_study);

    const auto lines = lines_of(optuna["study.log"]);

    REQUIRE(lines.size() == 3 + 4);
    const auto study = Json::parse(lines[0]);
    CHECK(study.at("op_code") == 0);
    CHECK(study.at("study_name") == "first");
    CHECK(study.at("directions") == Json{2});  // maximize
    CHECK(Json::parse(lines[1]).at("system_attr").at("study:metric_names") == Json{"accuracy"});
    const auto finished = Json::parse(lines[3]);
    CHECK(finished.at("op_code") == 4);
    CHECK(finished.at("state") == 1);
    CHECK(finished.at("value") == 0.75);
    CHECK(finished.at("datetime_start") == "1970-01-01T00:16:40.000000+00:00");
    CHECK(finished.at("datetime_complete") == "1970-01-01T00:17:00.000000+00:00");
    CHECK(finished.at("intermediate_values") == Json{{"1", 0.5}, {"2", 0.75}});
    CHECK(finished.at("user_attrs").at("twice") == finished.at("params").at("lr").get<double>() * 2);
    const auto stopped = Json::parse(lines[4]);  // by the end of the sweep's time, not by a rung
    CHECK(stopped.at("state") == 1);
    CHECK(stopped.at("value") == 0.25);
    CHECK(Json::parse(lines[6]).at("value").is_null());
}

TEST_CASE("a trial that a rung stopped is pruned, and attributes with the same name stay apart") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), "{type: asha, min: 1, max: 9}");
    record_sweep(folder / "s", file, {{1, 0, 1, 0.7}, {2, 1, 1, 0.6}});
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append({{"event", "trial_reported"},
                    {"trial", 0},
                    {"resource", 2},
                    {"loss", -0.8},
                    {"time", 1003},
                    {"metrics", {{"accuracy", 0.8}, {"status", 7}}}});
    journal.sync();
    const RecordedSweep sweep(folder / "s", Reports::all);

    const auto exported = optuna_study({.sweep = sweep, .folder = "/out"});
    const auto lines = lines_of(exported.files.front().second);

    CHECK(Json::parse(lines.at(4)).at("state") == 2);
    const auto attributes = Json::parse(lines.at(3)).at("user_attrs");
    CHECK(attributes.at("status") == "waiting");
    CHECK(attributes.at("metrics.status") == 7);
}

TEST_CASE("a failed trial keeps its reports, and NaN is written as in Python") {
    const ExportedSweep optuna(optuna_study);

    const auto line = lines_of(optuna["study.log"]).at(3 + 2);

    CHECK(line.find("\"intermediate_values\":{\"1\":NaN}}") != std::string::npos);
    CHECK(line.find("\"state\":3,\"value\":null") != std::string::npos);
    CHECK(line.find("\"datetime_complete\":\"1970-01-01T00:17:02.500000+00:00\"") != std::string::npos);
    CHECK(line.find(R"("last_failure":"Segmentation fault\n\"\\")") != std::string::npos);
}

TEST_CASE("parameters keep distributions that Optuna knows, and other parameters get the range of their values") {
    const ExportedSweep optuna(optuna_study);
    const auto lines = lines_of(optuna["study.log"]);
    const auto trial = Json::parse(lines.at(3));
    const auto distribution = [&](const char* name) {
        return Json::parse(trial.at("distributions").at(name).get<std::string>());
    };

    CHECK(distribution("lr") == Json{{"name", "FloatDistribution"},
                                     {"attributes", {{"step", nullptr}, {"low", 1e-4}, {"high", 0.1}, {"log", true}}}});
    CHECK(distribution("layers") ==
          Json{{"name", "IntDistribution"}, {"attributes", {{"log", false}, {"step", 1}, {"low", 2}, {"high", 8}}}});
    CHECK(distribution("act").at("attributes").at("choices") == Json{"relu", nullptr, "[1,2]"});
    CHECK(trial.at("params").at("act").is_number_integer());
    std::vector<double> noise;
    for (const int i : {3, 4, 6}) {
        noise.push_back(Json::parse(lines.at(static_cast<std::size_t>(i))).at("params").at("noise"));
    }
    const auto seen = distribution("noise").at("attributes");
    CHECK(seen.at("low") <= *std::ranges::min_element(noise));
    CHECK(seen.at("high") >= *std::ranges::max_element(noise));
    CHECK(!trial.at("distributions").contains("twice"));
}

TEST_CASE("a repetition has its number and the value by which its configuration was judged") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1, "repeat: 2\n"), {{1, 0, 9, 0.75}, {2, 1, 9, 0.25}});
    const RecordedSweep sweep(folder / "s", Reports::all);

    const auto exported = optuna_study({.sweep = sweep});

    const auto line = Json::parse(lines_of(exported.files.at(0).second).at(3 + 1));
    const auto& attributes = line.at("user_attrs");
    CHECK(attributes.at("configuration") == 0);
    CHECK(attributes.at("repetition") == 1);
    CHECK(attributes.at("judged") == 0.5);
}
