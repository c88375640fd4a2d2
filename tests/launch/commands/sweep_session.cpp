#include "tests/contains.hpp"
#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/sweep_file.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

TEST_CASE("a session that ends well prints its result and leaves a table of all trials") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK(contains(run.out, "finished: "));
    CHECK(contains(run.out, "2 trials in "));
    CHECK(content_of(folder / "s/results.csv").starts_with("trial,status,resource"));
}

TEST_CASE("a session whose time is up before it begins stops and says how to continue") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--until", "1"});

    CHECK(run.code == 75);
    CHECK(contains(run.out, "crescendo resume s  continues it"));
    write_file(folder / "s/job.sh", "");  // as after `submit`
    CHECK(contains(run_crescendo(folder.path(), {"resume", "s", "--until", "1"}).out, "crescendo submit s  continues"));
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
}

TEST_CASE("a stopped session leaves a table of its waiting trials with what they used until then") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD\n"
                "touch reported; while read -r reply <&$CRESCENDO_FD && [[ $reply != *stop* ]]; do :; done");
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.replace(sweep.find("max: 1}"), 7, "max: 9}");
    write_file(folder / "sweep.yaml", sweep);
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("a report", [&] { return fs::exists(folder / "reported") && num_reports(folder / "s") > 0; });

    REQUIRE(run_crescendo(folder.path(), {"stop", "s"}).code == 0);

    CHECK(run.wait() == 75);
    CHECK(contains(content_of(folder / "s/results.csv"), "\n0,waiting,1,"));
    CHECK(content_of(folder / "s/results.csv") == run_crescendo(folder.path(), {"trials", "s", "--format", "csv"}).out);
}

TEST_CASE("a session stops two minutes before the end of its batch job") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    const Variable job("SLURM_JOB_ID", "17");
    const Variable end("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 100));

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 75);
}

TEST_CASE("a session with --slots all has the same slots as one with slots: auto in its sweep file") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.replace(sweep.find("slots: 1"), 8, "slots: auto");
    write_file(folder / "auto.yaml", sweep);
    sweep.replace(sweep.find("slots: auto"), 11, "slots: 1234");
    write_file(folder / "many.yaml", sweep);
    const auto slots_of = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--dir", arguments.front() + ".d"});
        arguments.insert(arguments.begin(), "run");
        const auto run = run_crescendo(folder.path(), arguments);
        REQUIRE_MESSAGE(run.code == 0, run.err);
        const auto status = run_crescendo(folder.path(), {"status", arguments.back(), "--format", "json"});
        return status.json().at("slots").get<int>();
    };

    CHECK(slots_of({"many.yaml", "--slots", "all"}) == slots_of({"auto.yaml"}));
    const auto refused = run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots", "most"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "most is not a whole number from 1 to 2^63 - 1, nor `all`"));
}

TEST_CASE("a session asks for the end of its job before it stops, since the job may have got more time") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("squeue", "echo 1:00:00");
    const Variable job("SLURM_JOB_ID", "17");
    ::setenv("CRESCENDO_LEAD", "60", 1);

    const auto stays = run_crescendo(folder.path(), {"run", "sweep.yaml", "--until", "1"});
    ::unsetenv("CRESCENDO_LEAD");  // then the user has set the end
    const auto ends = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "other", "--until", "1"});

    CHECK(stays.code == 0);
    CHECK(slurm.calls("squeue --noheader --jobs=17 --format=%L --states=RUNNING") == 1);
    CHECK(ends.code == 75);
}
