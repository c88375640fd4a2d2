#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

namespace {

/// A sweep of four trials that was stopped in its second.
struct Stopped {
    Stopped() {
        write_sweep(folder.path(), "[ $CRESCENDO_TRIAL = 1 ] && { touch here; read -r _ <&$CRESCENDO_FD; exit; }\n"
                                   "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD");
        write_file(folder / "sweep.yaml",
                   "name: s\nmetric: {name: loss}\nrun_cap: 4\nmax_retries: 0\nslots: 1\n"
                   "parameters:\n  x: {min: 0.0, max: 1.0}\n  kind: {values: [a, b]}\n"
                   "  y: {min: 1, max: 9, when: kind == 'b'}\n"
                   "constraints: [x < 0.9]\nscheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh]\n");
        Command run(folder.path(), {"run", "sweep.yaml"});
        await("trial 1 trains", [&] { return fs::exists(folder / "here"); });
        run.signal(SIGTERM);
        CHECK(run.wait() == 75);
        write_sweep_without_hold();
    }

    void write_sweep_without_hold() const {
        write_file(folder / "train.sh", "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD\n");
    }

    Result enqueue(std::vector<std::string> values) const {
        values.insert(values.begin(), {"enqueue", "s"});
        return run_crescendo(folder.path(), values);
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("enqueued trials begin first, with the given values and others that the sweep file allows") {
    const Stopped sweep;

    CHECK(sweep.enqueue({"x=0.125", "kind=a"}).out.starts_with("trial 2 will begin with x=0.125 kind=a\n"));
    CHECK(sweep.enqueue({"y=3"}).out.starts_with("trial 3 will begin with y=3\n"));
    const auto late = sweep.enqueue({"x=0.5"});
    CHECK(late.code == 2);
    CHECK(late.err.find("all 4 trials of run_cap have started or are enqueued") != std::string::npos);
    REQUIRE(run_crescendo(sweep.folder.path(), {"resume", "s"}).code == 0);

    const auto trials = run_crescendo(sweep.folder.path(), {"trials", "s", "--format", "json"}).json();
    REQUIRE(trials.size() == 4);
    CHECK(trials[2].at("x") == 0.125);
    CHECK(trials[2].at("kind") == "a");
    CHECK(trials[2].at("y").is_null());
    CHECK(trials[3].at("y") == 3);
    CHECK(trials[3].at("kind") == "b");
    CHECK(trials[3].at("x") < 0.9);
    const auto replayed = run_crescendo(sweep.folder.path(), {"simulate", "--replay", "s", "--format", "json"});
    CHECK(replayed.json().at("differences") == 0);
    const auto over = sweep.enqueue({"x=0.5"}).err;
    CHECK_MESSAGE(over.find("the sweep is over (all trials are done); first raise its limits, as in `crescendo set s "
                            "run_cap=5`") != std::string::npos,
                  over);
}

TEST_CASE("enqueue refuses values that the sweep file does not allow, and says which it allows") {
    const Stopped sweep;

    for (const auto& [value, message] :
         {std::pair{"x=2", "x cannot be 2; choose a value that the sweep file allows: from 0 to 1\n"},
          {"x=fast", "x cannot be fast"},
          {"kind=c", "kind cannot be c; choose a value that the sweep file allows: a, b\n"},
          {"knd=a", "knd is not a parameter of this sweep (did you mean 'kind'?)"},
          {"x", "'x' sets nothing; write a name and its value, like lr=0.01"},
          {"x=", "x has no value here"},
          {"y=2.5", "y cannot be 2.5; choose a value that the sweep file allows: whole numbers from "},
          {"x=0.95", "no trial can start with these values: they break the constraint x"}}) {
        CAPTURE(message);
        const auto result = sweep.enqueue({value});
        CHECK(result.code == 2);
        CHECK_MESSAGE(result.err.find(message) != std::string::npos, result.err);
    }
    CHECK(sweep.enqueue({"x=0.1", "x=0.2"}).err.find("x is given twice") != std::string::npos);
    const auto absent = sweep.enqueue({"y=3", "kind=a"});
    CHECK(absent.code == 2);
    CHECK_MESSAGE(absent.err.find("no trial can start with these values: y needs kind == ") != std::string::npos,
                  absent.err);
}
