/// Sweeps with the real trainer on real data, a slice of Fashion-MNIST.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/count.hpp"
#include "tests/e2e/command.hpp"
#include "tests/e2e/small_disk.hpp"
#include "tests/e2e/sockets.hpp"
#include "tests/failing_disk.hpp"

using namespace crescendo::tests;

namespace {

const std::string idx = "/usr/share/datasets/fashion-mnist/";

/// A file of data: 1,000 images to train on, 500 to validate, 500 to test.
std::string make_data() {
    const TemporaryFolder folder;
    for (const auto& [group, samples] :
         {std::pair("train", "0:1000"), std::pair("validation", "1000:1500"), std::pair("test", "1500:2000")}) {
        const auto result = run_crescendo(
            folder.path(), {"data", "convert", idx + "train-images-idx3-ubyte.gz", idx + "train-labels-idx1-ubyte.gz",
                            std::string("data.h5:/") + group, "--samples", samples});
        REQUIRE_MESSAGE(result.code == 0, result.err);
    }
    return content_of(folder / "data.h5");
}

/// The folder of one test, with data in it.
struct Bench {
    Bench() {
        static const auto data = make_data();  // for all tests
        write_file(folder / "data.h5", data);
    }

    void write_sweep(const std::string& scheduler, const std::string& more, const std::string& trainer = "") const {
        write_file(folder / "sweep.yaml",
                   "name: s\nmetric: {name: val_accuracy, goal: maximize}\nseed: 5\n"
                   "parameters: {lr: {distribution: log_uniform_values, min: 0.02, max: 0.1}}\n"
                   "scheduler: {" +
                       scheduler + "}\n" + more +
                       "trainer:\n"
                       "  batch_size: 32\n"
                       "  width: 4\n" +
                       trainer +
                       "  data: {train: data.h5:/train, validation: data.h5:/validation, test: data.h5:/test}\n");
    }

    Json read(const std::string& command) const {
        return run_crescendo(folder.path(), {command, "s", "--format", "json"}).json();
    }

    std::string log(int trial) const {
        return content_of(folder / ("s/trials/00000" + std::to_string(trial) + "/trainer.log"));
    }

    TemporaryFolder folder;
};

/// The warm trainers of a crescendo, or of one rank of it.
std::vector<long> trainers_of(pid_t process) {
    std::vector<long> result;
    const auto pid = std::to_string(process);
    std::istringstream children(content_of("/proc/" + pid + "/task/" + pid + "/children"));
    for (long child; children >> child;) {
        result.push_back(child);
    }
    return result;
}

std::vector<long> trainers_of(const Command& run) { return trainers_of(run.pid()); }

/// Checks that every report is there once and in order: nothing was repeated or left out.
void check_reports(const fs::path& sweep) {
    std::map<int, int> last;
    for (const auto& record : journal_of(sweep)) {
        if (record.value("event", "") == "trial_reported") {
            CHECK(record.at("resource").get<int>() == ++last[record.at("trial").get<int>()]);
        }
    }
}

/// Checks that no epoch was trained twice. A worker that completes an epoch may die before it logs this, though not
/// before the others know: check_reports() checks that no report is missing.
void check_trained_once(const Bench& bench, const Command& run, int trial, int epochs) {
    const auto log = bench.log(trial);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        CHECK_MESSAGE(count(log, "epoch " + std::to_string(epoch) + ",") <= 1, run.out() << log);
    }
}

/// Of one trial.
std::size_t num_reports_of(const fs::path& sweep, int trial) {
    std::size_t reports = 0;
    for (const auto& record : journal_of(sweep)) {
        reports += record.value("event", "") == "trial_reported" && record.at("trial") == trial;
    }
    return reports;
}

/// Checks that Python gets the metrics of the sweep from the exported model, in any folder.
void check_export(const fs::path& folder, const Json& metrics) {
    CHECK(Json::parse(content_of(folder / "export.json")).at("reported") == metrics);
    if (!fs::exists(TORCH_PYTHON)) {
        MESSAGE("Python does not run it: there is none with torch at " TORCH_PYTHON);
        return;
    }
    const auto script = (folder / "load.py").string();
    const auto log = (folder / "log").string();
    CHECK(std::system(("cd / && " TORCH_PYTHON " " + script + " > " + log + " 2>&1").c_str()) == 0);
    const auto words = content_of(log);
    CHECK_MESSAGE(words.find("val_accuracy") != std::string::npos, words);
    CHECK_MESSAGE(words.find(", in the sweep ") != std::string::npos, words);
}

std::size_t num_regroups(const fs::path& sweep) {
    std::size_t regroups = 0;
    for (const auto& record : journal_of(sweep)) {
        regroups += record.value("event", "") == "trial_regrouped";
    }
    return regroups;
}

/// Resumes a sweep that does not end by itself, until it has trained the epochs that were under way and more.
void resume_for_a_while(const Bench& bench) {
    const auto before = num_reports(bench.folder / "s");
    Command resumed(bench.folder.path(), {"resume", "s"});
    await("new reports", [&] { return num_reports(bench.folder / "s") > before + 1; });
    resumed.signal(SIGINT);
    CHECK(resumed.wait() == 75);
}

}  // namespace

TEST_CASE("a survivor grows in memory from one worker to two and to four, learns, and is tested at the end") {
    const Bench bench;
    bench.write_sweep("type: rasda, min: 1, max: 8, reduction_factor: 2, batch: ladder, grow_when: always", "run_cap: 1\nslots: 4\n");

    const auto run = run_crescendo(bench.folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(bench.log(0).find("epoch 1, 1 workers, batch 32:") != std::string::npos);
    CHECK(bench.log(0).find("epoch 2, 2 workers, batch 64:") != std::string::npos);
    CHECK(bench.log(0).find("epoch 8, 4 workers, batch 128:") != std::string::npos);
    CHECK(num_regroups(bench.folder / "s") == 2);
    for (const auto& record : journal_of(bench.folder / "s")) {
        if (record.value("event", "") == "trial_regrouped") {
            CHECK(record.at("step").at(0) > 0);  // how long the first steps after it took
            auto phases = record.at("phases").get<std::map<std::string, double>>();
            CHECK(phases.extract("decide").mapped() > 0);  // before the order
            CHECK(std::ranges::all_of(phases, [](const auto& phase) { return phase.second >= 0; }));
            const double all = phases.at("group") + phases.at("state") + phases.at("data") + phases.at("step");
            CHECK(all == doctest::Approx(record.at("seconds")).epsilon(0.01));
        }
    }
    const auto regroups = bench.read("status").at("regroups");
    CHECK(regroups.at("count") == 2);
    CHECK(regroups.at("state") > 0);
    const auto best = bench.read("best");
    CHECK(best.at("metrics").at("val_accuracy") > 0.5);  // ten classes
    CHECK(best.at("test").at("test_accuracy") > 0.5);
    CHECK(fs::exists(best.at("checkpoint").get<std::string>().empty()
                         ? ""
                         : bench.folder.path() / best.at("checkpoint").get<std::string>()));
    check_reports(bench.folder / "s");
    CHECK(processes_in(bench.folder.path()).empty());

    const auto latency = run_crescendo(bench.folder.path(), {"latency", "s", "--format", "json"});
    REQUIRE_MESSAGE(latency.code == 0, latency.err);
    CHECK(latency.json().at("samples") == 500);
    CHECK(latency.json().at("p50_ms") <= latency.json().at("p99_ms"));
    CHECK(latency.json().at("test_accuracy").get<double>() ==
          doctest::Approx(best.at("test").at("test_accuracy").get<double>()).epsilon(0.005));
    const auto in_time = run_crescendo(bench.folder.path(), {"best", "s", "--within", "1000s", "--format", "json"});
    CHECK(in_time.json() == best);
    CHECK(in_time.err.empty());  // it was measured before
    CHECK(run_crescendo(bench.folder.path(), {"best", "s", "--within", "0.001us"}).code == 1);
    CHECK(processes_in(bench.folder.path()).empty());

    const auto exported = run_crescendo(bench.folder.path(), {"best", "s", "--export", "winner"});
    REQUIRE_MESSAGE(exported.code == 0, exported.err);
    check_export(bench.folder / "winner", best.at("metrics"));

    const auto again = run_crescendo(bench.folder.path(), {"retrain", "s", "--seeds", "2", "--format", "json"});
    REQUIRE_MESSAGE(again.code == 0, again.err);
    const auto spread = again.json();
    const auto tested =
        std::find_if(spread.begin(), spread.end(), [](const Json& row) { return row.at("metric") == "test_accuracy"; });
    REQUIRE(tested != spread.end());
    CHECK(tested->at("seeds") == 2);
    CHECK(tested->at("mean") > 0.5);
}

TEST_CASE("an adaptive batch grows with its group once the trainer has measured the gradient noise") {
    const TemporaryFolder folder;
    for (const auto& [group, samples] : {std::pair("train", "600"), std::pair("validation", "20")}) {
        const auto generated = run_crescendo(
            folder.path(), {"data", "generate", std::string("melt.h5:/") + group, "--melt-pool", "--samples", samples});
        REQUIRE_MESSAGE(generated.code == 0, generated.err);
    }
    // A linear regression of positive numbers that stands still: all gradients point the same way, and no noise hides
    // them. A lone worker has measured them eight times in the eighth epoch, of 75 steps.
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: val_loss, goal: minimize}\nrun_cap: 1\nslots: 2\n"
               "parameters: {lr: {distribution: log_uniform_values, min: 1.0e-12, max: 1.0e-11}}\n"
               "scheduler: {type: rasda, min: 8, max: 10, reduction_factor: 2, batch: adaptive, "
               "min_efficiency: 0.01, grow_when: always}\n"
               "trainer: {model: mlp, depth: 0, batch_size: 8,\n"
               "  data: {train: melt.h5:/train, validation: melt.h5:/validation}}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto log = content_of(folder / "s/trials/000000/trainer.log");
    CHECK(log.find("epoch 8, 1 workers, batch 8:") != std::string::npos);
    CHECK(log.find("epoch 9, 2 workers, batch 16:") != std::string::npos);
    const auto trial = run_crescendo(folder.path(), {"trial", "s", "0", "--format", "json"}).json();
    CHECK(trial.at("reports")[7].at("batch") == 8);
    CHECK(trial.at("reports")[8].at("batch") == 16);
}

TEST_CASE("the example of RASDA as published runs with its complete search space") {
    const Bench bench;
    auto sweep = content_of(std::string(CRESCENDO_EXAMPLES) + "/rasda-published/sweep.yaml");
    for (const auto& [theirs, ours] : {std::pair{"build/demo/fashion.h5", "data.h5"},
                                       {"run_cap: 27", "run_cap: 6"},
                                       {"max: 18", "max: 4"},
                                       {"reduction_factor: 3", "reduction_factor: 2"}}) {
        REQUIRE(sweep.find(theirs) != std::string::npos);
        for (auto at = sweep.find(theirs); at != std::string::npos; at = sweep.find(theirs)) {
            sweep.replace(at, std::string(theirs).size(), ours);
        }
    }
    write_file(bench.folder / "sweep.yaml", sweep);

    const auto run = run_crescendo(bench.folder.path(), {"run", "sweep.yaml", "--dir", "s"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto trials = bench.read("trials");
    CHECK(std::any_of(trials.begin(), trials.end(), [](const Json& trial) { return trial.at("workers") > 1; }));
    const auto best = bench.read("best");
    CHECK(best.at("config").at("init").is_string());
    CHECK(best.at("config").at("warmup").is_number_integer());
    CHECK(best.at("test").contains("test_accuracy"));
    check_reports(bench.folder / "s");
}

TEST_CASE("a sweep works with more slots than cores, and drops the checkpoints of losing trials") {
    const Bench bench;
    bench.write_sweep("type: rasda, min: 1, max: 4, reduction_factor: 2, grow_when: always", "run_cap: 8\nslots: 5\n");

    REQUIRE(run_crescendo(bench.folder.path(), {"run", "sweep.yaml"}).code == 0);

    const int best = bench.read("best").at("trial");
    for (const auto& trial : bench.read("trials")) {
        const int id = trial.at("trial");
        CHECK(fs::exists(bench.folder / ("s/trials/00000" + std::to_string(id) + "/checkpoint.pt")) == (id == best));
    }
    check_reports(bench.folder / "s");
}

TEST_CASE("a killed worker costs its group one step: the others continue in memory, and the group grows back") {
    const Bench bench;
    bench.write_sweep("type: fifo, max: 20, workers: 3", "run_cap: 1\nslots: 3\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("the second report", [&] { return num_reports(bench.folder / "s") >= 2; });

    ::kill(static_cast<pid_t>(trainers_of(run).front()), SIGKILL);  // the one that holds the state for the others

    CHECK(run.wait() == 0);
    CHECK(bench.read("trials").at(0).at("failures") == 1);
    CHECK(bench.read("trials").at(0).at("status") == "finished");
    check_reports(bench.folder / "s");
    check_trained_once(bench, run, /*trial=*/0, /*epochs=*/20);
    CHECK(bench.log(0).find("epoch 20, 3 workers") != std::string::npos);
    CHECK(num_regroups(bench.folder / "s") >= 1);  // a group that came together after the last step has none
    CHECK(processes_in(bench.folder.path()).empty());
}

TEST_CASE("a group survives if all of its workers but one are killed at once") {
    const Bench bench;
    bench.write_sweep("type: fifo, max: 20, workers: 3", "run_cap: 1\nslots: 3\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("the second report", [&] { return num_reports(bench.folder / "s") >= 2; });

    const auto trainers = trainers_of(run);
    run.signal(SIGSTOP);  // so that it sees both die at once, however slow the machine is
    ::kill(static_cast<pid_t>(trainers.at(2)), SIGPIPE);  // as from a write to a peer that has just died
    ::kill(static_cast<pid_t>(trainers.at(0)), SIGKILL);
    ::kill(static_cast<pid_t>(trainers.at(1)), SIGKILL);
    run.signal(SIGCONT);

    CHECK(run.wait() == 0);
    CHECK(bench.read("trials").at(0).at("failures") == 1);
    check_reports(bench.folder / "s");
    check_trained_once(bench, run, 0, 20);
}

TEST_CASE("a trainer that stands still is killed after the time-out, and its blocked peer continues in memory") {
    const Bench bench;
    bench.write_sweep("type: fifo, max: 20, workers: 2", "run_cap: 1\nslots: 2\nhang_timeout: 5s\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("the second report", [&] { return num_reports(bench.folder / "s") >= 2; });

    ::kill(static_cast<pid_t>(trainers_of(run).front()), SIGSTOP);

    CHECK(run.wait() == 0);
    CHECK_MESSAGE(run.out().find("trial 0 crashed: no progress for 5 s") != std::string::npos, run.out());
    CHECK(bench.read("trials").at(0).at("failures") == 1);
    check_reports(bench.folder / "s");
    check_trained_once(bench, run, 0, 20);
    CHECK(processes_in(bench.folder.path()).empty());
}

#ifdef CRESCENDO_TEST_MPI
TEST_CASE("a dead node costs a group across nodes the worker on that node, and one step") {
    const Ranks ranks("3", "4");
    const Bench bench;
    bench.write_sweep("type: fifo, max: 20, workers: 3", "run_cap: 1\nslots: 1\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("the second report", [&] { return num_reports(bench.folder / "s") >= 2; });

    ::kill(run.ranks().at(2), SIGKILL);

    CHECK(run.wait() == 0);
    CHECK(bench.read("trials").at(0).at("failures") == 0);
    CHECK(bench.log(0).find("epoch 20, 2 workers") != std::string::npos);
    check_reports(bench.folder / "s");
    check_trained_once(bench, run, 0, 20);
}

TEST_CASE("a node that stood still learns that it was given up: its trainers end, and its trial continues elsewhere") {
    const Ranks ranks("3", "4");
    const Bench bench;
    bench.write_sweep("type: fifo, max: 100000", "run_cap: 2\nslots: 1\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("the second trial, on rank 1, trains", [&] { return num_reports_of(bench.folder / "s", 1) >= 2; });
    const auto rank = run.ranks().at(1);
    const auto trainer = static_cast<pid_t>(trainers_of(rank).at(0));

    for (const auto process : {rank, trainer}) {
        ::kill(process, SIGSTOP);
    }
    await("it is given up", [&] { return run.out().find("node 1 is lost: no sign of life") != std::string::npos; });
    const auto before = num_reports_of(bench.folder / "s", 1);
    await("its trial goes on", [&] { return num_reports_of(bench.folder / "s", 1) > before; });
    for (const auto process : {rank, trainer}) {
        ::kill(process, SIGCONT);
    }

    await("it has left", [&] { return !is_alive(rank) && !is_alive(trainer); });
    CHECK(run_crescendo(bench.folder.path(), {"stop", "s"}).code == 0);
    run.wait();
    CHECK(bench.read("status").at("state") == "stopped");
    CHECK(bench.read("trials").at(1).at("failures") == 0);
    check_reports(bench.folder / "s");
    CHECK(processes_in(bench.folder.path()).empty());
}
#endif

TEST_CASE("a warning to every process of a job, as from a batch system, saves the current epoch") {
    const Bench bench;
    bench.write_sweep("type: fifo, max: 100000, workers: 2", "run_cap: 1\nslots: 2\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("two reports", [&] { return num_reports(bench.folder / "s") >= 2; });

    for (const long pid : processes_in(bench.folder.path())) {
        ::kill(static_cast<pid_t>(pid), SIGUSR2);
    }

    CHECK(run.wait() == 75);
    CHECK(fs::exists(bench.folder / "s/trials/000000/checkpoint.pt"));
    CHECK(processes_in(bench.folder.path()).empty());
    resume_for_a_while(bench);
    CHECK(bench.read("trials").at(0).at("failures") == 0);
    check_reports(bench.folder / "s");
    check_trained_once(bench, run, 0, static_cast<int>(num_reports(bench.folder / "s")));
}

TEST_CASE("after kill -9 of all processes, a sweep is resumed from its checkpoints and repeats no finished rung") {
    const Bench bench;
    bench.write_sweep("type: rasda, min: 1, max: 4, reduction_factor: 2, grow_when: always", "run_cap: 5\nslots: 2\n");
    {
        Command run(bench.folder.path(), {"run", "sweep.yaml"});
        await("five reports", [&] { return num_reports(bench.folder / "s") >= 5; });
        for (const long pid : processes_in(bench.folder.path())) {
            ::kill(static_cast<pid_t>(pid), SIGKILL);
        }
        CHECK(run.wait() == 128 + SIGKILL);
    }
    await("every process ends", [&] { return processes_in(bench.folder.path()).empty(); });
    std::map<int, int> rung_before;  // the highest milestone (1, 2 or 4) in the journal
    for (const auto& record : journal_of(bench.folder / "s")) {
        if (record.value("event", "") == "trial_reported" && record.at("resource") != 3) {
            rung_before[record.at("trial")] = record.at("resource");
        }
    }

    const auto resumed = run_crescendo(bench.folder.path(), {"resume", "s"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    for (const auto& [trial, milestone] : rung_before) {
        for (int epoch = 1; epoch <= milestone; ++epoch) {
            CAPTURE(trial);
            CAPTURE(epoch);
            CHECK(count(bench.log(trial), "epoch " + std::to_string(epoch) + ",") == 1);
        }
    }
    CHECK(bench.read("status").at("state") == "finished");
    check_reports(bench.folder / "s");
}

TEST_CASE("without milestones, a killed trainer or sweep continues from a recent checkpoint") {
    const Bench bench;
    bench.write_sweep("type: fifo, max: 100000", "run_cap: 1\nslots: 1\n", "  checkpoint_every: 1s\n");
    const auto checkpoint = bench.folder / "s/trials/000000/checkpoint.pt";
    const auto reports = [&] { return num_reports(bench.folder / "s"); };
    const auto await_checkpoint_behind = [&](std::size_t epochs) {
        await("enough reports", [&] { return reports() > epochs; });
        fs::remove(checkpoint);  // the next one begins no earlier than at the last report but one
        await("a checkpoint after them", [&] { return fs::exists(checkpoint); });
    };
    /// The epoch of the last checkpoint that was read.
    const auto continued_at = [&] {
        const std::string words = "continues from its checkpoint, after ";
        const auto log = bench.log(0);
        const auto at = log.rfind(words);
        return at == std::string::npos ? 0 : std::stoul(log.substr(at + words.size()));
    };

    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await_checkpoint_behind(2);
    ::kill(static_cast<pid_t>(trainers_of(run).at(0)), SIGKILL);
    await("it continues", [&] { return continued_at() > 0; });
    const auto after_trainer = continued_at();
    await_checkpoint_behind(reports() + 1);
    for (const long pid : processes_in(bench.folder.path())) {
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    run.wait();
    await("every process ends", [&] { return processes_in(bench.folder.path()).empty(); });
    const auto before = reports();
    Command resumed(bench.folder.path(), {"resume", "s"});
    await("new reports", [&] { return reports() > before; });

    CHECK(after_trainer >= 2);
    CHECK(continued_at() > after_trainer);
    CHECK(count(bench.log(0), "epoch 1,") == 1);
    CHECK(count(bench.log(0), "epoch 2,") == 1);
    check_reports(bench.folder / "s");
    resumed.signal(SIGINT);
    CHECK(resumed.wait() == 75);
}

TEST_CASE("a trainer that does not leave when a sweep stops is killed, and the sweep can be resumed") {
    const Bench bench;
    bench.write_sweep("type: fifo, max: 100000", "run_cap: 1\nslots: 1\n");
    ::setenv("CRESCENDO_SAVE_TIMEOUT", "1", 1);
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    ::unsetenv("CRESCENDO_SAVE_TIMEOUT");
    await("two reports", [&] { return num_reports(bench.folder / "s") >= 2; });

    ::kill(static_cast<pid_t>(trainers_of(run).at(0)), SIGSTOP);
    run.signal(SIGTERM);

    CHECK(run.wait() == 75);
    CHECK_MESSAGE(
        run.out().find("trial 0: it did not leave within 1 s; what it saved before is kept") != std::string::npos,
        run.out());
    CHECK(processes_in(bench.folder.path()).empty());
    resume_for_a_while(bench);
    CHECK(bench.read("trials").at(0).at("failures") == 0);
    check_reports(bench.folder / "s");
}

TEST_CASE("a loss that becomes NaN makes a bad trial, not an error") {
    const Bench bench;
    bench.write_sweep("type: asha, min: 1, max: 2, reduction_factor: 2", "run_cap: 2\nslots: 1\n");
    auto sweep = content_of(bench.folder / "sweep.yaml");
    sweep.replace(sweep.find("val_accuracy, goal: maximize"), 28, "val_loss, goal: minimize");
    sweep.replace(sweep.find("min: 0.02, max: 0.1"), 19, "min: 1.0e+18, max: 1.0e+20");
    write_file(bench.folder / "sweep.yaml", sweep);

    CHECK(run_crescendo(bench.folder.path(), {"run", "sweep.yaml"}).code == 0);

    for (const auto& trial : bench.read("trials")) {
        CHECK(trial.at("val_loss").is_null());
        CHECK(trial.at("failures") == 0);
    }
}

TEST_CASE("a range of a group is normalised by its statistics once they are calculated") {
    const Bench bench;
    write_file(bench.folder / "sweep.yaml",
               "name: s\nmetric: {name: val_accuracy, goal: maximize}\nrun_cap: 1\nparameters: {lr: {value: 0.05}}\n"
               "scheduler: {type: fifo, max: 1}\n"
               "trainer:\n"
               "  width: 4\n"
               "  data:\n"
               "    train: data.h5:/train[0:800]\n"
               "    validation: data.h5:/train[800:]\n"
               "    normalize: {inputs: standard}\n");

    const auto refused = run_crescendo(bench.folder.path(), {"run", "sweep.yaml"});
    const auto stats =
        run_crescendo(bench.folder.path(), {"data", "stats", "data.h5:/train[0:800]", "--format", "json"}).json();
    const auto run = run_crescendo(bench.folder.path(), {"run", "sweep.yaml"});

    CHECK(refused.code == 2);
    CHECK(count(refused.err, "sweep.yaml:11") == 1);
    CHECK(count(refused.err, "run: crescendo data stats 'data.h5:/train[0:800]'") == 1);
    CHECK(stats[0]["data set"] == "inputs");
    CHECK(stats[0]["count"] == 800 * 28 * 28);
    CHECK(run.code == 0);
    const auto trial = bench.read("trials")[0];
    CHECK(trial["data_wait"] > 0.0);
    CHECK(trial["data_wait"] <= 1.0);
    CHECK(trial["seconds"] > 0.0);
    CHECK(trial["seconds"] < trial["elapsed_seconds"]);  // evaluations and the trainer's start do not count
}

TEST_CASE("a disk without room for a checkpoint stops a sweep, but fails no trial") {
    const SmallDisk disk("size=96k");
    if (!disk) {
        return;
    }
    const Bench bench;
    fs::create_symlink(disk.path(), bench.folder / "s-disk");
    bench.write_sweep("type: asha, min: 1, max: 2, reduction_factor: 2", "run_cap: 3\nslots: 1\n");

    const auto full = run_crescendo(bench.folder.path(), {"run", "sweep.yaml", "--dir", "s-disk/s"});
    REQUIRE(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT, "size=64m") == 0);
    const auto mended = run_crescendo(bench.folder.path(), {"resume", "s-disk/s"});

    CHECK(full.code == 75);
    CHECK_MESSAGE(full.err.find(": No space left on device; free some space") != std::string::npos, full.err);
    CHECK(mended.code == 0);
    for (const auto& record : journal_of(disk.path() / "s")) {
        CHECK(record.value("event", "") != "trial_failed");
    }
    check_reports(disk.path() / "s");
}

TEST_CASE("a disk that fails during a checkpoint stops a sweep, but fails no trial") {
    FailingDisk disk;
    if (!disk) {
        return;
    }
    const Bench bench;
    fs::create_symlink(disk.path(), bench.folder / "s-disk");
    bench.write_sweep("type: asha, min: 1, max: 2, reduction_factor: 2", "run_cap: 3\nslots: 1\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml", "--dir", "s-disk/s"});
    await("the settings are checked", [&] { return fs::exists(disk.path() / "s/journal.jsonl"); });
    await("a trainer starts", [&] { return trainers_of(run).size() == 1; });
    const auto trainer = static_cast<pid_t>(trainers_of(run).front());
    await("it is spawned", [&] { return content_of("/proc/" + std::to_string(trainer) + "/comm") != "crescendo\n"; });
    ::kill(trainer, SIGSTOP);  // so that its checkpoint, before its first report, is the first thing to be written
    await("the start of a trial is on the disk", [&] {
        return content_of((disk.path() / "s/journal.jsonl").string()).find("trial_proposed") != std::string::npos;
    });
    const auto waits_in = "/proc/" + std::to_string(run.pid()) + "/wchan";
    await("the coordinator has synced it", [&] { return content_of(waits_in).find("poll") != std::string::npos; });

    disk.fail();
    ::kill(trainer, SIGCONT);

    CHECK(run.wait() == 75);
    const auto err =
        run.err();  // not the trainer's words: the coordinator looks at the disk itself when a worker fails
    CHECK_MESSAGE(err.find("probe: Input/output error; free some space") != std::string::npos, err);
    CHECK(processes_in(bench.folder.path()).empty());
    disk.mend();
    disk.restart();
    CHECK(run_crescendo(bench.folder.path(), {"resume", "s-disk/s"}).code == 0);
    for (const auto& record : journal_of(disk.path() / "s")) {
        CHECK(record.value("event", "") != "trial_failed");
    }
    check_reports(disk.path() / "s");
}

TEST_CASE("problems with the trainer's settings or data are found before anything starts") {
    const Bench bench;
    const std::string scheduler = "type: fifo, max: 1";
    const std::string line = "run_cap: 1\n";
    auto refused = [&](const std::string& message) {
        const auto result = run_crescendo(bench.folder.path(), {"run", "sweep.yaml"});
        CHECK(result.code == 2);
        CHECK_MESSAGE(result.err.find(message) != std::string::npos, result.err);
        CHECK_FALSE(fs::exists(bench.folder / "s"));
    };

    bench.write_sweep(scheduler, line, "  optimiser: adam\n");
    refused(
        "sweep.yaml:10:3: trainer.optimiser: no such setting, so it would change nothing (did you mean 'optimizer'?)");
    bench.write_sweep(scheduler, line, "  depth: 9\n");  // 28 pixels cannot be halved nine times
    refused("sweep.yaml:10:3: trainer.depth: ");
    bench.write_sweep(scheduler, line);
    auto sweep = content_of(bench.folder / "sweep.yaml");
    sweep.replace(sweep.find("val_accuracy"), 12, "val_acc");
    write_file(bench.folder / "sweep.yaml", sweep);
    refused(
        "sweep.yaml:2:10: metric.name: no trial reports 'val_acc', so none can be judged; they report train_loss, "
        "val_loss, val_accuracy");
    bench.write_sweep(scheduler, line);
    sweep = content_of(bench.folder / "sweep.yaml");
    sweep.replace(sweep.find("/validation"), 11, "/validatoin");
    write_file(bench.folder / "sweep.yaml", sweep);
    refused("trainer.data.validation: ");
    bench.write_sweep(scheduler, line);
    sweep = content_of(bench.folder / "sweep.yaml");
    sweep.replace(sweep.find("lr:"), 3, "rl:");
    write_file(bench.folder / "sweep.yaml", sweep);
    refused("sweep.yaml:4:14: parameters.rl: ");
    bench.write_sweep(scheduler, line);
    sweep = content_of(bench.folder / "sweep.yaml");
    sweep.replace(sweep.find("data.h5:/train,"), 14, "'data.h5:/train[1:3]'");  // two T-shirts, class 0
    write_file(bench.folder / "sweep.yaml", sweep);
    refused("trainer.data.validation: data.h5:/validation has ");
    refused("but data.h5:/train[1:3] only has the classes 0 to 0, so no trial can learn the others");
}

TEST_CASE("the user's own network in two sizes is tuned, from the Python file to the exported winner") {
    if (!fs::exists(TORCH_PYTHON)) {
        MESSAGE("skipped: no Python with torch at " TORCH_PYTHON);
        return;
    }
    const Bench bench;
    fs::create_directories(bench.folder / "build/demo");
    fs::copy_file(bench.folder / "data.h5", bench.folder / "build/demo/fashion.h5");
    for (const std::string model : {"small.pt 4", "large.pt 8"}) {
        const auto file = (bench.folder / "build/demo").string() + "/" + model;
        REQUIRE(std::system((TORCH_PYTHON " " CRESCENDO_EXAMPLES "/torchscript/model.py " + file).c_str()) == 0);
    }
    auto sweep = content_of(CRESCENDO_EXAMPLES "/torchscript/sweep.yaml");
    sweep.replace(sweep.find("run_cap: 9"), 10, "run_cap: 3");
    sweep.replace(sweep.find("max: 9"), 6, "max: 2");
    sweep += "  lr_schedule: cosine\n  ema: 0.5\n  clip_norm: 1\n  label_smoothing: 0.1\n  metrics: [f1, top5]\n";
    write_file(bench.folder / "sweep.yaml", sweep);

    const auto result = run_crescendo(bench.folder.path(), {"run", "sweep.yaml"});

    CHECK_MESSAGE(result.code == 0, result.err);
    const auto best = run_crescendo(bench.folder.path(), {"best", "torchscript", "--format", "json"}).json();
    CHECK(best.at("metrics").at("val_f1") > 0.2);
    CHECK(best.at("metrics").at("val_top5") > best.at("metrics").at("val_accuracy"));
    const auto exported = run_crescendo(bench.folder.path(), {"best", "torchscript", "--export", "winner"});
    REQUIRE_MESSAGE(exported.code == 0, exported.err);
    check_export(bench.folder / "winner", best.at("metrics"));
    for (const auto& trial : run_crescendo(bench.folder.path(), {"trials", "torchscript", "--format", "json"}).json()) {
        CHECK(trial.at("failures") == 0);
    }

    const auto refused = [&](const std::string& what, const std::string& with, const std::string& message) {
        auto bad = sweep;
        bad.replace(bad.find(what), what.size(), with);
        write_file(bench.folder / "bad.yaml", bad);
        const auto check = run_crescendo(bench.folder.path(), {"validate", "bad.yaml"});
        CHECK(check.code == 2);
        CHECK_MESSAGE(check.err.find(message) != std::string::npos, check.err);
    };
    write_file(bench.folder / "text.pt", "weights");
    refused(", build/demo/large.pt", ", text.pt", "bad.yaml:13:3: parameters.model: text.pt is not TorchScript: ");
    refused("constants.share", "constants.shares", "parameters.constants.shares: the model has no attribute shares");
    refused("metrics: [f1", "metrics: [r2", "trainer.metrics: r2 is a metric of numbers");
}

TEST_CASE("a group of two on one node listens only on the loopback interface") {
    const Bench bench;
    bench.write_sweep("type: rasda, workers: 2, max: 100000", "run_cap: 1\nslots: 2\n");
    Command run(bench.folder.path(), {"run", "sweep.yaml"});
    await("the group trains", [&] { return num_reports(bench.folder / "s") >= 1; });

    const auto addresses = listening_addresses(processes_in(bench.folder.path()));

    CHECK(addresses.count("0100007F") == addresses.size());
    run.signal(SIGTERM);
    CHECK(run.wait() == 75);
}
