#include "launch/steering/steering.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "launch/directory/frozen_file.hpp"
#include "launch/json/event_json.hpp"
#include "tests/contains.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;
using crescendo::tests::TemporaryFolder;

namespace {

const std::string sweep_text =
    "metric: {name: loss}\nrun_cap: 4\nmax_retries: 0\nparameters: {a: {min: 1, max: 2}}\n"
    "scheduler: {type: asha, max: 4, reduction_factor: 2}\ntrainer: {}\n";

/// A sweep on two slots, where trial 0 is complete, 1 has failed, and 2 and 3 run.
struct SteeredFixture {
    SteeredFixture()
        : directory(SweepDirectory::create(folder / "s", sweep_text, {{"sweep", "s"}})),
          history(directory.read_sweep({}).spec) {
        const OrderedJson header{{"file", FrozenFile(sweep_text, "s.yaml").to_json()}};
        Journal::create(directory.journal(), header);
        apply(session_note(1, "h", 2));
        for (const Event& event : {Event{SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}}},
                                   Event{TrialReported{TrialId{0}, Resource{4}, 0.5}},
                                   Event{TrialFailed{TrialId{1}, FailureKind::error}}}) {
            Json record = to_json(event);
            record["time"] = 1.0;
            apply(record);
        }
    }

    void apply(const Json& record) { history.apply(record); }

    Steered steered(const Request& request) const { return steer(request, directory, history, /*time=*/2); }

    /// Carries out the request, and returns the answer.
    std::string done(const Request& request) {
        auto steered = this->steered(request);
        for (const auto& record : steered.records) {
            apply(record);
        }
        return steered.text;
    }

    std::string refusal(const Request& request) const {
        try {
            steered(request);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return {};
    }

    TrialStatus status(int trial) const { return history.sweep().trial(TrialId{trial}).status; }

    TemporaryFolder folder;
    SweepDirectory directory;
    History history;
};

}  // namespace

TEST_CASE("a trial is paused and resumed once, and asking again changes nothing") {
    SteeredFixture fixture;

    CHECK(fixture.done(PauseRequest{TrialId{2}}) == "trial 2 saves and pauses");
    CHECK(fixture.status(2) == TrialStatus::held);
    CHECK(fixture.steered(PauseRequest{TrialId{2}}).records.empty());
    CHECK(fixture.done(PauseRequest{TrialId{2}}) == "trial 2 is already paused");
    CHECK(fixture.done(ResumeRequest{TrialId{2}}) == "trial 2 continues as soon as slots are free");
    CHECK(fixture.status(2) == TrialStatus::running);
    CHECK(fixture.steered(ResumeRequest{TrialId{2}}).records.empty());
    CHECK(fixture.done(ResumeRequest{TrialId{2}}) == "trial 2 is running, and not held");
}

TEST_CASE("a trial that waits for slots is paused without slots, and only released when it is resumed") {
    SteeredFixture fixture;
    fixture.done(RetryRequest{TrialId{1}});

    CHECK(fixture.done(PauseRequest{TrialId{1}}) == "trial 1 gets no slots until it is resumed");
    CHECK(fixture.status(1) == TrialStatus::held);
    CHECK(fixture.done(ResumeRequest{TrialId{1}}) == "trial 1 continues as soon as slots are free");
    CHECK(fixture.status(1) == TrialStatus::waiting);
}

TEST_CASE("a trial that has ended or not started cannot be paused or resumed") {
    const SteeredFixture fixture;

    for (const Request& late : {Request{PauseRequest{TrialId{0}}}, Request{ResumeRequest{TrialId{0}}}}) {
        CHECK(contains(fixture.refusal(late), "trial 0 has already ended: it is finished (completed)"));
    }
    for (const Request& early : {Request{PauseRequest{TrialId{9}}}, Request{ResumeRequest{TrialId{9}}}}) {
        CHECK(contains(fixture.refusal(early), "trial 9 has not started"));
    }
}

TEST_CASE("a trial is stopped once, and asking again changes nothing") {
    SteeredFixture fixture;

    CHECK(fixture.done(StopRequest{TrialId{2}}) == "trial 2 stops");
    CHECK(fixture.status(2) == TrialStatus::stopped);
    CHECK(fixture.steered(StopRequest{TrialId{2}}).records.empty());
    CHECK(fixture.done(StopRequest{TrialId{2}}) == "trial 2 was already stopped");
}

TEST_CASE("a trial that has ended or not started cannot be stopped, and the answer says why") {
    const SteeredFixture fixture;
    CHECK(contains(fixture.refusal(StopRequest{TrialId{0}}), "trial 0 has already ended: it is finished (completed)"));
    CHECK(contains(fixture.refusal(StopRequest{TrialId{1}}), "trial 1 has already ended: it is failed (failed)"));
    CHECK(contains(fixture.refusal(StopRequest{TrialId{4}}), "trial 4 has not started: the sweep has started 4"));
}

TEST_CASE("a failed trial is retried once, by its number or together with all failed trials") {
    for (const auto& request : {RetryRequest{TrialId{1}}, RetryRequest{}}) {
        SteeredFixture fixture;

        const auto text = fixture.done(request);

        CHECK(text == (request.trial ? "trial 1 is tried again" : "1 failed trial is tried again"));
        CHECK(fixture.status(1) == TrialStatus::waiting);
        CHECK(fixture.steered(request).records.empty());
    }
    const SteeredFixture fixture;
    CHECK(contains(fixture.refusal(RetryRequest{TrialId{0}}), "trial 0 is finished (only a failed trial"));
    CHECK(contains(fixture.refusal(RetryRequest{TrialId{9}}), "trial 9 has not started: the sweep has started 4"));
}

TEST_CASE("several limits change in one event, and limits set earlier stay") {
    SteeredFixture fixture;

    const auto steered = fixture.steered(SetRequest{{{"run_cap", "9"}, {"budget.time", "\"12h\""}}});

    CHECK(steered.text == "run_cap=9, budget.time=\"12h\" from now on");
    CHECK(fixture.steered(SetRequest{{{"run_cap", "9"}, {"hang_timeout", "5m"}}}).text ==
          "run_cap=9 from now on; hang_timeout=5m from the next session on");
    REQUIRE(steered.file);
    CHECK(steered.file->time_budget == std::chrono::hours(12));
    REQUIRE(steered.records.size() == 1);
    fixture.apply(steered.records.front());
    CHECK(fixture.history.sweep().spec().run_cap == 9);
    CHECK(fixture.history.limits_changes().size() == 1);
    // Limits set earlier stay.
    fixture.done(SetRequest{{{"max_retries", "3"}}});
    CHECK(fixture.history.sweep().spec().run_cap == 9);
}

TEST_CASE("invalid limits are refused, and so is an edited sweep file") {
    SteeredFixture fixture;
    CHECK(contains(fixture.refusal(SetRequest{{{"run_cap", "many"}}}), "'many' is text"));
    CHECK(contains(fixture.refusal(SetRequest{{{"run_cap", {}}}}), "nothing ends this sweep"));

    auto edited = sweep_text;
    std::ofstream(fixture.directory.sweep_file()) << edited.replace(edited.find("max: 2"), 6, "max: 3");

    CHECK(contains(fixture.refusal(SetRequest{{{"run_cap", "9"}}}), "parameters.a.max: is 3 now but was 2"));
}

TEST_CASE("notes and tags belong to the sweep or to a trial that has started") {
    SteeredFixture fixture;

    CHECK(fixture.done(NoteRequest{TrialId{3}, "diverged"}) == "trial 3: noted");
    CHECK(fixture.done(NoteRequest{{}, "new data"}) == "the sweep: noted");
    CHECK(fixture.history.annotations().user_notes().size() == 2);
    CHECK(fixture.done(TagRequest{TrialId{3}, {"a", "b"}, {}}) == "trial 3 is tagged a, b");
    CHECK(fixture.steered(TagRequest{TrialId{3}, {"b"}, {"c"}}).records.empty());
    CHECK(fixture.done(TagRequest{TrialId{3}, {}, {"a", "b"}}) == "trial 3 has no tag");
    CHECK(contains(fixture.refusal(NoteRequest{TrialId{4}, "x"}), "has not started"));
    CHECK(contains(fixture.refusal(NoteRequest{{}, ""}), "a note has 1 to 4096 bytes"));
    CHECK(contains(fixture.refusal(NoteRequest{{}, std::string(4097, 'x')}), "this one has 4097"));
    for (const std::string tag : {"", "two words", "a,b", "\x1b[31m"}) {
        CHECK(contains(fixture.refusal(TagRequest{{}, {tag}, {}}), "is not a tag, which is one word"));
    }
}

TEST_CASE("a listed text is enqueued unchanged, even if YAML would read another value or none") {
    const std::string text =
        "metric: {name: loss}\nrun_cap: 9\nparameters:\n  c: {values: [red, 'red #2', 'a: b', '3', 3]}\n"
        "  only: {value: 'x: y'}\n  n: {min: 1, max: 5}\nscheduler: {type: fifo, max: 4}\ncommand: [train]\n";
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "s", text, {{"sweep", "s"}});
    const History history(directory.read_sweep({}).spec);
    const auto enqueued = [&](const std::string& name, const std::string& value) {
        const auto steered = steer(EnqueueRequest{{{name, value}}}, directory, history, /*time=*/2);
        return steered.records.front().at("config").at(name);
    };

    CHECK(enqueued("c", "red #2") == "red #2");
    CHECK(enqueued("c", "red") == "red");
    CHECK(enqueued("c", "a: b") == "a: b");
    CHECK(enqueued("only", "x: y") == "x: y");
    // YAML tells the number from its text.
    CHECK(enqueued("c", "3") == 3);
    CHECK(enqueued("c", "'3'") == "3");
    CHECK_THROWS_WITH_AS(enqueued("n", "3\nc: red"), doctest::Contains("is more than one value for n; "), InvalidInput);
}
