/// `crescendo simulate`: simulated sweeps, and replays of real ones.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

const std::string simulated_sweep = R"(metric: {name: loss}
run_cap: 16
parameters: {x: {min: 1, max: 9}}
scheduler: {type: asha, min: 1, max: 4, reduction_factor: 2}
)";

/// A trial's loss is 1 / x; an epoch takes some time.
const std::string slow_script = R"(for resource in 1 2 3 4; do
  sleep 0.1
  echo "{\"resource\":$resource,\"metrics\":{\"loss\":$(( 1000 / ${1#--x=} + 4 - resource ))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD
  case $reply in *stop*) exit;; esac
done
)";

/// A real sweep on two slots, in the directory "real".
struct RealSweep : TemporaryFolder {
    explicit RealSweep(const std::string& sweep) {
        write_file(*this / "sweep.yaml", sweep + "command: [bash, train.sh, \"${args}\"]\n");
        write_file(*this / "train.sh", slow_script);
        REQUIRE(run_crescendo(path(), {"run", "sweep.yaml", "--dir", "real", "--slots", "2"}).code == 0);
    }
};

/// Copies a sweep that was trained once for all tests.
void copy_real(const TemporaryFolder& folder) {
    static const RealSweep sweep(simulated_sweep);
    fs::copy(sweep / "real", folder / "real", fs::copy_options::recursive);
}

}  // namespace

TEST_CASE("a sweep file without a trainer or command is simulated, with the same result each time") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", simulated_sweep);
    const std::vector<std::string> command{"simulate", "sweep.yaml", "--slots", "4",     "--format",
                                           "json",     "--out",      "out",     "--set", "scheduler.max=8"};

    const auto result = run_crescendo(folder.path(), command);

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.json()["trials"] == 16);
    CHECK(result.json()["best_over_time"].is_array());
    CHECK(run_crescendo(folder.path(), command).out == result.out);
    for (const char* file : {"summary.json", "best.csv", "slots.csv", "chart.svg", "reports.csv"}) {
        CHECK(fs::file_size(folder / "out" / file) > 0);
    }
    const auto reports = content_of(folder / "out/reports.csv");
    CHECK(reports.starts_with("seconds,trial,resource,workers,loss\n"));
    CHECK(std::ranges::count(reports, '\n') == 1 + result.json()["reports"].get<int>());
}

TEST_CASE("policies are compared over seeds") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", simulated_sweep);

    const auto result = run_crescendo(folder.path(), {"simulate", "--slots", "16", "--format", "json", "--seeds", "5",
                                                      "--compare", "asha,rasda:scaling_factor=4", "sweep.yaml"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    REQUIRE(result.json().size() == 2);
    CHECK(result.json()[0]["speedup"] == 1);
    CHECK(result.json()[1]["policy"] == "rasda:scaling_factor=4");
    CHECK(result.json()[1]["speedup"] > 1);
}

TEST_CASE("keys about growth apply only to rasda, and do not prevent a comparison with other schedulers") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 9\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: rasda, max: 9, scaling_factor: 2, grow: partial, grow_when: faster, shrink: on, "
               "surplus: on, priority: promotions_first, batch: adaptive, min_efficiency: 0.7}\n");

    const auto compared = run_crescendo(folder.path(), {"simulate", "--slots", "4", "--format", "json", "--compare",
                                                        "asha,rasda,fifo,median:workers=2", "sweep.yaml"});
    CHECK_MESSAGE(compared.code == 0, compared.err);
    CHECK(compared.json().size() == 4);
    const auto wrong =
        run_crescendo(folder.path(), {"simulate", "--slots", "4", "--compare", "asha:shrink=on", "sweep.yaml"});
    CHECK(wrong.code == 2);
    CHECK_MESSAGE(wrong.err.find("scheduler.shrink: ") != std::string::npos, wrong.err);
}

TEST_CASE("a replay of a real sweep makes the same decisions, and simulates about the same duration") {
    const TemporaryFolder folder;
    copy_real(folder);

    const auto result = run_crescendo(folder.path(), {"simulate", "--replay", "real", "--format", "json"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.json()["differences"] == 0);
    CHECK(result.json()["slots"] == 2);
    CHECK(result.json()["trials"] == 16);
    const double measured = result.json()["measured_makespan"];
    CHECK(result.json()["makespan"].get<double>() == doctest::Approx(measured).epsilon(0.15));
    CHECK(run_crescendo(folder.path(), {"simulate", "--replay", "real", "--compare", "asha,rasda"}).code == 0);

    REQUIRE(run_crescendo(folder.path(), {"note", "real", "a session without slots"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"simulate", "--replay", "real", "--format", "json"}).json()["slots"] == 2);
}

TEST_CASE("a real sweep is simulated with the limits of another sweep file, and on the given number of slots") {
    const TemporaryFolder folder;
    copy_real(folder);
    write_file(folder / "other.yaml", simulated_sweep + "budget: {time: 10m}\n");
    const auto simulated = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"simulate", "--replay", "real", "--format", "json"});
        const auto result = run_crescendo(folder.path(), options);
        REQUIRE_MESSAGE(result.code == 0, result.err);
        return result.json();
    };

    CHECK(simulated({"other.yaml", "--set", "run_cap=20"})["trials"] == 20);
    auto text = content_of(folder / "other.yaml");
    write_file(folder / "other.yaml", text.replace(text.find("run_cap: 16"), 11, "run_cap: 12"));
    CHECK(simulated({"other.yaml"})["trials"] == 12);
    write_file(folder / "other.yaml", text.replace(text.find("budget: {time: 10m}"), 19, "budget: {time: 1s}"));
    CHECK(simulated({"other.yaml", "--set", "scheduler.type=fifo"})["trials"] < 12);
    CHECK(simulated({"--set", "slots=4"})["slots"] == 4);
    CHECK(simulated({"--set", "slots=4", "--slots", "3"})["slots"] == 3);
}

TEST_CASE("a journal whose decisions would differ now is noticed") {
    const TemporaryFolder folder;
    copy_real(folder);
    // As from an older crescendo, whose journals do not record the sweep file.
    auto journal = content_of(folder / "real/journal.jsonl");
    journal.replace(0, journal.find('\n'), R"({"n":0,"journal":"crescendo","version":1,"crc":"e172649d"})");
    write_file(folder / "real/journal.jsonl", journal);
    auto other = content_of(folder / "real/sweep.yaml");
    other.replace(other.find("reduction_factor: 2"), 19, "reduction_factor: 4");
    write_file(folder / "real/sweep.yaml", other);

    const auto result = run_crescendo(folder.path(), {"simulate", "--replay", "real", "--format", "json"});

    CHECK(result.code == 1);
    CHECK(result.json()["differences"] > 0);
    CHECK(result.err.find("journal.jsonl:") != std::string::npos);
}

TEST_CASE("the user's own curves are simulated") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", simulated_sweep);
    write_file(folder / "curves.csv", "trial,resource,loss\n0,1,0.5\n0,4,0.25\n1,1,0.75\n");

    const auto result = run_crescendo(
        folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--curves", "curves.csv", "--format", "json"});

    CHECK(result.json()["loss"] == 0.25);
}

TEST_CASE("seeds that share the recorded trials are told of, because their spread says nothing about other trials") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", simulated_sweep);
    write_file(folder / "curves.csv", "trial,resource,loss\n0,1,0.5\n0,4,0.25\n1,1,0.75\n");
    const auto said = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"simulate", "sweep.yaml", "--slots", "2"});
        const auto result = run_crescendo(folder.path(), more);
        CHECK_MESSAGE(result.code == 0, result.err);
        return result.err;
    };

    CHECK(
        said({"--curves", "curves.csv", "--seeds", "2"}) ==
        "crescendo: note: all seeds have the same recorded trials, so ± says nothing about other trials; a trial keeps "
        "its last recorded value if it trains longer here than it did\n");
    CHECK(said({"--curves", "curves.csv", "--compare", "asha,fifo"}) ==
          "crescendo: note: a trial keeps its last recorded value if it trains longer here than it did\n");
    CHECK(said({"--seeds", "2"}).empty());
}

TEST_CASE("a replay of a real sweep without a max makes the same decisions, but simulates nothing") {
    const RealSweep folder(
        "metric: {name: loss}\nrun_cap: 16\nmethod: tpe\nparameters: {x: {min: 1, max: 99}}\n"
        "early_terminate: {type: hyperband, min_iter: 1}\n");

    const auto result = run_crescendo(folder.path(), {"simulate", "--replay", "real", "--format", "json"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.json()["events"] > 16);
    CHECK(result.json()["differences"] == 0);
    CHECK_MESSAGE(result.err.find("nothing is simulated: without scheduler.max") != std::string::npos, result.err);
}

TEST_CASE("a simulation says which sampler auto means, and that the sampler has nothing to learn here") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", "method: auto\n" + simulated_sweep);

    const auto learning =
        run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--set", "run_cap=20"});
    const auto drawing =
        run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--set", "method=random"});

    CHECK(learning.code == 0);
    CHECK_MESSAGE(learning.err.find("sweep.yaml:1:1: method: is auto, which means gp") != std::string::npos,
                  learning.err);
    CHECK_MESSAGE(learning.err.find("so gp has nothing to learn here") != std::string::npos, learning.err);
    CHECK(drawing.err.empty());
}

TEST_CASE("a simulation names the keys that it ignores, and the assumed regroup time of a restart") {
    const TemporaryFolder folder;
    const std::string growing =
        "metric: {name: loss}\nrun_cap: 16\nparameters: {x: {min: 1, max: 9}}\n"
        "scheduler: {type: rasda, max: 4}\n";
    const auto said = [&](const std::string& more) {
        write_file(folder / "sweep.yaml", growing + more);
        const auto result = run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "4"});
        CHECK_MESSAGE(result.code == 0, result.err);
        return result.err;
    };
    const std::string restarts = "command: [python3, train.py]\ngrow: restart\n";

    CHECK(said("trial_time: 1h\nslots_per_gpu: 4\n") ==
          "crescendo: note: simulate ignores trial_time and which slots share a GPU (slots_per_gpu); trials can run "
          "longer and grow larger here than in the sweep\n");
    CHECK(said("trial_time: 1h\n") ==
          "crescendo: note: simulate ignores trial_time; trials can run longer here than in the sweep\n");
    CHECK(said("slots_per_gpu: 1\n").empty());
    CHECK(said(restarts) ==
          "crescendo: note: this program restarts to grow; set simulate.regroup to the seconds that a restart takes "
          "(0.1 is assumed)\n");
    CHECK(said(restarts + "simulate: {regroup: 20}\n").empty());
}

TEST_CASE("a simulation reports the cost by the price in the file, as status does") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", simulated_sweep + "price: {slot_hour: 2}\n");
    const auto simulated = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"simulate", "sweep.yaml", "--slots", "8", "--format", "json"});
        const auto result = run_crescendo(folder.path(), options);
        REQUIRE_MESSAGE(result.code == 0, result.err);
        return result.json();
    };

    const auto of_slots = simulated({"--out", "out"});
    const auto of_nodes = simulated({"--set", "price={node_hour: 12}", "--set", "simulate.slots_per_node=3"});

    CHECK(of_slots["cost"] == 2 * of_slots["slot_hours_used"].get<double>());
    CHECK(of_slots["idle_cost"] == 2 * of_slots["slot_hours_idle"].get<double>());
    CHECK(Json::parse(content_of(folder / "out/summary.json"))["cost"] == of_slots["cost"]);
    CHECK(of_nodes["cost"].get<double>() ==  // three nodes for eight slots
          doctest::Approx(12 * 3.0 / 8 * of_nodes["slot_hours_used"].get<double>()));
    write_file(folder / "sweep.yaml", simulated_sweep);
    CHECK_FALSE(simulated({}).contains("cost"));
}

TEST_CASE("messages say what cannot be simulated") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", simulated_sweep);
    const auto check = [&](std::vector<std::string> arguments, const std::string& message) {
        arguments.insert(arguments.begin(), "simulate");
        const auto result = run_crescendo(folder.path(), arguments);
        CHECK(result.code == 2);
        CHECK_MESSAGE(result.err.find(message) != std::string::npos, result.err);
    };

    check({}, "nothing to simulate");
    check({"sweep.yaml"}, "--slots is missing");
    check({"sweep.yaml", "--slots", "2", "--set", "scheduler.max"}, "sets nothing");
    check({"sweep.yaml", "--slots", "2", "--set", "simulate.serial=2"}, "simulate.serial: ");
    check({"sweep.yaml", "--slots", "2", "--set", "simulate.epcoh=2"}, "did you mean 'epoch'");
    check({"sweep.yaml", "--slots", "2", "--compare", "asha,rusda"}, "scheduler.type: ");
    check({"--replay", "."}, "holds no sweep");
    const std::string endless = "this sweep has more than 200000000 reports";
    check({"sweep.yaml", "--slots", "2", "--set", "scheduler.max=1000000000", "--set", "scheduler.type=fifo"}, endless);
    check({"sweep.yaml", "--slots", "2", "--set", "scheduler.max=20000000", "--set", "method=random", "--compare", "fifo"},
          endless);
    check({"sweep.yaml", "--slots", "2", "--set", "scheduler.max=1099511627776"}, "and max is 1099511627776 units");
    check({"sweep.yaml", "--slots", "2", "--set", "run_cap=2147483647"}, "this sweep has 2147483647 trials");
}
