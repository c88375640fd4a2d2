/// Sweeps that are steered from outside while they run.

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <optional>

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

/// Reports once, and then trains until it is asked to leave, or until the file "go" exists. Trial 1 fails before it
/// reports, unless the file "fixed" exists.
const std::string waiting_program = R"(
[ $CRESCENDO_TRIAL = 1 ] && [ ! -e fixed ] && exit 9
echo "{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}" >&$CRESCENDO_FD
read -r reply <&$CRESCENDO_FD || exit 0
[[ $reply == *stop* ]] && exit 0
while [ ! -e go ]; do read -t 0.05 -r reply <&$CRESCENDO_FD && exit 0; done
echo "{\"resource\": 2, \"metrics\": {\"loss\": 0.4}}" >&$CRESCENDO_FD
read -r reply <&$CRESCENDO_FD
)";

const std::string sweep_text = R"(name: s
metric: {name: loss}
run_cap: 3
max_retries: 0
slots: 2
parameters:
  a: {min: 0.0, max: 100.0}
scheduler: {type: fifo, max: 2}
command: [bash, train.sh, "${args}"]
)";

/// A sweep of one of the programs below.
std::string stepping_sweep(const std::string& more) {
    return "name: s\nmetric: {name: loss}\nmax_retries: 0\nparameters:\n  a: {min: 0.0, max: 100.0}\n"
           "scheduler: {type: fifo, max: 100000}\ncommand: [bash, train.sh, \"${args}\"]\n" +
           more;
}

/// Reports each step, with a checkpoint, until the file "go" exists. Notes the step at which it begins.
const std::string stepping_program = R"(
saved=$CRESCENDO_TRIAL_DIR/saved
report() {
  echo "{\"resource\": $1, \"metrics\": {\"loss\": 0.5}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
}
step=$(cat $saved 2>/dev/null || echo 0)
echo $step >> $CRESCENDO_TRIAL_DIR/begins
((step > 0)) && report $step
while [ ! -e go ]; do sleep 0.02; echo $((++step)) > $saved; report $step; done
report $((step + 1))
exit 0
)";

/// As above, but a warm trainer, which writes a checkpoint only if it is asked to save.
const std::string warm_program = R"(
[[ ${@: -1} = --check ]] && { cat > /dev/null; echo '{"problems":[]}'; exit; }
say() { echo "$1" >&$CRESCENDO_FD; }
number() { [[ $line =~ \"$1\":([0-9]+) ]] && echo ${BASH_REMATCH[1]}; }
say '{"type":"hello"}'
while read -r line <&$CRESCENDO_FD; do
  case $line in
    *'"type":"join"'*)
      trial=$(number trial) generation=$(number generation)
      [[ $line =~ \"directory\":\"([^\"]*) ]] && directory=${BASH_REMATCH[1]}
      step=$(cat $directory/saved 2>/dev/null || echo 0)
      echo $step >> $directory/begins ;;
    *'"type":"leave"'*)
      [[ $line = *'"save":true'* ]] && echo $step > $directory/saved
      say '{"type":"left","trial":'$trial',"saved":true}'
      continue ;;
  esac
  if ((step == 3)) && [ ! -e go ]; then continue; fi
  say '{"type":"report","trial":'$trial',"generation":'$generation',"resource":'$((++step))',"metrics":{"loss":0.5}}'
done
)";

/// A running sweep: trials 0 and 2 train, and trial 1 has failed.
struct Running {
    explicit Running(const std::string& source = waiting_program, const std::string& text = sweep_text,
                     std::size_t num_first_reports = 2) {
        write_file(folder / "train.sh", source);
        write_file(folder / "sweep.yaml", text);
        run.emplace(folder.path(), std::vector<std::string>{"run", "sweep.yaml"});
        await("trials report", [&] { return num_reports(folder / "s") >= num_first_reports; });
    }

    Result ask(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin() + 1, "s");
        return run_crescendo(folder.path(), arguments);
    }

    Json json(const std::string& verb) const {
        return run_crescendo(folder.path(), {verb, "s", "--format", "json"}).json();
    }

    /// Lets all trials end, and returns the exit status.
    int finish() {
        write_file(folder / "go", "");
        return run->wait();
    }

    int num_with_status(const std::string& status) const { return json("status").at("trials").at(status); }

    /// The steps from which the trial's workers began, one after the other.
    std::string begins_of(int trial) const {
        return content_of(folder / ("s/trials/00000" + std::to_string(trial)) / "begins");
    }

    int num_differences() const {
        return run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"}).json().at("differences");
    }

    TemporaryFolder folder;
    std::optional<Command> run;
};

}  // namespace

TEST_CASE("a running sweep stops and retries trials, changes its limits, and keeps notes and tags on request") {
    Running sweep;

    CHECK(sweep.ask({"stop", "0"}).out == "trial 0 stops\n");
    CHECK(sweep.ask({"stop", "0"}).out == "trial 0 was already stopped\n");
    write_file(sweep.folder / "fixed", "");
    CHECK(sweep.ask({"retry", "1"}).out == "trial 1 is tried again\n");
    CHECK(sweep.ask({"set", "run_cap=4", "budget.time=1h"}).out == "run_cap=4, budget.time=\"1h\" from now on\n");
    CHECK(sweep.ask({"note", "2", "looks good"}).code == 0);
    CHECK(sweep.ask({"tag", "2", "baseline"}).code == 0);
    const auto late = sweep.ask({"retry", "2"});
    CHECK(late.code == 2);
    CHECK(contains(late.err, "trial 2 is running (only a failed trial can be retried)"));

    CHECK(sweep.finish() == 0);
    const auto trials = sweep.json("trials");
    REQUIRE(trials.size() == 4);
    CHECK(trials[0].at("reason") == "requested");
    CHECK(trials[0].at("status") == "stopped");
    for (const int trial : {1, 2, 3}) {
        CHECK(trials[static_cast<std::size_t>(trial)].at("status") == "finished");
    }
    const auto status = sweep.json("status");
    CHECK(status.at("limits").at("budget.time") == "1h");
    CHECK(status.at("notes")[0].at("text") == "looks good");
    CHECK(status.at("trial_tags") == Json{{"2", {"baseline"}}});
    CHECK(contains(sweep.run->out(), "requested: trial 0 stops"));
    CHECK(sweep.num_differences() == 0);
    CHECK(fs::is_empty(sweep.folder / "s/requests"));
}

TEST_CASE("a program is paused at its report, gives its slot to another trial, and continues from its checkpoint") {
    Running sweep(stepping_program, stepping_sweep("run_cap: 3\nslots: 2\n"));

    CHECK(sweep.ask({"pause", "0"}).out == "trial 0 pauses at its next report\n");
    await("trial 2 has the slot", [&] { return sweep.num_with_status("begun") == 3; });
    CHECK(sweep.num_with_status("held") == 1);
    CHECK(sweep.ask({"pause", "0"}).out == "trial 0 is already paused\n");
    CHECK(sweep.ask({"resume", "0"}).out == "trial 0 continues as soon as slots are free\n");
    CHECK(sweep.ask({"resume", "0"}).out == "trial 0 is waiting, and not held\n");

    CHECK(sweep.finish() == 0);
    CHECK(sweep.num_with_status("finished") == 3);
    const auto begins = sweep.begins_of(0);
    CHECK(begins.starts_with("0\n"));
    CHECK_MESSAGE((begins.size() > 3 && !begins.ends_with("\n0\n")), begins);  // it continued, not from scratch
    CHECK(sweep.ask({"pause", "0"}).code == 2);
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a trial of a warm trainer saves at once when it is paused in the middle of an epoch") {
    Running sweep(warm_program, stepping_sweep("run_cap: 1\nslots: 1\ngrow: in_place\n"), 3);

    CHECK(sweep.ask({"pause", "0"}).out == "trial 0 saves and pauses\n");
    CHECK(sweep.num_with_status("held") == 1);
    CHECK(sweep.ask({"resume", "0"}).out == "trial 0 continues as soon as slots are free\n");
    await("it continues", [&] { return sweep.begins_of(0) == "0\n3\n"; });
    CHECK(sweep.ask({"stop", "0"}).code == 0);

    CHECK(sweep.finish() == 0);
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a sweep whose trials are all paused waits for a request, says so, and can be resumed") {
    Running sweep(stepping_program, stepping_sweep("run_cap: 1\nslots: 1\n"), 1);
    CHECK(sweep.ask({"pause", "0"}).code == 0);
    const std::string hint = "all remaining trials are paused by request; `crescendo resume s 0` continues one";
    await("it says so", [&] { return contains(sweep.run->out(), hint); });
    CHECK(sweep.json("status").at("hint") == hint);
    sweep.run->signal(SIGTERM);
    REQUIRE(sweep.run->wait() == 75);

    sweep.run.emplace(sweep.folder.path(), std::vector<std::string>{"resume", "s"});
    await("it says so again", [&] { return contains(sweep.run->out(), hint); });
    CHECK(sweep.ask({"resume", "0"}).code == 0);
    CHECK(sweep.finish() == 0);

    CHECK(sweep.num_with_status("finished") == 1);
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a time budget ends a sweep whose trials are all paused") {
    Running sweep(stepping_program, stepping_sweep("run_cap: 1\nslots: 1\n"), 1);
    CHECK(sweep.ask({"pause", "0"}).code == 0);
    CHECK(sweep.ask({"set", "budget.time=1s"}).code == 0);

    CHECK(sweep.run->wait() == 0);
    CHECK(sweep.json("status").at("reason") == "the time budget is used up");
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a trial is stopped once it has held its slots for trial_time, and the sweep continues") {
    Running sweep(stepping_program, stepping_sweep("run_cap: 2\nslots: 1\ntrial_time: 1s\n"), 0);

    CHECK(sweep.run->wait() == 0);
    for (const auto& trial : sweep.json("trials")) {
        CHECK(trial.at("reason") == "timed_out");
        CHECK(trial.at("status") == "stopped");
    }
    CHECK(sweep.json("status").at("reason") == "all trials are done");
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a trial that does not improve ends, and so does a sweep that does not improve") {
    Running sweep(stepping_program, stepping_sweep("run_cap: 9\nslots: 1\npatience: {trials: 2, resource: 3}\n"), 1);

    CHECK(sweep.run->wait() == 0);
    const auto trials = sweep.json("trials");
    REQUIRE(trials.size() == 3);  // the first has the best value, and two more are no better
    for (const auto& trial : trials) {
        CHECK(trial.at("reason") == "no_progress");
        CHECK(trial.at("resource") == 4);
    }
    CHECK(sweep.json("status").at("reason") == "no trial improved for too long (patience.trials)");
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("thousands of requests at once do not harm a sweep, and bad requests are refused") {
    Running sweep;
    const auto folder = sweep.folder / "s/requests";
    CHECK(sweep.ask({"note", "first"}).code == 0);  // makes the folder
    const auto put = [&](const std::string& name, const std::string& content) {
        write_file(folder / (name + ".part"), content);
        fs::rename(folder / (name + ".part"), folder / (name + ".request"));
    };
    // The bad ones come first, and of these the torn one is taken last.
    REQUIRE(::mkfifo((folder / "0-pipe.request").c_str(), 0600) == 0);
    put("0-other", R"({"crc":"00000000","request":{"ask":"stop","trial":0},"version":99})");
    put("0-damaged", R"({"crc":"00000000","request":{"ask":"stop","trial":0},"version":1})");
    if (::geteuid() == 0) {  // only root can give a file to another user
        write_file(folder / "0-foreign.part", "{}");
        REQUIRE(::chown((folder / "0-foreign.part").c_str(), 12345, 12345) == 0);
        fs::rename(folder / "0-foreign.part", folder / "0-foreign.request");
    }
    put("0-torn", R"({"crc":"00000000","request":{"ask":"st)");
    for (int i = 0; i < 2000; ++i) {
        put("1-" + std::to_string(i), "{}");
    }
    await("the bad requests are taken", [&] { return !fs::exists(folder / "0-torn.request"); });

    CHECK(sweep.finish() == 0);  // reports are answered between them

    CHECK(sweep.json("status").at("trials").at("finished") == 2);
    for (const auto& record : journal_of(sweep.folder / "s")) {
        CHECK(record.value("event", "") != "trial_stopped");
    }
    CHECK(contains(sweep.run->out(), "the request 0-torn is refused: it is incomplete"));
    CHECK(contains(sweep.run->out(), "the request 0-other is refused: it was written by another version"));
    CHECK(contains(sweep.run->out(), "the request 0-damaged is refused: it is damaged"));
    CHECK(contains(sweep.run->out(), "the request 0-pipe is refused: it is not a regular file"));
    CHECK((::geteuid() != 0 ||
           contains(sweep.run->out(), "the request 0-foreign is refused: it belongs to user 12345")));
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a request that was carried out before a crash is not carried out twice") {
    Running sweep;
    const auto folder = sweep.folder / "s/requests";
    sweep.run->signal(SIGSTOP);
    Command note(sweep.folder.path(), {"note", "s", "2", "once"});
    fs::path request;
    await("the request is there", [&] {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(folder, ignored)) {
            request = entry.path().extension() == ".request" ? entry.path() : request;
        }
        return !request.empty();
    });
    const auto content = content_of(request);
    sweep.run->signal(SIGCONT);
    CHECK(note.wait() == 0);
    sweep.run->signal(SIGKILL);
    sweep.run->wait();
    write_file(request, content);  // as if the crash had come before the answer

    sweep.run.emplace(sweep.folder.path(), std::vector<std::string>{"resume", "s"});
    await("the request is taken", [&] { return !fs::exists(request); });
    CHECK(sweep.finish() == 0);

    CHECK(sweep.json("status").at("notes").size() == 1);
}
