#include <sys/stat.h>

#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("list shows every sweep below a folder, with its state and best result") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "results/deep/first"}).code == 0);
    fs::copy(CRESCENDO_OLD_SWEEP, folder / "results/second", fs::copy_options::recursive);
    fs::create_directories(folder / "results/.hidden");
    fs::copy(CRESCENDO_OLD_SWEEP, folder / "results/.hidden/third", fs::copy_options::recursive);
    fs::create_directory_symlink(folder / "results", folder / "results/loop");

    const auto sweeps = run_crescendo(folder.path(), {"list", "results", "--format", "json"}).json();

    REQUIRE(sweeps.size() == 2);
    CHECK(sweeps[0].at("directory") == "results/deep/first");
    CHECK(sweeps[0].at("state") == "finished");
    CHECK(sweeps[0].at("progress") == 1.0);
    CHECK(sweeps[0].at("trials") == 2);
    CHECK(sweeps[0].at("best") == 0.5);
    CHECK(sweeps[0].at("metric") == "loss");
    CHECK(sweeps[1].at("directory") == "results/second");
    CHECK(sweeps[1].at("state") == "stopped");
    CHECK(contains(run_crescendo(folder.path(), {"list"}).out, "results/deep/first"));
}

TEST_CASE("list asks the batch system once about the jobs of all sweeps, even if it does not answer") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    for (const char* job : {"17", "18", "19"}) {
        slurm.answer("sbatch", std::string("echo ") + job);
        REQUIRE(run_crescendo(folder.path(), {"submit", "sweep.yaml", "--dir", job}).code == 0);
    }
    const auto states = [&] {
        std::string text;
        for (const auto& sweep : run_crescendo(folder.path(), {"list", "--format", "json"}).json()) {
            text += sweep.at("state").get<std::string>() + " ";
        }
        return text;
    };

    slurm.answer("squeue", "printf '17 PENDING\\n18 RUNNING\\n'");
    CHECK(states() == "queued running stopped ");
    CHECK(slurm.calls("squeue") == 1);
    slurm.answer("squeue", "exit 1");
    CHECK(states() == "unknown unknown unknown ");
    CHECK(slurm.calls("squeue") == 2);
}

TEST_CASE("list does not wait for pipes in place of a sweep's files") {
    const OldSweep sweep;
    for (const char* name : {"journal.jsonl", "lock", "run.json", "sweep.yaml"}) {
        const auto copy = sweep.folder / (std::string("of ") + name);
        fs::copy(CRESCENDO_OLD_SWEEP, copy, fs::copy_options::recursive);
        fs::remove(copy / name);
        REQUIRE(::mkfifo((copy / name).c_str(), 0600) == 0);
    }

    const auto sweeps = sweep.run({"list", "--format", "json"}).json();

    REQUIRE(sweeps.size() == 5);
    CHECK(contains(sweeps[0].at("problem"), "of journal.jsonl/journal.jsonl: it is not a regular file"));
    CHECK(sweeps[1].at("state") == "stopped");  // the lock has no holder
    CHECK(contains(sweeps[2].at("problem"), "it is not a regular file"));
    CHECK(contains(sweeps[3].at("problem"), "it is not a regular file"));
    CHECK(sweeps[4].at("state") == "stopped");
}

TEST_CASE("list says why a sweep's journal cannot be looked at") {
    const OldSweep sweep;
    const auto copy = sweep.folder / "copy";
    fs::copy(CRESCENDO_OLD_SWEEP, copy, fs::copy_options::recursive);
    fs::remove(copy / "journal.jsonl");
    fs::create_symlink("journal.jsonl", copy / "journal.jsonl");  // leads to itself

    const auto sweeps = sweep.run({"list", "--format", "json"}).json();

    REQUIRE(sweeps.size() == 2);
    CHECK(sweeps[0].at("state") == "unreadable");
    CHECK(contains(sweeps[0].at("problem"), "copy/journal.jsonl: Too many levels of symbolic links"));
}

TEST_CASE("list in a job does not write the file for the exit code of the job's session") {
    const TemporaryFolder folder;
    const auto file = folder / "exit";

    ::setenv("CRESCENDO_EXIT_STATUS", file.c_str(), 1);
    run_crescendo(folder.path(), {"list"});
    const bool is_written = fs::exists(file);
    run_crescendo(folder.path(), {"resume", "nowhere"});
    ::unsetenv("CRESCENDO_EXIT_STATUS");

    CHECK_FALSE(is_written);
    CHECK(content_of(file) == "2\n");
}

TEST_CASE("a sweep that cannot be read is listed with its problem and does not hide the others") {
    const TemporaryFolder folder;
    fs::copy(CRESCENDO_OLD_SWEEP, folder / "a", fs::copy_options::recursive);
    fs::copy(CRESCENDO_OLD_SWEEP, folder / "b", fs::copy_options::recursive);
    write_file(folder / "a/sweep.yaml", "metric: [\n");

    const auto result = run_crescendo(folder.path(), {"list", "--format", "json"});

    CHECK(result.code == 0);
    CHECK(result.json()[0].at("state") == "unreadable");
    CHECK(contains(result.json()[0].at("problem"), "sweep.yaml"));
    CHECK(result.json()[1].at("state") == "stopped");
}

TEST_CASE("list of a folder that may not be read says so instead of finding no sweeps") {
    const TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms::all);
    fs::create_directory(folder / "s");
    fs::permissions(folder / "s", fs::perms::owner_all);
    const auto as_another = [&](const std::string& command) {
        return std::system(("setpriv --reuid=12345 --regid=12345 --clear-groups " + command + " 2>/dev/null").c_str());
    };
    if (as_another(CRESCENDO_BINARY " --version >/dev/null") != 0) {
        MESSAGE("skipped: this user cannot run crescendo as another");
        return;
    }

    as_another(CRESCENDO_BINARY " list --format json " + (folder / "s").string() + " >" + (folder / "out").string());

    const auto rows = Json::parse(content_of(folder / "out"));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("state") == "unreadable");
    CHECK(rows[0].at("problem") == "Permission denied");
}

TEST_CASE("list says that a folder has no sweeps, and refuses a folder that does not exist") {
    const TemporaryFolder folder;
    CHECK(contains(run_crescendo(folder.path(), {"list"}).out, "no sweeps in ."));
    CHECK(run_crescendo(folder.path(), {"list", "nowhere"}).code == 2);
}
