#include "launch/directory/warm_start.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/directory/new_sweep.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/journal/journal.hpp"
#include "launch/json/event_json.hpp"
#include "launch/json/value_json.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

/// A sweep file whose last line, the 6th, names the sources.
SweepFile sweep_with(const std::string& sources, const std::string& scheduler = "{type: asha, min: 1, max: 9}") {
    return parse_sweep("metric: {name: loss}\nrun_cap: 9\nmethod: tpe\ncommand: [train, \"${args}\"]\n"
                       "parameters: {x: {min: 0.0, max: 1.0}, kind: {values: [a, \"1\"]}, n: {min: 1, max: 9}}\n"
                       "warm_start: " + sources + "\nscheduler: " + scheduler + "\n",
                       "sweep.yaml");
}

/// The messages of gather_warm_start().
std::string gather(SweepFile& file) {
    std::string said;
    gather_warm_start(file, [&](const std::string& text) { said += text; });
    return said;
}

std::string table(const TemporaryFolder& folder, const std::string& text) {
    const auto path = folder / "t.csv";
    std::ofstream(path) << text;
    return path.string();
}

/// A sweep in which trial 0 was judged at 1, and trial 1 reported at 1 and 3.
std::filesystem::path earlier_sweep(const TemporaryFolder& folder, const std::string& metric = "{name: loss}") {
    const auto file = parse_sweep("metric: " + metric + "\nrun_cap: 2\ncommand: [train, \"${args}\"]\n"
                                  "parameters: {x: {min: 0.0, max: 0.5}, depth: {min: 1, max: 9}}\n"
                                  "scheduler: {type: asha, max: 9}\n",
                                  "before.yaml");
    const auto directory = create_sweep(folder / "before", file);
    auto journal = Journal::open(directory.journal());
    double time = 1;
    const auto append = [&](const Event& event, std::optional<double> metric_value = {}) {
        auto record = to_json(event);
        record["time"] = time++;
        if (metric_value) {
            record["metrics"] = {{"loss", *metric_value}};
        }
        journal.append(record);
    };
    append(SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}});
    append(TrialReported{TrialId{1}, Resource{1}, 0.25}, 0.25);
    append(TrialReported{TrialId{0}, Resource{1}, 0.5}, 0.5);
    append(TrialReported{TrialId{1}, Resource{3}, 0.125}, 0.125);
    journal.sync();
    return directory.path();
}

}  // namespace

TEST_CASE("an earlier sweep's trials come with their curves, and a note names parameters that are not in both spaces") {
    const TemporaryFolder folder;
    auto file = sweep_with(earlier_sweep(folder).string());

    const auto said = gather(file);

    REQUIRE(file.spec.warm_start.size() == 2);
    const auto& [lost, won] = std::pair(file.spec.warm_start[0], file.spec.warm_start[1]);
    CHECK(lost.has_lost);
    CHECK(lost.config.size() == 1);
    CHECK(lost.config[0].first == "x");
    CHECK(won.reports == std::vector<EarlierResult::Report>{{Resource{1}, 0.25}, {Resource{3}, 0.125}});
    CHECK_MESSAGE(said.starts_with("note: sweep.yaml:6:1: warm_start: the sampler knows "), said);
    CHECK_MESSAGE(said.ends_with("before (2 of 2 results; not searched there: kind, n; not searched here: depth)"),
                  said);
}

TEST_CASE("without rungs, a timed-out trial counts with its last value at all rungs, and a stopped trial has lost") {
    const TemporaryFolder folder;
    const auto before = parse_sweep(
        "metric: {name: loss}\nrun_cap: 4\ncommand: [train, \"${args}\"]\n"
        "parameters: {x: {min: 0.0, max: 1.0}}\nscheduler: {type: fifo, max: 9}\n",
        "before.yaml");
    const auto directory = create_sweep(folder / "before", before);
    {
        auto journal = Journal::open(directory.journal());
        const auto append = [&](const Event& event, std::optional<double> loss = {}) {
            auto record = to_json(event);
            record["time"] = 1;
            if (loss) {
                record["metrics"] = {{"loss", *loss}};
            }
            journal.append(record);
        };
        append(SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}, {SlotId{2}, NodeId{0}}}});
        append(TrialReported{TrialId{0}, Resource{2}, 0.5}, 0.5);
        append(TrialReported{TrialId{1}, Resource{2}, 0.25}, 0.25);
        append(TrialTimeUp{TrialId{0}});
        append(TrialStopped{TrialId{1}});
        append(TrialTimeUp{TrialId{2}});
        journal.sync();
    }
    auto file = sweep_with(directory.path().string(), "{type: fifo, max: 27}");

    gather(file);

    using Reports = std::vector<EarlierResult::Report>;
    REQUIRE(file.spec.warm_start.size() == 3);
    CHECK(file.spec.warm_start[0].reports == Reports{{Resource{2}, 0.5}, {Resource{27}, 0.5}});
    CHECK_FALSE(file.spec.warm_start[0].has_lost);
    CHECK(file.spec.warm_start[1].reports == Reports{{Resource{2}, 0.25}});
    CHECK(file.spec.warm_start[1].has_lost);
    CHECK(file.spec.warm_start[2].has_lost);
}

TEST_CASE("a table's column `reason` decides if a trial's last value counts at all rungs and if the trial has lost") {
    const TemporaryFolder folder;
    auto file = sweep_with("[" +
                               table(folder,
                                     "trial,status,resource,loss,x,reason\n"
                                     "0,stopped,2,0.5,0.25,no_progress\n"
                                     "1,stopped,2,0.5,0.25,timed_out\n"
                                     "2,finished,2,0.5,0.25,completed\n"
                                     "3,stopped,2,0.5,0.25,requested\n"
                                     "4,stopped,0,,0.25,timed_out\n"
                                     "5,stopped,2,0.5,0.25,swept\n") +
                               "]",
                           "{type: fifo, max: 9}");

    gather(file);

    using Reports = std::vector<EarlierResult::Report>;
    const auto& results = file.spec.warm_start;
    REQUIRE(results.size() == 6);
    CHECK(results[0].reports == Reports{{Resource{2}, 0.5}, {Resource{9}, 0.5}});
    CHECK(results[1].reports == results[0].reports);
    CHECK(results[2].reports == Reports{{Resource{2}, 0.5}});
    const auto ends = [](const EarlierResult& result) { return std::pair(result.is_complete, result.has_lost); };
    CHECK(ends(results[1]) == std::pair(true, false));
    CHECK(ends(results[2]) == std::pair(true, false));
    CHECK(ends(results[3]) == std::pair(false, true));
    CHECK(ends(results[4]) == std::pair(false, true));
    CHECK(ends(results[5]) == std::pair(false, false));
}

TEST_CASE("a table's rows become earlier results, and values out of range are left out") {
    const TemporaryFolder folder;
    auto file = sweep_with("[" + table(folder, "trial,status,resource,loss,x,kind,n,reason\n"
                                               "0,finished,9,0.5,0.25,1,3,completed\n"
                                               "1,stopped,1,nan,0.5,a,3,judged\n"
                                               "2,stopped,1,0.1,2.5,a,3,judged\n"
                                               "3,waiting,0,,0.5,a,3,\n"
                                               "4,failed,0,,0.5,a,2.0,failed\n") + "]");

    const auto said = gather(file);

    using Report = EarlierResult::Report;
    CHECK(file.spec.warm_start ==
          std::vector<EarlierResult>{
              {{{"x", 0.25}, {"kind", std::string("1")}, {"n", std::int64_t{3}}},
               {Report{Resource{9}, 0.5}},
               false,
               true},
              {{{"x", 0.5}, {"kind", std::string("a")}, {"n", std::int64_t{3}}},
               {Report{Resource{1}, to_loss(Goal::minimize, std::nan(""))}},
               true,
               false},
              {{{"x", 0.5}, {"kind", std::string("a")}, {"n", std::int64_t{2}}}, {}, true, false}});
    CHECK_MESSAGE(said.ends_with("t.csv (3 of 4 results; values out of range here: x)"), said);
}

TEST_CASE("a table written by Python has Python's words for booleans and null, or an empty cell for null") {
    const TemporaryFolder folder;
    const auto path =
        table(folder, "resource,loss,nesterov,warmup,decay,word\n9,0.5,True,None,,True\n9,0.4,False,,,None\n");
    auto file = parse_sweep(
        "metric: {name: loss}\nrun_cap: 9\nmethod: tpe\ncommand: [train, \"${args}\"]\n"
        "parameters: {nesterov: {values: [true, false]}, warmup: {values: [3, null]},"
        " decay: {values: [null, 1], when: nesterov}, word: {values: [\"True\", \"None\", null]}}\n"
        "warm_start: " +
            path + "\nscheduler: {type: asha, max: 9}\n",
        "sweep.yaml");

    gather(file);

    REQUIRE(file.spec.warm_start.size() == 2);
    const Value none = value_from_json(nullptr);
    CHECK(file.spec.warm_start[0].config ==
          Config{{"nesterov", true}, {"warmup", none}, {"word", std::string("True")}});
    CHECK(file.spec.warm_start[1].config ==
          Config{{"nesterov", false}, {"warmup", none}, {"word", std::string("None")}});
}

TEST_CASE("a parameter is read from its own column, even if a metric or a trial's own column has its name") {
    const TemporaryFolder folder;
    auto file = sweep_with("[" + table(folder, "resource,loss,x,metrics.x,n,parameters.n\n9,0.5,0.25,0.001,7,3\n") + "]");

    gather(file);

    CHECK(file.spec.warm_start[0].config == Config{{"x", 0.25}, {"n", std::int64_t{3}}});
}

TEST_CASE("the error for an unusable source gives its place, its reason and a remedy") {
    const TemporaryFolder folder;
    const std::pair<const char*, const char*> tables[]{
        {"resource,loss,y\n9,0.5,1\n", "t.csv: it has no parameter that this sweep searches (x, kind, n); remove it"},
        {"resource,loss,x\n9,0.5,2\n", "t.csv: none of its 1 results is in the space of this sweep (x); widen"},
        {"resource,loss,x\n0,,0.5\n", "t.csv: none of its trials has a result; remove it"},
        {"resource,acc,x\n9,0.5,1\n", "loss"},
        {"loss,x\n0.5,1\n", "resource"},
        {"resource,loss,x\n9,good,0.5\n", "t.csv:2"},
        {"resource,loss,x\n0,0.5,0.5\n", "t.csv:2: '0' in the column 'resource' is not a resource"},
        {"resource,loss,x\n9,nan,0.5\n", "warm_start: no result has a finite loss"},
    };
    for (const auto& [text, part] : tables) {
        CAPTURE(text);
        auto file = sweep_with("[" + table(folder, text) + "]");

        const auto error = tests::error_of([&] { gather(file); });

        CHECK_MESSAGE(error.starts_with("sweep.yaml:6:"), error);
        CHECK_MESSAGE(error.find(part) != std::string::npos, error);
    }
    auto file = sweep_with("[" + table(folder, "resource,loss,x\n9,0.5,0.5\n") + "]", "{type: fifo, max: 27}");
    auto error = tests::error_of([&] { gather(file); });
    CHECK_MESSAGE(error.find("are first judged (27)") != std::string::npos, error);
    file.spec.scheduler.max = unlimited_resource;
    error = tests::error_of([&] { gather(file); });
    CHECK_MESSAGE(error.find("no finite result comes from a completed trial") != std::string::npos, error);
    file = sweep_with("[" + table(folder, "resource,loss,x\n9,0.5,0.5\n") + ", " + table(folder, "loss\n") + "]");
    error = tests::error_of([&] { gather(file); });
    CHECK_MESSAGE(error.find("t.csv is listed twice, but each result counts once; remove one") != std::string::npos,
                  error);
    CHECK_MESSAGE(error.find("warm_start[1]") != std::string::npos, error);
    file = sweep_with("[nowhere]");
    error = tests::error_of([&] { gather(file); });
    CHECK_MESSAGE(error.starts_with("sweep.yaml:6:14: warm_start[0]: nowhere: there is no such file or folder"), error);
}

TEST_CASE("a sweep with another metric or goal, or with damage, is refused") {
    const std::pair<const char*, const char*> metrics[]{
        {"{name: loss, goal: maximize}", "its goal is to maximize loss, but this sweep's is to minimize it"},
        {"{name: error}", "its metric is error but this sweep's is loss"},
    };
    for (const auto& [metric, part] : metrics) {
        const TemporaryFolder folder;
        auto file = sweep_with(earlier_sweep(folder, metric).string());

        const auto error = tests::error_of([&] { gather(file); });

        CHECK_MESSAGE(error.find(part) != std::string::npos, error);
    }
    const TemporaryFolder folder;
    const auto path = earlier_sweep(folder);
    std::fstream(path / "journal.jsonl", std::ios::in | std::ios::out).seekp(20) << "damage";
    auto file = sweep_with(path.string());
    const auto error = tests::error_of([&] { gather(file); });
    CHECK_MESSAGE(error.starts_with("sweep.yaml:6:1: warm_start[0]: "), error);
    CHECK_MESSAGE(error.find("journal.jsonl") != std::string::npos, error);
}

TEST_CASE("a new sweep keeps a copy of its earlier results, and a changed copy is refused") {
    const TemporaryFolder folder;
    auto file = sweep_with("[" + table(folder, "resource,loss,x\n9,0.5,0.5\n") + "]");
    gather(file);
    const auto directory = create_sweep(folder / "new", file);
    std::filesystem::remove(folder / "t.csv");

    CHECK(RecordedSweep(directory.path()).file.spec.warm_start == file.spec.warm_start);
    std::ofstream(directory.warm_start(), std::ios::app) << "{}\n";
    const auto error = tests::error_of([&] { RecordedSweep{directory.path()}; });
    CHECK_MESSAGE(error.find("warm_start.jsonl: has changed since") != std::string::npos, error);
}
