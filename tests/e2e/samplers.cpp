/// Configurations from the user's program, the sweep file or a sampler, with the real binary.

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "tests/count.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

const std::string sweep_with_sampler = R"(metric: {name: loss}
run_cap: 6
slots: 2
parameters: {x: {min: 0, max: 100}}
scheduler: {type: asha, min: 1, max: 2, reduction_factor: 2}
command: [bash, train.sh, "${args}"]
sampler: {command: [bash, sampler.sh], deadline: 60s}
)";

const std::string train_script = R"(for resource in 1 2; do
  echo "{\"resource\":$resource,\"metrics\":{\"loss\":$(( CRESCENDO_TRIAL + resource ))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD
  case $reply in *stop*) exit;; esac
done
)";

/// Proposes 1, 2, 3, … For each request, which is in `$line`, `trouble` runs first.
std::string sampler_script(const std::string& trouble = ":") {
    return "while read -r line <&$CRESCENDO_FD; do\n"
           "  echo \"$line\" >> heard\n"
           "  " + trouble + "\n"
           "  case $line in *'\"propose\"'*)\n"
           "    n=$((n + 1)); echo \"{\\\"config\\\":{\\\"x\\\":$n}}\" >&$CRESCENDO_FD;;\n"
           "  esac\n"
           "done\n";
}

struct SamplerFolder : TemporaryFolder {
    explicit SamplerFolder(const std::string& sampler = sampler_script()) {
        write_file(*this / "sweep.yaml", sweep_with_sampler);
        write_file(*this / "train.sh", train_script);
        write_file(*this / "sampler.sh", sampler);
    }
};

/// Origins of all configurations in the journal, by trial. Each is there before its trial reports.
std::vector<std::string> origins_in(const fs::path& directory) {
    std::vector<std::string> origins;
    for (const auto& record : journal_of(directory)) {
        if (record.value("event", "") == "trial_proposed") {
            CHECK(record["trial"] == origins.size());
            origins.push_back(record.value("origin", "none"));
        } else if (record.value("event", "") == "trial_reported") {
            CHECK(record["trial"].get<std::size_t>() < origins.size());
        }
    }
    return origins;
}

}  // namespace

TEST_CASE("a program proposes every configuration, and resume asks it for the new trials only") {
    const SamplerFolder folder;
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out"}).code == 0);
    CHECK(origins_in(folder / "out") == std::vector<std::string>(6, "program"));
    fs::remove(folder / "heard");

    const auto resumed = run_crescendo(folder.path(), {"resume", "out", "--run-cap", "8"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(origins_in(folder / "out") == std::vector<std::string>(8, "program"));
    const auto heard = content_of(folder / "heard");
    CHECK(count(heard, R"("propose")") == 2);
    for (int trial = 0; trial < 6; ++trial) {
        CHECK(heard.find("\"trial\":" + std::to_string(trial)) < heard.find(R"("propose")"));
    }
}

TEST_CASE("a sweep survives a sampler that dies once or always, and says what was wrong") {
    const struct {
        std::string trouble;
        std::string message;
    } cases[]{
        {"[ \"$n\" != 2 ] || { echo 'no memory for the model' >&2; exit 7; }",
         "it ended (exit status 7); last words: no memory for the model"},
        {"[ ! -e out/trials/000000 ] || kill -SEGV $$", "killed by signal 11"},
    };
    for (const auto& [trouble, message] : cases) {
        CAPTURE(trouble);
        const SamplerFolder folder(sampler_script(trouble));

        const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out"});

        CHECK(result.code == 0);
        CHECK_MESSAGE(result.out.find("the sampler `bash sampler.sh` failed: ") != std::string::npos, result.out);
        CHECK_MESSAGE(result.out.find(message) != std::string::npos, result.out);
        CHECK(origins_in(folder / "out").size() == 6);
        const bool is_given_up = result.out.find("of 6 configurations were drawn at random") != std::string::npos;
        CHECK(is_given_up == (message == "killed by signal 11"));
        CHECK(processes_in(folder.path()).empty());
    }
}

TEST_CASE("a sweep begins with the initial points of its file, tries no point twice, and shows every origin") {
    std::string method;  // a replay computes the proposals of tpe again, and reads those of gp
    SUBCASE("tpe") { method = "tpe"; }
    SUBCASE("gp") { method = "gp"; }
    const TemporaryFolder folder;
    const auto sweep_of = [&](const std::string& initial) {
        return "metric: {name: loss}\nrun_cap: 14\nmethod: " + method + "\nslots: 2\n"
               "parameters: {x: {min: 0, max: 19}, kind: {values: [a]}}\n"
               "initial: " + initial + "\n"
               "scheduler: {type: asha, min: 1, max: 2, reduction_factor: 2}\n"
               "command: [bash, train.sh, \"${args}\"]\n";
    };
    write_file(folder / "sweep.yaml", sweep_of("[{x: 7, kind: a}, {x: 3}, {}]"));
    write_file(folder / "train.sh", train_script);
    const auto trials = [&] {
        return run_crescendo(folder.path(), {"trials", "out", "--columns", "origin,x", "--format", "json"}).json();
    };
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out"}).code == 0);
    const auto first = trials();
    CHECK(first.size() == 14);

    const auto resumed = run_crescendo(folder.path(), {"resume", "out", "--run-cap", "20"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    const auto all = trials();
    std::set<int> distinct;
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK((i >= first.size() || all[i] == first[i]));
        CHECK((all[i]["origin"] == "initial") == (i < 3));
        distinct.insert(all[i]["x"].get<int>());
    }
    CHECK(all[0]["x"] == 7);
    CHECK(all[1]["x"] == 3);
    CHECK(distinct.size() == 20);  // all possible values
    const auto proposals = run_crescendo(folder.path(), {"status", "out", "--format", "json"}).json()["proposals"];
    CHECK(proposals["initial"] == 3);
    CHECK(proposals["model"].get<int>() > 0);
    CHECK(proposals.value("random", 0) + proposals["model"].get<int>() == 17);
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "out", "--format", "json"});
    CHECK_MESSAGE(replayed.json()["differences"] == 0, replayed.out);
    const auto sampled = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", "2"});
    CHECK_MESSAGE(sampled.out.find("trial  x  kind\n    0  7  a\n    1  3  a\n") != std::string::npos, sampled.out);

    write_file(folder / "sweep.yaml", sweep_of("[{x: 7}, {x: 20}]"));
    const auto refused = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "other"});
    CHECK(refused.code == 2);
    CHECK_MESSAGE(refused.err.find("sweep.yaml:6:20: initial[1].x: is 20") != std::string::npos, refused.err);
}

TEST_CASE("a sweep with a warm start is better sooner, and continues unchanged when the earlier results are gone") {
    const TemporaryFolder folder;
    const auto write_sweep = [&](const std::string& name, const std::string& end) {
        write_file(folder / name, "metric: {name: loss}\nrun_cap: 10\nmethod: tpe\nslots: 1\n"
                                  "parameters: {x: {min: 0, max: 9999}, depth: {values: [1, 2]}}\n"
                                  "scheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh, \"${x}\"]\n" + end);
    };
    write_file(folder / "train.sh", "[ ! -e crash ] || [ $CRESCENDO_TRIAL != 4 ] || { rm crash; sleep 600; }\n"
                                    "loss=$(( $1 > 4321 ? $1 - 4321 : 4321 - $1 ))\n"
                                    "echo '{\"resource\":1,\"metrics\":{\"loss\":'$loss'}}' >&$CRESCENDO_FD\n"
                                    "read -r reply <&$CRESCENDO_FD\n");
    write_sweep("cold.yaml", "");
    write_sweep("warm.yaml", "warm_start: [before, before.csv]\n");
    REQUIRE(run_crescendo(folder.path(), {"run", "cold.yaml", "--dir", "before"}).code == 0);
    REQUIRE(run_crescendo(folder.path(), {"resume", "before", "--run-cap", "30"}).code == 0);
    const auto cold = run_crescendo(folder.path(), {"trials", "before", "--format", "json"}).json();
    write_file(folder / "before.csv", "resource,loss,x,width\n1,5678,9999,3\n1,5679,10000,3\n");
    write_file(folder / "crash", "");
    const auto simulated = run_crescendo(folder.path(), {"simulate", "warm.yaml", "--format", "json"});
    CHECK_MESSAGE(simulated.err.find("before (30 of 30 results), before.csv") != std::string::npos, simulated.err);

    Command crashed(folder.path(), {"run", "warm.yaml", "--dir", "out"});
    await("trial 4 runs", [&] { return !fs::exists(folder / "crash"); });
    crashed.signal(SIGKILL);
    crashed.wait();

    const auto note = "warm.yaml:8:1: warm_start: the sampler knows before (30 of 30 results), before.csv (1 of 2 "
                      "results; values out of range here: x; not searched there: depth)";
    CHECK_MESSAGE(crashed.err().find(note) != std::string::npos, crashed.err());
    fs::remove_all(folder / "before");
    fs::remove(folder / "before.csv");
    const auto resumed = run_crescendo(folder.path(), {"resume", "out"});
    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    const auto warm = run_crescendo(folder.path(), {"trials", "out", "--format", "json"}).json();
    REQUIRE(warm.size() == 10);
    double cold_losses = 0;
    double warm_losses = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        cold_losses += cold[i]["loss"].get<double>();
        warm_losses += warm[i]["loss"].get<double>();
        CHECK(warm[i]["origin"] == (i == 0 ? "warm" : "model"));
    }
    CHECK(warm_losses < cold_losses / 2);
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "out", "--format", "json"});
    CHECK_MESSAGE(replayed.json()["differences"] == 0, replayed.out);
    const auto again = run_crescendo(folder.path(), {"run", "warm.yaml", "--dir", "other"});
    CHECK(again.code == 2);
    CHECK_MESSAGE(again.err.find("warm.yaml:8:14: warm_start[0]: before: there is no such file") != std::string::npos,
                  again.err);
}

TEST_CASE("simulate and ask-tell use the same sampler program") {
    const SamplerFolder folder;

    const auto first = run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--format", "json"});
    const auto second = run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--format", "json"});

    REQUIRE_MESSAGE(first.code == 0, first.err);
    CHECK(first.out == second.out);
    CHECK(count(content_of(folder / "heard"), R"("propose")") == 12);
    write_file(folder / "events", "{\"event\":\"slots_joined\",\"slots\":2}\n");
    const auto ask_tell =
        "cd " + folder.path().string() + " && " + CRESCENDO_BINARY + " ask-tell sweep.yaml < events > answer";
    REQUIRE(std::system(ask_tell.c_str()) == 0);
    CHECK(Json::parse(content_of(folder / "answer"))["actions"][1]["config"]["x"] == 2);
}

TEST_CASE("validate shows the proposals of a sampler, and finds that a sampler is missing") {
    const SamplerFolder folder;

    const auto valid = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", "2"});

    REQUIRE_MESSAGE(valid.code == 0, valid.err);
    CHECK(valid.out.find("trial  x\n    0  1\n    1  2\n") != std::string::npos);
    fs::remove(folder / "sampler.sh");
    const auto missing = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    CHECK(missing.code == 2);
    CHECK(missing.err.find("sweep.yaml:7:27: sampler.command[1]: there is no file 'sampler.sh'") != std::string::npos);
}
