/// Sweeps with plug-ins in C++, with the real binary.

#include <algorithm>

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

const std::string train_script = R"(w1=${1#--width_1=} w2=${2#--width_2=}
for epoch in 1 2 3 4; do
  [ $epoch -lt 4 ] || while [ -e hold ]; do sleep 0.02; done
  echo "{\"resource\":$epoch,\"metrics\":{\"loss\":$(( w1 + w2 ))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD
  case $reply in *stop*) exit;; esac
  [ ! -e patient ] || [ $epoch = 1 ] || { read -r reply <&$CRESCENDO_FD; exit; }
done
)";

/// A sweep of six trials with `more` in its file, which may name the libraries mine.so, trouble.so, …
struct SweepFolder : TemporaryFolder {
    explicit SweepFolder(const std::string& more) {
        for (const auto& library : fs::directory_iterator(CRESCENDO_PLUGINS)) {
            if (library.path().extension() == ".so") {
                fs::create_symlink(library.path(), *this / library.path().filename().string().substr(12));
            }
        }
        write_file(*this / "train.sh", train_script);
        write_file(*this / "sweep.yaml", R"(metric: {name: loss}
run_cap: 6
slots: 2
parameters: {width_1: {min: 1, max: 200}, width_2: {min: 1, max: 200}}
scheduler: {type: fifo, max: 4}
command: [bash, train.sh, "${args}"]
)" + more);
    }

    Result run() const { return run_crescendo(path(), {"run", "sweep.yaml", "--dir", "out"}); }
};

/// The journal's records of one event.
std::vector<Json> events_of(const fs::path& directory, const std::string& event) {
    auto records = journal_of(directory);
    std::erase_if(records, [&](const Json& record) { return record.value("event", "") != event; });
    return records;
}

}  // namespace

TEST_CASE("a plug-in's sampler proposes every configuration, and a resumed sweep asks it again") {
    const SweepFolder folder("plugins: [./mine.so]\nsampler: {type: climber, options: {keep: 1}}\n");
    const auto valid = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", "2"});
    REQUIRE_MESSAGE(valid.code == 0, valid.err);

    REQUIRE(folder.run().code == 0);
    const auto resumed = run_crescendo(folder.path(), {"resume", "out", "--run-cap", "8"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    const auto proposals = events_of(folder / "out", "trial_proposed");
    REQUIRE(proposals.size() == 8);
    for (const auto& proposal : proposals) {
        CHECK(proposal["origin"] == "program");
    }
    // With `keep: 1`, a climber that knows a trial proposes the best one again.
    const auto is_old = [&](const Json& last) {
        return std::any_of(proposals.begin(), proposals.end() - 2,
                           [&](const Json& each) { return each["config"] == last["config"]; });
    };
    CHECK(is_old(proposals[6]));
    CHECK(is_old(proposals[7]));
}

TEST_CASE("a plug-in's search space shapes every draw, or requests another draw") {
    const SweepFolder folder("plugins: [./mine.so]\nsampler: {type: narrowing, options: {most: 100}}\n");

    REQUIRE(folder.run().code == 0);
    REQUIRE(run_crescendo(folder.path(), {"resume", "out", "--run-cap", "12"}).code == 0);

    std::vector<Json> configs;
    for (const auto& proposal : events_of(folder / "out", "trial_proposed")) {
        const auto& config = configs.emplace_back(proposal["config"]);
        CHECK(config["width_1"] >= config["width_2"]);
        CHECK(config["width_1"].get<int>() + config["width_2"].get<int>() <= 100);
    }
    std::ranges::sort(configs);
    CHECK(configs.size() == 12);
    CHECK(std::ranges::adjacent_find(configs) == configs.end());  // a new session does not repeat the draws of the old
}

TEST_CASE("a plug-in's stop rule ends trials by events, which can be replayed and read without the plug-in") {
    const SweepFolder folder("plugins: [./mine.so]\nstop_rule: {type: plateau, options: {patience: 1}}\n");
    write_file(folder / "patient", "");  // after two reports, trials wait until they are stopped

    const auto result = folder.run();

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(events_of(folder / "out", "trial_stopped").size() == 6);  // no trial improves after its first report
    CHECK(run_crescendo(folder.path(), {"simulate", "--replay", "out", "--format", "json"}).json()["differences"] == 0);
    fs::remove(folder / "mine.so");
    const auto trials = run_crescendo(folder.path(), {"trials", "out", "--format", "json"}).json();
    REQUIRE(trials.size() == 6);
    CHECK(trials[0]["status"] == "stopped");
}

TEST_CASE("simulate asks the plug-ins, and gives the same result each time") {
    const SweepFolder folder(
        "plugins: [./mine.so]\nsampler: {type: climber}\nstop_rule: {type: plateau, options: {patience: 1}}\n");

    const auto first = run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--format", "json"});
    const auto second = run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2", "--format", "json"});

    REQUIRE_MESSAGE(first.code == 0, first.err);
    CHECK(first.out == second.out);
}

TEST_CASE("a sampler ends the sweep when it is done") {
    const SweepFolder folder("plugins: [./trouble.so]\nsampler: {type: short}\n");

    CHECK(folder.run().code == 0);

    CHECK(events_of(folder / "out", "trial_proposed").size() == 3);
}

TEST_CASE("a sweep survives a plug-in that throws, hangs or dies, and names it") {
    const struct {
        std::string use;
        std::string message;
    } cases[]{
        {"sampler: {type: thrower}",
         "sweep.yaml:8:11: sampler.type: the sampler `thrower` of ./trouble.so failed: it ended (exit status 1); last "
         "words: propose() threw: no memory for the model"},
        {"sampler: {type: juggler}", "last words: propose() threw: an exception that is not a std::exception"},
        {"sampler: {type: gossip}", "last words: tell() threw: no memory for the model"},
        {"sampler: {type: sleeper, deadline: 1s}",
         "the sampler `sleeper` of ./trouble.so failed: it gave no answer "
         "for 1 s"},
        {"sampler: {type: crasher}", "the sampler `crasher` of ./trouble.so failed: it ended (killed by signal 6"},
        {"stop_rule: thrower",
         "sweep.yaml:8:1: stop_rule: the stop rule `thrower` of ./trouble.so failed: it ended "
         "(exit status 1); last words: stops() threw: no memory for the model"},
    };
    for (const auto& [use, message] : cases) {
        CAPTURE(use);
        const SweepFolder folder("plugins: [./trouble.so]\n" + use + "\n");
        const bool is_rule = use.starts_with("stop_rule");
        if (is_rule) {
            write_file(folder / "hold", "");  // trials do not wait for a rule, so all might end before it misbehaves
        }

        Command run(folder.path(), {"run", "sweep.yaml", "--dir", "out"});
        if (is_rule) {
            await(message, [&] { return contains(run.out(), message); });
            fs::remove(folder / "hold");
        }

        CHECK_MESSAGE(run.wait() == 0, run.err());
        CHECK_MESSAGE(contains(run.out(), message), run.out());
        CHECK(events_of(folder / "out", "trial_proposed").size() == 6);
        CHECK(processes_in(folder.path()).empty());
    }
}

TEST_CASE("validate finds a plug-in that never works, and a sweep with it ends before its first trial") {
    const SweepFolder folder("plugins: [./trouble.so]\nsampler: {type: unborn}\n");
    const std::string reason = "its constructor threw: there is no value 'model'";

    const auto validated = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    const auto ran = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out"});

    CHECK(validated.code == 2);
    CHECK_MESSAGE(contains(validated.err, reason), validated.err);
    CHECK(ran.code == 2);
    CHECK_MESSAGE(contains(ran.out, reason), ran.out);
    CHECK(contains(ran.err, "the sampler failed before it proposed anything"));
    CHECK(events_of(folder / "out", "trial_proposed").empty());
}

TEST_CASE("a search space that refuses every draw is an error instead of an endless loop") {
    const SweepFolder folder("plugins: [./trouble.so]\nsampler: {type: empty}\n");

    const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", "1"});

    CHECK(result.code == 2);
    CHECK_MESSAGE(
        contains(result.err, "1000 consecutive proposals were refused, the last because it asked for another "),
        result.err);
}

TEST_CASE("problems with a plug-in are found before the sweep starts, with their position in the file") {
    const struct {
        std::string more;
        std::string message;
    } cases[]{
        {"plugins: [./none.so]\nsampler: {type: climber}", "sweep.yaml:7:11: plugins[0]: there is no file './none.so'"},
        {"plugins: [./train.sh]\nsampler: {type: climber}",
         "sweep.yaml:7:11: plugins[0]: ./train.sh is not a plug-in for this crescendo: it cannot be loaded ("},
        {"plugins: [./no_entry.so]\nsampler: {type: climber}",
         "it has no crescendo_plugin_entry(), so it is not a plug-in"},
        {"plugins: [./dies_at_start.so]\nsampler: {type: climber}", "the process loading it ended (killed by signal 6"},
        {"plugins: [./other_version.so]\nsampler: {type: climber}",
         "it was built for version 2 of the interface in crescendo/plugin.hpp, but this crescendo has version 1"},
        {"plugins: [./mine.so]\nsampler: {type: climbr}",
         "sweep.yaml:8:11: sampler.type: climbr is not a sampler (did you mean 'climber'?); the plug-ins have the "
         "sampler climber, the search space narrowing and the stop rule plateau"},
        {"plugins: [./mine.so]\nsampler: {type: plateau}", "sampler.type: plateau is not a sampler"},
        {"plugins: [./mine.so]\nstop_rule: climber", "sweep.yaml:8:1: stop_rule: climber is not a plug-in stop rule"},
        {"plugins: [./mine.so]\nsampler: {type: random}",
         "sweep.yaml:7:11: plugins[0]: ./mine.so has the sampler climber, the search space narrowing and the stop rule "
         "plateau, but the sweep file uses nothing from it; write sampler: {type: climber}, or remove it"},
        {"plugins: [./mine.so, mine.so]\nsampler: {type: climber}", "climber names 2 plug-in classes"},
        {"stop_rule: plateau", "stop_rule: is plateau, a plug-in class, but there is no plug-in"},
    };
    for (const auto& [more, message] : cases) {
        CAPTURE(more);
        const SweepFolder folder(more + "\n");

        const auto result = folder.run();

        CHECK(result.code == 2);
        CHECK_MESSAGE(contains(result.err, message), result.err);
        CHECK_FALSE(fs::exists(folder / "out"));
    }
}
