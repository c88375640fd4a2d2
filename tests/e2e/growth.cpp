/// The user's programs on several slots, grown in place as warm trainers that the sweep file names, or restarted.

#include <algorithm>
#include <map>

#include "tests/e2e/command.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

/// A warm trainer in Bash. Its loss depends on its parameter x and falls with each report. Each member of a group notes
/// the group's size, and then runs `in_group`.
void write_warm_sweep(const fs::path& folder, const std::string& more = "", const std::string& in_group = ":") {
    write_file(folder / "train.sh", R"(
[[ ${@: -1} = --check ]] && { cat > question; echo this is no answer; echo '{"problems":[]}'; exit; }
echo "$@" >> arguments
say() { echo "$1" >&$CRESCENDO_FD; }
number() { [[ $line =~ \"$1\":([0-9]+) ]] && echo ${BASH_REMATCH[1]}; }
report() {
  ((rank == 0)) || return
  local loss=$x.$((100000 - ++resource))
  say '{"type":"report","trial":'$trial',"generation":'$generation',"resource":'$resource',"metrics":{"loss":'$loss'}}'
}
say '{"type":"hello"}'
while read -r line <&$CRESCENDO_FD; do
  case $line in
    *'"type":"join"'*)
      [[ $line = *'"state":"memory"'* && $rank = 0 ]] || resource=0
      trial=$(number trial) generation=$(number generation) rank=$(number rank) x=$(number x)
      number size >> sizes
      say '{"type":"regrouped","trial":'$trial',"generation":'$generation',"seconds":0.1}'
      )" + in_group + R"(
      report ;;
    *'"type":"decision"'*) report ;;
    *'"type":"evaluate"'*) say '{"type":"evaluated","metrics":{"test_loss":0.5}}' ;;
    *'"type":"leave"'*) say '{"type":"left","trial":'$trial',"saved":true}' ;;
  esac
done
)");
    write_file(folder / "sweep.yaml", R"(
name: s
metric: {name: loss}
run_cap: 1
slots: 2
parameters: {x: {min: 1, max: 1000}}
scheduler: {type: rasda, max: 8, reduction_factor: 2, grow_when: always}
command: [bash, train.sh, --epochs=9, "${args}"]
grow: in_place
)" + more);
}

/// A program with one process per slot that runs `at_start` and continues from its own checkpoint. Rank 0 waits until
/// all processes have begun, so that no trial ends before.
void write_restarting_sweep(const fs::path& folder, const std::string& more, const std::string& at_start = ":") {
    write_file(folder / "train.sh", at_start + R"(
saved=$CRESCENDO_TRIAL_DIR/saved
decide() { read -r reply <&$CRESCENDO_FD || exit 0; [[ $reply == *stop* ]] && exit 0; }
report() { echo '{"resource":'$1',"metrics":{"loss":'${2#--x=}.$((9 - $1))'}}' >&$CRESCENDO_FD; decide; }
hosts=$(tr '\n' ' ' 2>/dev/null < $CRESCENDO_HOSTS)
echo "$CRESCENDO_TRIAL $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE ${MASTER_PORT:+$MASTER_ADDR} \
x$CRESCENDO_BATCH_MULTIPLE $hosts" >> worlds
((RANK > 0)) && while true; do decide; done
until (($(grep -c "^$CRESCENDO_TRIAL [0-9]*/$WORLD_SIZE " worlds) >= WORLD_SIZE)); do sleep 0.01; done
epoch=$(cat $saved 2>/dev/null || echo 0)
((epoch > 0)) && report $epoch $1
while ((epoch < CRESCENDO_MAX_RESOURCE)); do
  echo $((++epoch)) > $saved; report $epoch $1
done
)");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nslots: 2\nparameters: {x: {min: 1, max: 1000}}\n"
               "command: [bash, train.sh, \"${args}\"]\n" +
                   more);
}

/// Checks that every trial's reports are complete and in order, however often it started, and that no process is left.
void check_reports(const fs::path& folder, int num_failures) {
    std::map<int, int> last;
    for (const auto& record : journal_of(folder / "s")) {
        if (record.value("event", "") == "trial_reported") {
            CHECK(record.at("resource") == ++last[record.at("trial")]);
        }
    }
    int failures = 0;
    for (const auto& trial : run_crescendo(folder, {"trials", "s", "--format", "json"}).json()) {
        CHECK(trial.at("status") != "failed");
        failures += trial.at("failures").get<int>();
    }
    CHECK(failures == num_failures);
    CHECK(processes_in(folder).empty());
    const auto replay = run_crescendo(folder, {"simulate", "--replay", "s", "--format", "json"});
    REQUIRE_MESSAGE(replay.code == 0, replay.err);
    CHECK(replay.json().at("differences") == 0);
}

bool has_line(const std::string& text, const std::string& beginning) {
    return text.starts_with(beginning) || text.find("\n" + beginning) != std::string::npos;
}

/// Checks that a trial grows from one worker to one on each slot.
void check_that_it_grows(const fs::path& folder, int num_slots = 2) {
    const auto run = run_crescendo(folder, {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
    int most = 0;
    for (const auto& trial : run_crescendo(folder, {"trials", "s", "--format", "json"}).json()) {
        CHECK(trial.at("failures") == 0);
        most = std::max(most, trial.at("workers").get<int>());
    }
    CHECK(most == num_slots);
    std::istringstream arguments(content_of(folder / "arguments"));
    int num_processes = 0;
    for (std::string line; std::getline(arguments, line); ++num_processes) {
        CHECK(line == "--epochs=9");  // its parameters come with each trial
    }
    CHECK(num_processes == num_slots);  // one per slot, for all trials
    CHECK(processes_in(folder).empty());
}

}  // namespace

TEST_CASE("a warm trainer that checks its settings does not take itself for a part of our MPI job") {
    const TemporaryFolder folder;
    write_warm_sweep(folder.path());
    write_file(folder / "train.sh", "[[ -v OMPI_OF_TEST ]] && exit 1\n" + content_of(folder / "train.sh"));
    const Variable ours("OMPI_OF_TEST", "1");

    const auto validated = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK_MESSAGE(validated.code == 0, validated.err);
}

TEST_CASE("a program that the sweep file names grows in place and tests the best trial") {
    const TemporaryFolder folder;
    write_warm_sweep(folder.path(), "final_test: on\n");

    check_that_it_grows(folder.path());

    const auto question = Json::parse(content_of(folder / "question"));
    CHECK(question.at("final_test") == true);
    CHECK(question.at("settings").empty());
    CHECK(question.at("parameters").at("x") == Json::array({1, 1000}));
    CHECK(run_crescendo(folder.path(), {"best", "s", "--format", "json"}).json().at("test").at("test_loss") == 0.5);
}

TEST_CASE("a program is asked about values that its parameters can have") {
    const TemporaryFolder folder;
    write_warm_sweep(folder.path());
    auto text = content_of(folder / "sweep.yaml");
    const std::string one = "x: {min: 1, max: 1000}";
    text.replace(text.find(one), one.size(), one + ", q: {distribution: q_uniform, min: 1, max: 10, q: 4}");
    write_file(folder / "sweep.yaml", text);

    REQUIRE(run_crescendo(folder.path(), {"validate", "sweep.yaml"}).code == 0);

    CHECK(Json::parse(content_of(folder / "question")).at("parameters").at("q") == Json::array({4.0, 8.0}));
}

TEST_CASE("a program that grows in place can be resumed from another folder") {
    const TemporaryFolder folder;
    write_warm_sweep(folder.path());
    write_file(folder / "sweep.yaml", content_of(folder / "sweep.yaml") + "budget: {time: 1h}\n");
    auto text = content_of(folder / "sweep.yaml");
    text.replace(text.find("max: 8"), 6, "max: 100000");
    write_file(folder / "sweep.yaml", text);
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("some reports are in the journal", [&] { return num_reports(folder / "s") >= 4; });
    run.signal(SIGTERM);
    REQUIRE(run.wait() == 75);
    fs::create_directory(folder / "elsewhere");
    const auto before = num_reports(folder / "s");

    Command resumed(folder / "elsewhere", {"resume", "../s"});
    await("it reports again", [&] { return num_reports(folder / "s") > before + 4; });
    resumed.signal(SIGTERM);

    CHECK(resumed.wait() == 75);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a mistake in several configurations is reported once, even if its remedies differ") {
    const TemporaryFolder folder;
    write_warm_sweep(folder.path());
    auto text = content_of(folder / "sweep.yaml");
    write_file(folder / "sweep.yaml", text.replace(text.find("bash, train.sh"), 14, "python3, train.py"));
    write_file(folder / "train.py", R"(print('{"problems": ['
      '{"key": "parameters.x", "message": "no such setting; there are a, b"},'
      '{"key": "parameters.x", "message": "no such setting; there are b, a"},'
      '{"key": "parameters.x", "message": "is too large"}]}'))");

    const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK(result.err.find("no such setting; there are a, b") != std::string::npos);
    CHECK_MESSAGE(result.err.find("is too large\n2 mistakes\n") != std::string::npos, result.err);
}

TEST_CASE("the message about a program that is not a warm trainer, or about a missing `grow`, says what to do") {
    const TemporaryFolder folder;
    write_warm_sweep(folder.path());
    auto text = content_of(folder / "sweep.yaml");
    write_file(folder / "train.py", "import no_such_module\n");
    write_file(folder / "sweep.yaml", text.replace(text.find("bash, train.sh"), 14, "python3, train.py"));
    const auto dies = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    write_file(folder / "train.py", "print('epoch 1')\n");
    const auto trains = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    write_file(folder / "train.py", "print('{\"problems\":[{\"message\":\"no\"}]}')\n");
    const auto misshapes = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "train.py", "import argparse\nargparse.ArgumentParser().parse_args()\n");
    const auto parses = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_warm_sweep(folder.path());
    text = content_of(folder / "sweep.yaml");
    text.replace(text.find("grow: in_place"), 14, "").replace(text.find("rasda"), 5, "asha");
    write_file(folder / "sweep.yaml", text);
    const auto ungrown = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(dies.code == 2);
    CHECK_MESSAGE(dies.err.find("command: `python3 train.py --epochs=9 --check` gave no answer: exit status 1") !=
                      std::string::npos,
                  dies.err);
    CHECK(dies.err.find("No module named 'no_such_module'") != std::string::npos);
    CHECK(trains.code == 2);
    CHECK_MESSAGE(
        trains.err.find("gave no answer: exit status 0; it printed: epoch 1; a program that grows in place must be a "
                        "warm trainer, such as a script that uses crescendo.torch") != std::string::npos,
        trains.err);
    CHECK(misshapes.code == 2);
    CHECK_MESSAGE(misshapes.err.find(R"(it printed: {"problems":[{"message":"no"}]}; an answer is {"problems": [{)") !=
                      std::string::npos,
                  misshapes.err);
    CHECK(parses.code == 2);
    CHECK_MESSAGE(parses.err.find("exit status 2; a script that parses its own arguments does not know --check") !=
                      std::string::npos,
                  parses.err);
    CHECK(ungrown.code == 1);
    CHECK_MESSAGE(
        ungrown.out.find("this is a warm trainer; add `grow: in_place` to the sweep file") != std::string::npos,
        ungrown.out);
}

TEST_CASE("an unexpected message from a warm trainer costs its trial an attempt, and the sweep continues") {
    for (const auto& [deed, message] :
         {std::pair{"say world_size=4",
                    "its message through CRESCENDO_FD cannot be understood: not a JSON object: 'world_size=4'"},
          {R"(say '{"type":"left","trial":0,"saved":false}')", "it left its group without being told to"}}) {
        CAPTURE(deed);
        const TemporaryFolder folder;
        // Rank 0 does this before it reports, because the trial cannot end without that report.
        write_warm_sweep(folder.path(), "",
                         "[[ $line = *'\"size\":2'* && $rank = 0 ]] && mkdir once 2>/dev/null && " + std::string(deed));

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

        REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
        CHECK_MESSAGE(run.out.find("trial 0 gave up: " + std::string(message)) != std::string::npos, run.out);
        check_reports(folder.path(), /*num_failures=*/1);
    }
}

TEST_CASE("a program grows by a restart from its own checkpoint, and survives the death of one of its processes") {
    const TemporaryFolder folder;
    write_restarting_sweep(folder.path(),
                           "run_cap: 1\nscheduler: {type: rasda, max: 8, reduction_factor: 2, batch: ladder, grow_when: always}\n"
                           "grow: restart\n",
                           "[ $WORLD_SIZE = 2 ] && mkdir once.$RANK 2>/dev/null && "
                           "{ [ $RANK = 1 ] && kill -9 $$; read -r end <&$CRESCENDO_FD; exit 0; }");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
    check_reports(folder.path(), /*num_failures=*/1);
    const auto worlds = content_of(folder / "worlds");
    CHECK_MESSAGE(has_line(worlds, "0 0/1 0/1 127.0.0.1 x1"), worlds);
    CHECK(worlds.find(" 0/2 0/2 127.0.0.1 x2 ") != std::string::npos);
    CHECK(worlds.find(" 1/2 1/2 127.0.0.1 x2 ") != std::string::npos);
    CHECK(worlds.find(" 0/1 0/1 127.0.0.1 x2") != std::string::npos);  // one smaller, with the same batches
    const auto journal = journal_of(folder / "s");
    CHECK(std::ranges::count(journal, "regrouped", [](const Json& each) { return each.value("note", ""); }) >= 2);
}

TEST_CASE("a program that reports no step times grows, even without a benefit, and its replay grows the same") {
    const TemporaryFolder folder;
    write_restarting_sweep(folder.path(),
                           "run_cap: 1\nscheduler: {type: rasda, max: 8, reduction_factor: 2}\ngrow: restart\n",
                           "[ $WORLD_SIZE = 2 ] && sleep 1");  // more than it has left to train
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    const auto journal = journal_of(folder / "s");
    const auto grew = std::ranges::count(journal, "regrouped", [](const Json& each) { return each.value("note", ""); });

    const auto replay = run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"});

    REQUIRE_MESSAGE(replay.code == 0, replay.err);
    CHECK(grew == 1);
    CHECK(replay.json().at("regroups") == grew);
}

TEST_CASE("a program that starts on two slots has a process on each slot") {
    const TemporaryFolder folder;
    write_restarting_sweep(folder.path(),
                           "run_cap: 3\nscheduler: {type: asha, max: 4, reduction_factor: 2, workers: 2}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
    check_reports(folder.path(), 0);
    const auto worlds = content_of(folder / "worlds");
    for (const std::string trial : {"0", "1", "2"}) {
        CHECK(has_line(worlds, trial + " 0/2 0/2 127.0.0.1 "));
        CHECK(has_line(worlds, trial + " 1/2 1/2 127.0.0.1 "));
    }
    CHECK_MESSAGE(worlds.find(" slots=2 \n") != std::string::npos, worlds);
}

#ifdef CRESCENDO_TEST_MPI
TEST_CASE("rasda grows a program in place and by restarts from one slot to four, on one, two and four MPI ranks") {
    for (const std::string num_ranks : {"1", "2", "4"}) {
        CAPTURE(num_ranks);
        const Ranks ranks(num_ranks.c_str(), "10");
        const auto slots = "slots: " + std::to_string(4 / std::stoi(num_ranks));
        const auto on_slots = [&](const fs::path& folder) {
            auto text = content_of(folder / "sweep.yaml");
            write_file(folder / "sweep.yaml", text.replace(text.find("slots: 2"), 8, slots));
        };
        const TemporaryFolder in_place;
        const TemporaryFolder started_anew;
        write_warm_sweep(in_place.path());
        write_restarting_sweep(started_anew.path(),
                               "run_cap: 1\nscheduler: {type: rasda, max: 4, reduction_factor: 2}\ngrow: restart\n");
        on_slots(in_place.path());
        on_slots(started_anew.path());

        check_that_it_grows(in_place.path(), 4);
        const auto run = run_crescendo(started_anew.path(), {"run", "sweep.yaml"});

        REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
        check_reports(started_anew.path(), 0);
        const auto worlds = content_of(started_anew / "worlds");
        for (const auto* world : {"0 0/1 ", "0 1/2 ", "0 3/4 "}) {
            CHECK_MESSAGE(has_line(worlds, world), worlds);
        }
    }
}

TEST_CASE("a program that starts on four slots of two nodes has a process on each slot, and knows the others") {
    const Ranks ranks("2", "10");
    const TemporaryFolder folder;
    write_restarting_sweep(folder.path(), "run_cap: 1\nscheduler: {type: asha, max: 2, workers: 4}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
    check_reports(folder.path(), 0);
    const auto worlds = content_of(folder / "worlds");
    for (const auto* process : {"0/4 0/2", "1/4 1/2", "2/4 0/2", "3/4 1/2"}) {
        CHECK_MESSAGE(has_line(worlds, "0 " + std::string(process) + " 127.0.0.1 x1 "), worlds);
    }
    CHECK_MESSAGE(worlds.find(" slots=4 \n") != std::string::npos, worlds);  // both nodes are this machine
}
#endif
