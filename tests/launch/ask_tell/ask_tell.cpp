#include "launch/ask_tell/ask_tell.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "launch/journal/history.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

/// Trials stop at 1 and 3 unless they are among the best third, and are complete at 9.
SweepSpec asha(int run_cap) {
    SweepSpec spec;
    spec.metric = "accuracy";
    spec.goal = Goal::maximize;
    spec.run_cap = run_cap;
    spec.space = SearchSpace({{"x", Uniform{0, 1}}});
    spec.scheduler.kind = SchedulerKind::asha;
    spec.scheduler.max = Resource{9};
    return spec;
}

/// A sweep after the events of a journal.
Sweep recorded(const SweepSpec& spec, const std::filesystem::path& journal) {
    return History::read(spec, journal).sweep();
}

std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(Json::parse(line));
    }
    return lines;
}

/// The only answer to a line.
Json ask(AskTell& conversation, const std::string& line) {
    const auto answers = lines_of(conversation.take(line + '\n'));
    REQUIRE(answers.size() == 1);
    return answers.front();
}

std::string error_of(AskTell& conversation, const std::string& line) {
    const auto answer = ask(conversation, line);
    return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}

/// The actions of an answer with their trials, like "start_trial 0, start_trial 1".
std::string actions_of(const Json& answer) {
    std::string result;
    for (const auto& action : answer.at("actions")) {
        result += (result.empty() ? "" : ", ") + action.at("action").get<std::string>();
        if (action.contains("trial")) {
            result += ' ' + action["trial"].dump();
        }
    }
    return result;
}

std::string report(int trial, int resource, const std::string& accuracy) {
    return R"({"event":"trial_reported","trial":)" + std::to_string(trial) + R"(,"resource":)" +
           std::to_string(resource) + R"(,"metrics":{"accuracy":)" + accuracy + "}}";
}

}  // namespace

TEST_CASE("a conversation leads from the first slot to the best trial") {
    AskTell conversation(asha(2));

    CHECK(actions_of(ask(conversation, R"({"event":"slots_joined","slots":1})")) == "start_trial 0");
    CHECK(actions_of(ask(conversation, report(0, 1, "0.5"))) == "");  // it keeps training
    CHECK(actions_of(ask(conversation, report(0, 9, "0.9"))) == "stop_trial 0, start_trial 1");
    const auto last = ask(conversation, report(1, 1, "0.4"));

    CHECK(actions_of(last) == "stop_trial 1, drop_checkpoint 1, finish_sweep");
    CHECK(last["actions"][2]["best"]["trial"] == 0);
    CHECK(last["actions"][2]["best"]["metrics"]["accuracy"] == 0.9);
    CHECK(last["actions"][2]["reason"] == "all_trials_done");
}

TEST_CASE("a start says what to train and where") {
    AskTell conversation(asha(1));

    const auto start = ask(conversation, R"({"event":"slots_joined","slots":[{"slot":7,"node":2}]})")["actions"][0];

    CHECK(start["slots"] == Json{7});
    CHECK(start["config"]["x"].is_number_float());
    CHECK(start["generation"] == 0);
}

TEST_CASE("a launcher gets whole numbers if q is a whole number") {
    auto spec = asha(1);
    spec.space = SearchSpace({{"width", QUniform{16, 128, 16}}});
    AskTell conversation(spec);

    const auto start = ask(conversation, R"({"event":"slots_joined","slots":1})")["actions"][0];

    CHECK(start["config"]["width"].is_number_integer());
}

TEST_CASE("the numbers of new slots follow those of the earlier ones") {
    AskTell conversation(asha(9));

    ask(conversation, R"({"event":"slots_joined","slots":2})");
    const auto answer = ask(conversation, R"({"event":"slots_joined","slots":1})");

    CHECK(answer["actions"][0]["slots"] == Json{2});
}

TEST_CASE("a regroup names all the slots of the group") {
    auto spec = asha(1);
    spec.scheduler.kind = SchedulerKind::rasda;
    AskTell conversation(spec);
    ask(conversation, R"({"event":"slots_joined","slots":4})");

    const auto regroup = ask(conversation, report(0, 1, "0.5"))["actions"][0];

    CHECK(regroup["action"] == "regroup");
    CHECK(regroup["slots"] == Json{0, 1, 2});
    CHECK(regroup["generation"] == 1);
}

TEST_CASE("a trial that continues without more workers gets its larger batch in the answer") {
    auto spec = asha(2);
    spec.scheduler.kind = SchedulerKind::rasda;
    spec.scheduler.batch = BatchPolicy::ladder;
    spec.scheduler.max_workers = 3;
    AskTell conversation(spec);
    ask(conversation, R"({"event":"slots_joined","slots":1})");

    const auto at_rung = ask(conversation, report(0, 1, "0.5"));
    const auto between = ask(conversation, report(0, 2, "0.6"));

    CHECK(at_rung["actions"].empty());  // no slot is free
    CHECK(at_rung["batch_multiple"] == 3);
    CHECK_FALSE(between.contains("batch_multiple"));
}

TEST_CASE("only the regroup action has the batch that grows with its group") {
    auto spec = asha(1);
    spec.scheduler.kind = SchedulerKind::rasda;
    spec.scheduler.batch = BatchPolicy::ladder;
    AskTell conversation(spec);
    ask(conversation, R"({"event":"slots_joined","slots":4})");

    const auto answer = ask(conversation, report(0, 1, "0.5"));

    CHECK(answer["actions"][0]["batch_multiple"] == 3);
    CHECK_FALSE(answer.contains("batch_multiple"));
}

TEST_CASE("a trial pauses at a rung and is resumed if it is among the best") {
    auto spec = asha(3);
    spec.scheduler.mode = Mode::promote;
    AskTell conversation(spec);
    ask(conversation, R"({"event":"slots_joined","slots":1})");

    CHECK(actions_of(ask(conversation, report(0, 1, "0.5"))) == "pause_trial 0, start_trial 1");
    CHECK(actions_of(ask(conversation, report(1, 1, "0.6"))) == "pause_trial 1, start_trial 2");
    CHECK(actions_of(ask(conversation, report(2, 1, "0.4"))) == "pause_trial 2, resume_trial 1");
}

TEST_CASE("an answer is sent as soon as its line is complete, not before") {
    AskTell conversation(asha(2));

    CHECK(conversation.take(R"({"event":"slots_)").empty());
    CHECK(lines_of(conversation.take("joined\",\"slots\":1}\n{\"event\":\"time_up\"}\n{\"ev")).size() == 2);
    CHECK(lines_of(conversation.end()).size() == 1);
    CHECK(conversation.end().empty());
}

TEST_CASE("every bad line gets an error with its line number and changes nothing") {
    AskTell conversation(asha(9));
    ask(conversation, R"({"event":"slots_joined","slots":2})");
    ask(conversation, report(0, 1, "0.5"));
    ask(conversation, report(0, 2, "0.5"));
    const std::vector<std::pair<std::string, std::string>> bad{
        {"", "not a JSON object"},
        {"slots_joined", "not a JSON object"},
        {"[1]", "not a JSON object"},
        {"{\"event\":\"\xff\"}", "not a JSON object"},
        {R"({"event":"trial_joined"})", "must be slots_joined, slots_lost"},
        {R"({"evnt":"time_up"})", "needs the key \"event\""},
        {R"({"event":"slots_joined","slots":0})", "use a whole number from 1"},
        {R"({"event":"slots_joined","slots":2000000000})", "use a whole number from 1"},
        {R"({"event":"slots_joined","slots":1.5})", "use a whole number from 1"},
        {R"({"event":"slots_joined","slots":[{"slot":1,"node":0}]})", "it already exists"},
        {R"({"event":"slots_lost","slots":[9]})", "never joined"},
        {report(7, 1, "0.5"), "trial 7 is unknown"},
        {report(-1, 1, "0.5"), "trial -1 is unknown"},
        {report(1, 0, "0.5"), "a report comes after some training"},
        {report(0, -3, "0.5"), "a report comes after some training"},
        {report(0, 1, "0.5"), "the total cannot decrease"},
        {report(0, 3, "true"), "use a number"},
        {R"({"event":"trial_reported","trial":0,"resource":2,"metrics":{"loss":1}})", "lacks \"accuracy\""},
        {R"({"event":"trial_reported","trial":0,"resource":2})", "\"metrics\" is missing"},
        {R"({"event":"trial_reported","trial":0,"resource":99999999999999999999,"metrics":{"accuracy":1}})",
         "a 64-bit whole number"},
        {R"({"event":"trial_failed","trial":0,"kind":"bad luck"})", "crash, error, repeated_error or out_of_memory"},
    };
    std::int64_t number = 3;

    for (const auto& [line, message] : bad) {
        CAPTURE(line);
        const auto answer = ask(conversation, line);
        REQUIRE(answer.contains("error"));
        CHECK(answer["error"]["message"].get<std::string>().find(message) != std::string::npos);
        CHECK(answer["error"]["line"] == ++number);
    }

    CHECK(conversation.sweep().num_slots() == 2);
    CHECK(conversation.sweep().trial(TrialId{0}).resource == Resource{2});
}

TEST_CASE("deep nesting and long lines are errors, and the conversation continues") {
    AskTell conversation(asha(9));

    CHECK(error_of(conversation, std::string(1'000'000, '[')).find("nested more than") != std::string::npos);
    CHECK(error_of(conversation, R"({"event":)" + std::string(100'000, '[')).find("nested") != std::string::npos);
    CHECK(error_of(conversation, std::string(AskTell::longest_line + 1, ' ')).find("longer") != std::string::npos);
    CHECK(actions_of(ask(conversation, R"({"event":"slots_joined","slots":1})")) == "start_trial 0");
}

TEST_CASE("metrics that are not finite rank worst, however they are written") {
    for (const auto* metric : {"null", "NaN", "Infinity", "-Infinity"}) {
        CAPTURE(metric);
        AskTell conversation(asha(9));
        ask(conversation, R"({"event":"slots_joined","slots":2})");
        ask(conversation, report(0, 1, "0.5"));

        CHECK(actions_of(ask(conversation, report(1, 1, metric))) == "stop_trial 1, drop_checkpoint 1, start_trial 2");
    }
}

TEST_CASE("a resumed trial may repeat its earlier reports") {
    AskTell conversation(asha(1));
    ask(conversation, R"({"event":"slots_joined","slots":1})");
    ask(conversation, report(0, 1, "0.5"));
    ask(conversation, report(0, 2, "0.6"));

    CHECK(actions_of(ask(conversation, R"({"event":"trial_failed","trial":0,"kind":"crash"})")) == "resume_trial 0");
    CHECK(actions_of(ask(conversation, report(0, 1, "0.5"))) == "");
    CHECK(actions_of(ask(conversation, report(0, 2, "0.6"))) == "");
    CHECK(error_of(conversation, report(0, 1, "0.5")).find("the total cannot decrease") != std::string::npos);
}

TEST_CASE("an event after the end of the sweep is answered with finish_sweep") {
    AskTell conversation(asha(1));
    ask(conversation, R"({"event":"cancelled"})");

    CHECK(actions_of(ask(conversation, R"({"event":"slots_joined","slots":1})")) == "finish_sweep");
}

TEST_CASE("a conversation continues from its journal with nothing lost except the slots") {
    const TemporaryFolder folder;
    const auto path = folder / "journal";
    {
        auto journal = Journal::create(path);
        AskTell conversation(recorded(asha(9), path), journal);
        ask(conversation, R"({"event":"slots_joined","slots":2})");
        ask(conversation, report(0, 1, "0.5"));
        ask(conversation, report(5, 1, "0.5"));
        ask(conversation, R"({"event":"trial_reported","trial":1,"resource":1,"metrics":{"accuracy":0.5},)"
                          R"("step_seconds":0.25,"noise_scale":"loud","step":"mine"})");
        ask(conversation, report(0, 2, "NaN"));
        journal.sync();
    }

    auto journal = Journal::open(path);
    AskTell conversation(recorded(asha(9), path), journal);
    journal.sync();

    CHECK(conversation.sweep().trial(TrialId{0}).resource == Resource{2});
    CHECK(actions_of(ask(conversation, R"({"event":"slots_joined","slots":1})")) == "resume_trial 0");
    const auto history = History::read(asha(9), path);
    CHECK(history.sessions().size() == 2);
    CHECK(history.of(TrialId{0}).reports.back().resource == Resource{2});
    CHECK(std::isnan(history.of(TrialId{0}).reports.back().metrics.at("accuracy")));
    CHECK(history.of(TrialId{1}).reports.back().step_seconds == 0.25);
    CHECK_FALSE(history.of(TrialId{1}).reports.back().noise_scale.has_value());
}

TEST_CASE("a launcher has to stop a new trial if the sweep ends while its configuration is journalled") {
    const TemporaryFolder folder;
    auto journal = Journal::create(folder / "journal");
    auto spec = asha(9);
    spec.scheduler.mode = Mode::promote;
    spec.scheduler.reduction_factor = 2;
    spec.scheduler.max = Resource{2};
    spec.patience.trials = 1;
    AskTell conversation(Sweep(spec), journal);
    ask(conversation, R"({"event":"slots_joined","slots":1})");
    ask(conversation, report(0, 2, "0.6"));  // it trained ahead and is paused at the first rung
    ask(conversation, report(1, 1, "0.9"));
    ask(conversation, report(1, 2, "0.9"));
    ask(conversation, report(2, 1, "0.5"));

    const auto answer = ask(conversation, report(3, 1, "0.4"));  // trial 0 is promoted and complete, but no better

    CHECK(actions_of(answer) ==
          "pause_trial 3, drop_checkpoint 0, start_trial 4, stop_trial 4, drop_checkpoint 4, drop_checkpoint 2, "
          "drop_checkpoint 3, finish_sweep");
}

TEST_CASE("a launcher may report the training clock, and a continued conversation keeps it") {
    const TemporaryFolder folder;
    const auto path = folder / "journal";
    auto line = Json::parse(report(0, 1, "0.5"));
    line["clock"] = "its own";
    {
        auto journal = Journal::create(path);
        AskTell conversation(recorded(asha(9), path), journal);
        ask(conversation, R"({"event":"slots_joined","slots":2})");
        CHECK(actions_of(ask(conversation, line.dump())) == "");
        CHECK_FALSE(conversation.sweep().trial(TrialId{0}).seconds.has_value());
        line["resource"] = 2;
        line["seconds"] = -1;
        CHECK(error_of(conversation, line.dump()).find("\"seconds\" is -1") != std::string::npos);
        line["seconds"] = 41.2;
        ask(conversation, line.dump());
        journal.sync();
    }

    auto journal = Journal::open(path);
    const AskTell conversation(recorded(asha(9), path), journal);

    CHECK(conversation.sweep().trial(TrialId{0}).seconds == 41.2);
    CHECK(History::read(asha(9), path).of(TrialId{0}).reports.back().seconds == 41.2);
}

TEST_CASE("a limit on a trial's own time needs the clock in each report") {
    auto spec = asha(2);
    spec.trial_end.seconds = 10;
    AskTell conversation(spec);
    ask(conversation, R"({"event":"slots_joined","slots":1})");
    auto line = Json::parse(report(0, 1, "0.5"));

    CHECK(error_of(conversation, line.dump()).find("\"seconds\" is missing (trial.time") != std::string::npos);
    line["seconds"] = 10.0;
    const auto answer = ask(conversation, line.dump());

    CHECK(actions_of(answer) == "stop_trial 0, start_trial 1");
    CHECK(answer["actions"][0]["reason"] == "reached");
}

TEST_CASE("the configurations of a conversation are in its journal and apply when it continues") {
    const TemporaryFolder folder;
    const auto path = folder / "journal";
    Config config;
    {
        auto journal = Journal::create(path);
        AskTell conversation(recorded(asha(9), path), journal);
        ask(conversation, R"({"event":"slots_joined","slots":1})");
        config = conversation.sweep().trial(TrialId{0}).config;
        journal.sync();
    }
    auto spec = asha(9);
    spec.seed = 99;

    auto journal = Journal::open(path);
    AskTell conversation(recorded(spec, path), journal);

    CHECK(conversation.sweep().trial(TrialId{0}).config == config);
    CHECK(config != RandomSampler(spec.space, 99).propose(TrialId{0})->config);
}

TEST_CASE("a launcher may propose configurations, change limits and retry failed trials") {
    auto spec = asha(1);
    spec.max_retries = 0;
    AskTell conversation(spec);

    ask(conversation, R"({"event":"trial_proposed","trial":0,"config":{"x":0.75}})");
    const auto start = ask(conversation, R"({"event":"slots_joined","slots":1})")["actions"][0];
    CHECK(start["config"]["x"] == 0.75);
    for (const char* value : {"\"abc\"", "null", "-1e9"}) {
        const auto line = std::string(R"({"event":"trial_proposed","trial":1,"config":{"x":)") + value + "}}";
        CHECK(error_of(conversation, line).find("which the parameter cannot be") != std::string::npos);
    }
    CHECK(actions_of(ask(conversation, R"({"event":"trial_failed","trial":0,"kind":"crash"})")) == "finish_sweep");
    CHECK(actions_of(ask(conversation, R"({"event":"trial_retried","trial":0})")) == "resume_trial 0");
    CHECK(actions_of(ask(conversation, report(0, 9, "0.5"))) == "stop_trial 0, finish_sweep");
    CHECK(actions_of(ask(conversation, R"({"event":"limits_changed","run_cap":2,"target":null,"time_budget":false,)"
                                       R"("max_concurrent":null,"max_retries":0,"time_left":true})")) ==
          "start_trial 1");
    CHECK(error_of(conversation, R"({"event":"trial_retried","trial":0})").find("only a failed trial can be retried") !=
          std::string::npos);
}
