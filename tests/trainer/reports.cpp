// Tests of when a trial reports and what its clock says.

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/gate.hpp"
#include "tests/trainer/record.hpp"
#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer::test;

namespace {

/// Terms with a report after every `every` units. An epoch of the sweep's set has 12 steps of 8 samples.
Terms reporting(const SweepFixture& sweep, const std::string& name, std::int64_t every, const char* unit) {
    Terms terms = sweep.terms(name);
    terms.settings["report"] = {{"every", every}, {"unit", unit}};
    return terms;
}

/// Continues after each report until one has `resource`. Returns all reports.
std::vector<Json> reports_until(FakeCrescendo& crescendo, const Terms& terms, std::int64_t resource) {
    std::vector<Json> reports;
    crescendo.join({0}, "new", terms);
    while (true) {
        reports.push_back(crescendo.await(0, "report"));
        if (reports.back()["resource"] >= resource) {
            return reports;
        }
        crescendo.go_on({0}, terms);
    }
}

std::vector<std::int64_t> resources(const std::vector<Json>& reports) {
    std::vector<std::int64_t> all;
    for (const auto& report : reports) {
        all.push_back(report["resource"]);
    }
    return all;
}

/// How long the group trained until its report at `resource`, according to the log.
double seconds_of_training(const Terms& terms, const std::string& unit, std::int64_t resource) {
    const std::string log = content(terms.directory / "trainer.log");
    const auto line = log.find(unit + " " + std::to_string(resource) + ", ");
    REQUIRE(line != std::string::npos);
    const auto end = log.find(" s training", line);
    return std::stod(log.substr(log.rfind(' ', end - 1), end));
}

/// Whether the steps of some report took less time than its evaluation, which is impossible if evaluations count as
/// steps. A single report is not enough, because the machine may stall during its steps.
bool are_told_apart(const std::vector<Json>& reports) {
    return std::ranges::adjacent_find(reports, [](const Json& before, const Json& after) {
               const auto more = [&](const char* clock) {
                   return after[clock].get<double>() - before[clock].get<double>();
               };
               return more("seconds") < more("evaluated");
           }) != reports.end();
}

/// Measures an upper bound for the trial's clock.
class Stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }

  private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// A group that reports every second and has just regrouped. Rank 0 waited for the other member until the next report
/// was due by its own clock.
struct LateMember {
    const SweepFixture sweep;
    const std::vector<int> members{0, 1};
    Terms terms = reporting(sweep, "trial", 1, "seconds");
    FakeCrescendo crescendo{2, "recording-trainer", environment()};
    Json last;  ///< the report before the regroup

    LateMember() {
        last = crescendo.train(members, "new", terms, 1);
        terms.reported = last["resource"];
        crescendo.stop(1);
        crescendo.join(members, "memory", terms);
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        crescendo.signal(1, SIGCONT);
    }

    Json report() { return crescendo.await(0, "report"); }

  private:
    Environment environment() const {
        Environment variables = sweep.recording();
        variables.emplace_back("TEST_PAUSE", "20");  // milliseconds per step
        return variables;
    }
};

}  // namespace

TEST_CASE("a trial reports after a given number of steps, samples or epochs, even within an epoch") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "recording-trainer", sweep.recording());

    auto reports = reports_until(crescendo, reporting(sweep, "steps", 5, "steps"), 25);
    CHECK(resources(reports) == std::vector<std::int64_t>{5, 10, 15, 20, 25});
    const auto by_epoch = samples_by_epoch(sweep.record());
    CHECK(by_epoch.at(0) == each_once(sweep.num_samples));
    CHECK(by_epoch.at(1) == each_once(sweep.num_samples));
    crescendo.leave({0}, /*save=*/false);

    reports = reports_until(crescendo, reporting(sweep, "samples", 20, "samples"), 100);
    CHECK(resources(reports) == std::vector<std::int64_t>{20, 40, 60, 80, 100});  // after 24, 40, 64, 80, 104
    crescendo.leave({0}, /*save=*/false);

    reports = reports_until(crescendo, reporting(sweep, "epochs", 2, "epochs"), 4);
    CHECK(resources(reports) == std::vector<std::int64_t>{2, 4});
    crescendo.leave({0}, /*save=*/false);

    Terms terms = reporting(sweep, "rest", 3, "epochs");
    terms.max_resource = 4;
    CHECK(resources(reports_until(crescendo, terms, 4)) == std::vector<std::int64_t>{3, 4});
    crescendo.leave({0}, /*save=*/true);
    CHECK(load(terms.directory / "checkpoint.pt").progress["epoch"] == 4);  // not up to the next multiple
}

TEST_CASE("a step that passes several reports makes one, and the last report is at the end of the trial") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = reporting(sweep, "trial", 3, "samples");  // a step has 8 samples
    terms.max_resource = 25;

    CHECK(resources(reports_until(crescendo, terms, 25)) == std::vector<std::int64_t>{6, 15, 24, 25});
}

TEST_CASE("members agree whether a report by seconds is due, even if their regroups took different times") {
    LateMember group;

    const Json report = group.report();

    CHECK(report["resource"] >= 2);
    CHECK(report["seconds"] >= report["resource"]);
    group.crescendo.go_on(group.members, group.terms);
    CHECK(group.report()["resource"] >= 3);
}

TEST_CASE("a group that reports before its first step counts time from its own start") {
    const Stopwatch watch;
    LateMember group;

    const Json report = group.report();

    CHECK(report["metrics"]["train_loss"] == group.last["metrics"]["train_loss"]);  // not the loss of no samples
    CHECK(seconds_of_training(group.terms, "second", report["resource"]) < watch.seconds());
}

TEST_CASE("a trial that regroups before its first step makes a step before it reports") {
    const SweepFixture sweep;
    const Terms terms = reporting(sweep, "trial", 1, "seconds");
    const std::vector<int> members{0, 1};
    FakeCrescendo crescendo(2, "crescendo-trainer");
    crescendo.stop(1);
    crescendo.join(members, "new", terms);
    crescendo.join(members, "memory", terms);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));  // a report is due after rank 0's wait alone
    crescendo.signal(1, SIGCONT);

    CHECK(crescendo.await(0, "report")["metrics"]["train_loss"].is_number());
}

TEST_CASE("the log says that fp16 steps updated nothing because their gradients were not finite") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings.update({{"precision", "fp16"}, {"lr", 1e10}});  // after one update, no value fits into fp16

    CHECK(crescendo.train({0}, "new", terms, 1)["metrics"]["train_loss"].is_number());
    crescendo.go_on({0}, terms);
    CHECK(crescendo.await(0, "report")["metrics"]["train_loss"].is_null());  // no step had a finite loss

    const std::string log = content(terms.directory / "trainer.log");
    CHECK(log.find(" updated nothing, because their gradients were not finite in fp16; in ") != std::string::npos);
}

TEST_CASE("reports within epochs change neither the trial's weights nor its regroups") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(3, "crescendo-trainer");
    const std::vector<int> members{0, 1, 2};
    Terms undisturbed = reporting(sweep, "undisturbed", 5, "steps");
    Terms regrouped = reporting(sweep, "regrouped", 5, "steps");
    Terms by_epoch = sweep.terms("epochs");
    for (Terms* terms : {&undisturbed, &regrouped, &by_epoch}) {
        terms->settings["dropout"] = 0.2;
        terms->checkpoint_at = 20;
    }
    by_epoch.checkpoint_at = 2;

    crescendo.train(members, "new", undisturbed, 20);
    crescendo.leave(members, /*save=*/true);
    crescendo.train(members, "new", regrouped, 5);
    crescendo.train(members, "memory", regrouped, 15);
    crescendo.train(members, "memory", regrouped, 20);
    crescendo.leave(members, /*save=*/true);

    CHECK(same_state(load(undisturbed.directory / "checkpoint.pt"), load(regrouped.directory / "checkpoint.pt")));

    undisturbed.checkpoint_at = 24;  // 24 steps are two epochs
    undisturbed.settings["report"]["every"] = 12;
    undisturbed.directory = sweep.folder / "two-epochs";
    crescendo.train(members, "new", undisturbed, 24);
    crescendo.leave(members, /*save=*/false);
    crescendo.train(members, "new", by_epoch, 2);
    crescendo.leave(members, /*save=*/false);
    CHECK(same_bits(load(undisturbed.directory / "checkpoint.pt").model, load(by_epoch.directory / "checkpoint.pt").model));
}

TEST_CASE("the clock continues across growth, shrinking, a lost worker and a resumed checkpoint") {
    const SweepFixture sweep;
    const double pause = 0.010;
    auto environment = sweep.recording();
    environment.emplace_back("TEST_PAUSE", "10");  // milliseconds per step; an epoch has 12 steps
    const double epoch = 12 * pause;
    Terms terms = sweep.terms("trial");
    const Stopwatch watch;
    double last = 0;
    {
        FakeCrescendo crescendo(2, "recording-trainer", environment);
        const auto seconds_at = [&](const std::vector<int>& members, const char* state, std::int64_t resource) {
            return crescendo.train(members, state, terms, resource)["seconds"].get<double>();
        };
        for (const auto& [members, resource] :
             {std::pair<std::vector<int>, std::int64_t>{{0}, 1}, {{0, 1}, 2}, {{0}, 3}, {{0, 1}, 4}}) {
            const double seconds = seconds_at(members, resource == 1 ? "new" : "memory", resource);
            CHECK(seconds >= last + epoch);
            CHECK(seconds < watch.seconds());
            last = seconds;
        }
        crescendo.kill(0);
        crescendo.join({1}, "memory", terms);  // the survivor repeats the unanswered report at 4
        CHECK(crescendo.await(1, "report")["seconds"] == last);
        crescendo.go_on({1}, terms);
        const double seconds = crescendo.await(1, "report")["seconds"];
        CHECK(seconds >= last + epoch);
        last = seconds;
        CHECK(crescendo.leave({1}, /*save=*/true));
    }
    FakeCrescendo crescendo(1, "recording-trainer", environment);
    crescendo.join({0}, "checkpoint", terms);
    CHECK(crescendo.await(0, "report")["seconds"] == last);
    crescendo.go_on({0}, terms);
    const double seconds = crescendo.await(0, "report")["seconds"];
    CHECK(seconds >= last + epoch);
    CHECK(seconds < watch.seconds());
}

TEST_CASE("a report has the time of steps, excluding the group's first one, and the group's batch") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = reporting(sweep, "trial", 1, "steps");

    const auto reports = reports_until(crescendo, terms, 3);
    CHECK_FALSE(reports[0].contains("step_seconds"));
    CHECK(reports[1]["step_seconds"] > 0.0);
    CHECK(reports[2]["step_seconds"] > 0.0);
    CHECK(reports[2]["group_batch"] == 8);

    terms.batch_multiple = 2;
    const Json first = crescendo.train({0, 1}, "memory", terms, 4);
    CHECK_FALSE(first.contains("step_seconds"));
    CHECK(first["group_batch"] == 16);
    crescendo.go_on({0, 1}, terms);
    CHECK(crescendo.await(0, "report")["step_seconds"] > 0.0);
    crescendo.leave({0, 1}, /*save=*/false);

    Terms uneven = reporting(sweep, "uneven", 1, "steps");
    uneven.settings["batch_size"] = 64;  // the second step of an epoch has 32 samples, and does not count
    std::vector<bool> timed;
    for (const Json& report : reports_until(crescendo, uneven, 4)) {
        timed.push_back(report.contains("step_seconds"));
    }
    CHECK(timed == std::vector<bool>{false, false, true, false});
}

TEST_CASE("neither evaluations nor checkpoints count towards the clock and the time of steps") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = reporting(sweep, "trial", 12, "steps");
    terms.settings["data"]["validation"] =  // sixty times the training samples
        write_images(sweep.folder / "many.h5", "validation", 6000, /*seed=*/3);
    terms.checkpoint_at = 12;
    const Stopwatch watch;

    const auto reports = reports_until(crescendo, terms, 72);

    const double trained = reports[1]["seconds"].get<double>() - reports[0]["seconds"].get<double>();
    CHECK(12 * reports[1]["step_seconds"].get<double>() <= trained);
    CHECK(are_told_apart(reports));
    const Json& report = reports.back();
    CHECK(report["seconds"].get<double>() + report["evaluated"].get<double>() < watch.seconds());
    double logged = 0;
    for (const auto resource : resources(reports)) {
        logged += seconds_of_training(terms, "step", resource);
    }
    CHECK(logged < watch.seconds());
}

TEST_CASE("the noise scale is reported once it is known and continues across growth, shrinking and a checkpoint") {
    const SweepFixture sweep;
    Terms terms = sweep.terms("trial");
    // A linear regression without learning, whose targets grow with the sample, so all gradients point the same way.
    terms.settings = {{"model", "mlp"},
                      {"depth", 0},
                      {"lr", 0.0},
                      {"batch_size", 8},
                      {"data", {{"train", write_numbers(sweep.folder / "numbers.h5", "train", 384)}}}};
    terms.batch_multiple = 2;  // an epoch has 24 steps, and every 16th is measured
    const auto num_measured = [&] { return load(terms.directory / "checkpoint.pt").progress["noise_scale"]["norms"]; };
    {
        FakeCrescendo crescendo(2, "crescendo-trainer");
        CHECK_FALSE(crescendo.train({0, 1}, "new", terms, 4).contains("noise_scale"));  // 6 measurements
        const double of_group = crescendo.train({0, 1}, "memory", terms, 6)["noise_scale"];  // 9 measurements
        CHECK(of_group > 0.0);
        CHECK(crescendo.train({1}, "memory", terms, 7)["noise_scale"] > 0.0);
        CHECK(crescendo.train({1, 0}, "memory", terms, 8)["noise_scale"] > 0.0);
        CHECK(crescendo.leave({1, 0}, /*save=*/true));
        CHECK(num_measured() == 12);
        Terms seldom = terms;
        seldom.settings["report"] = {{"every", 6}};
        const double at_once = crescendo.train({0, 1}, "new", seldom, 6)["noise_scale"];
        CHECK(at_once == doctest::Approx(of_group));  // reports do not change it
        crescendo.leave({0, 1}, /*save=*/false);
    }
    FakeCrescendo crescendo(1, "crescendo-trainer");
    crescendo.join({0}, "checkpoint", terms);
    CHECK(crescendo.await(0, "report")["resource"] == 8);
    crescendo.go_on({0}, terms);

    CHECK(crescendo.await(0, "report")["noise_scale"] > 0.0);
    CHECK(crescendo.leave({0}, /*save=*/true));
    CHECK(num_measured() == 14);
}

TEST_CASE("with `test_trials: all`, the last report has the test metrics over all members") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"]["test"] = sweep.validation;
    terms.settings["test_trials"] = "all";
    terms.settings["metrics"] = "f1";
    terms.max_resource = 2;

    crescendo.join({0, 1}, "new", terms);
    const Json first = crescendo.await(0, "report");
    crescendo.go_on({0, 1}, terms);
    const Json last = crescendo.await(0, "report");

    CHECK_FALSE(first["metrics"].contains("test_loss"));
    for (const std::string metric : {"loss", "accuracy", "f1"}) {
        CHECK(last["metrics"]["test_" + metric] == last["metrics"]["val_" + metric]);
    }
}

TEST_CASE("a trial sends the time of its steps before its first report if it has enough steps") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const auto first_of = [&](const Terms& terms) {
        crescendo.join({0}, "new", terms);
        const Json first = crescendo.await_one_of(0, {"timed", "report"});
        crescendo.leave({0}, /*save=*/false);
        return first;
    };

    const Json timed = first_of(reporting(sweep, "long", 40, "steps"));
    CHECK(timed["type"] == "timed");
    CHECK(timed["generation"] == 1);
    CHECK(timed["step_seconds"] > 0);
    CHECK(timed["group_batch"] == 8);
    CHECK(timed["samples_per_resource"] == 8);  // a step has 8
    CHECK(first_of(reporting(sweep, "short", 12, "steps"))["type"] == "report");
}

TEST_CASE("a trial that loses a worker before its steps are timed sends the time with the remaining workers") {
    const SweepFixture sweep;
    const Terms terms = reporting(sweep, "trial", 40, "steps");
    FakeCrescendo crescendo(2, "recording-trainer", sweep.recording(/*gate_step=*/4));
    train_up_to_gate(crescendo, sweep, {0, 1}, terms, /*gate_step=*/4);
    crescendo.kill(1);
    crescendo.join({0}, "memory", terms);
    sweep.open_gate();

    const Json first = crescendo.await_one_of(0, {"timed", "report"});
    CHECK(first["type"] == "timed");
    CHECK(first["generation"] == 2);
    CHECK(crescendo.await_one_of(0, {"timed", "report"})["type"] == "report");
}

TEST_CASE("a diverging trial suggests remedies only once, including normalised samples") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["lr"] = 1e30;

    reports_until(crescendo, terms, 3);

    const std::string log = content(terms.directory / "trainer.log");
    const auto said = log.find("train_loss is not finite: training diverges at lr 1e+30");
    CHECK(said != std::string::npos);
    CHECK(log.find("data.normalize: standard if numbers in the samples are far from 0") != std::string::npos);
    CHECK(log.find("train_loss is not finite", said + 1) == std::string::npos);
}
