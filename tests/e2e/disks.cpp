/// Disks that are full, read-only or failing (real ones, which need the right to mount), and a directory that vanishes.

#include <doctest/doctest.h>
#include <sys/mount.h>

#include <set>

#include "tests/e2e/command.hpp"
#include "tests/e2e/preload.hpp"
#include "tests/e2e/small_disk.hpp"
#include "tests/failing_disk.hpp"

using namespace crescendo::tests;

namespace {

void write_long_sweep(const fs::path& folder) {
    write_file(folder / "train.sh", R"(
for ((r = 1; r <= CRESCENDO_MAX_RESOURCE; r++)); do
  sleep 0.02
  echo "{\"resource\": $r, \"metrics\": {\"loss\": 0.$RANDOM}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  echo "$CRESCENDO_TRIAL $r" >>answered
done
)");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 4\nslots: 2\nparameters: {x: {min: 1, max: 9}}\n"
               "scheduler: {type: fifo, max: 50}\ncommand: [bash, train.sh]\n");
}

}  // namespace

TEST_CASE("a sweep does not begin on a full disk, and leaves nothing there") {
    const SmallDisk disk("size=64k");
    if (!disk) {
        return;
    }
    write_long_sweep(disk.folder());
    disk.fill();

    const auto run = run_crescendo(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});

    CHECK(run.code == 2);
    CHECK(run.err.find("disk/s: a sweep cannot be kept here: No space left on device") != std::string::npos);
    CHECK_FALSE(fs::exists(disk.path() / "s"));
}

TEST_CASE("a sweep does not begin on a read-only disk") {
    const SmallDisk disk("size=64k");
    if (!disk) {
        return;
    }
    write_long_sweep(disk.folder());
    REQUIRE(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);

    const auto run = run_crescendo(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});

    CHECK(run.code == 2);
    CHECK(run.err.find("Read-only file system") != std::string::npos);
}

TEST_CASE("a sweep on a disk that became read-only is not resumed until the disk is writable again") {
    const SmallDisk disk("size=1m");
    if (!disk) {
        return;
    }
    write_long_sweep(disk.folder());
    Command run(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});
    await("ten reports", [&] { return num_reports(disk.path() / "s") >= 10; });
    run.signal(SIGINT);
    CHECK(run.wait() == 75);
    REQUIRE(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);

    const auto refused = run_crescendo(disk.folder(), {"resume", "disk/s"});

    CHECK(refused.code == 75);
    CHECK_MESSAGE(refused.err.find("Read-only file system; mount the file system for writing, or copy the sweep to another") != std::string::npos,
                  refused.err);
    REQUIRE(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT, nullptr) == 0);
    CHECK(run_crescendo(disk.folder(), {"resume", "disk/s"}).code == 0);
}

TEST_CASE("a disk that fills up stops a sweep without losses, and the sweep continues once there is space") {
    const SmallDisk disk("size=128k");
    if (!disk) {
        return;
    }
    write_long_sweep(disk.folder());
    Command run(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});
    await("ten reports", [&] { return num_reports(disk.path() / "s") >= 10; });

    disk.fill();

    CHECK(run.wait() == 75);
    CHECK(run.err().find("then resume the sweep") != std::string::npos);
    CHECK(processes_in(disk.folder()).empty());
    const auto before = num_reports(disk.path() / "s");
    CHECK(run_crescendo(disk.folder(), {"status", "disk/s", "--format", "json"}).json().at("state") == "stopped");
    fs::remove(disk.path() / "filler");
    CHECK(run_crescendo(disk.folder(), {"resume", "disk/s"}).code == 0);
    CHECK(before >= 10);
    CHECK(num_reports(disk.path() / "s") == 4 * 50);
}

TEST_CASE("printed reports are not taken for others that a full disk lost") {
    const SmallDisk disk("size=256k");
    if (!disk) {
        return;
    }
    write_file(disk.folder() / "train.sh", R"(
for ((e = 1; e <= 60; e++)); do
  sleep 0.1
  printf '%2000s loss=0.%02d\n' '' $((90 - e))
  touch printed-$e
done
)");
    write_file(
        disk.folder() / "sweep.yaml",
        "name: s\nmetric: {name: loss}\nrun_cap: 1\nslots: 1\nparameters: {x: {min: 1, max: 9}}\n"
        "report: {pattern: 'loss=(?P<loss>\\S+)'}\nscheduler: {type: fifo, max: 60}\ncommand: [bash, train.sh]\n");
    Command run(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});
    await("two reports", [&] { return num_reports(disk.path() / "s") >= 2; });

    disk.fill();

    await("the disk was full for a while",
          [&] { return fs::exists(disk.folder() / "printed-40") || processes_in(disk.folder()).empty(); });
    fs::remove(disk.path() / "filler");
    CHECK(run.wait() == 75);
    CHECK(run.err().find("no room for its output") != std::string::npos);
    for (const auto& record : journal_of(disk.path() / "s")) {
        if (record.value("event", "") == "trial_reported") {
            CHECK(record.at("loss").get<double>() == doctest::Approx(0.9 - 0.01 * record.at("resource").get<int>()));
        }
    }
    CHECK(run_crescendo(disk.folder(), {"resume", "disk/s"}).code == 0);
}

TEST_CASE("a disk without room for another trial's folder stops a sweep, and the message says what to do") {
    const SmallDisk disk("size=4m,nr_inodes=18");
    if (!disk) {
        return;
    }
    write_long_sweep(disk.folder());
    auto sweep = content_of(disk.folder() / "sweep.yaml");
    write_file(disk.folder() / "sweep.yaml", sweep.replace(sweep.find("run_cap: 4"), 10, "run_cap: 9") +
                                                 "on_failure: [bash, -c, 'echo $CRESCENDO_EXIT_CODE > told']\n");

    const auto run = run_crescendo(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});

    CHECK(run.code == 75);
    CHECK_MESSAGE(run.err.find("No space left on device") != std::string::npos, run.err);
    CHECK_MESSAGE(run.err.find("free some space or repair the disk, then resume the sweep") != std::string::npos,
                  run.err);
    CHECK(content_of(disk.folder() / "told") == "75\n");
    CHECK(run_crescendo(disk.folder(), {"report", "disk/s"}).code == 1);  // a page cannot be resumed
}

TEST_CASE("a failing disk stops a sweep, no answered report is lost, and the sweep continues after the repair") {
    FailingDisk disk;
    if (!disk) {
        return;
    }
    write_long_sweep(disk.folder());
    Command run(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"});
    await("ten reports", [&] { return num_reports(disk.path() / "s") >= 10; });

    disk.fail();

    CHECK(run.wait() == 75);
    const auto err = run.err();  // its wording depends on whether the end of the journal could still be cut off
    CHECK_MESSAGE(err.find("journal.jsonl: Input/output error") != std::string::npos, err);
    CHECK(err.find("; free some space or repair the disk, then resume the sweep") != std::string::npos);
    CHECK(processes_in(disk.folder()).empty());
    disk.mend();
    disk.restart();
    std::set<std::pair<int, int>> kept;
    for (const auto& record : journal_of(disk.path() / "s")) {
        if (record.value("event", "") == "trial_reported") {
            kept.emplace(record.at("trial"), record.at("resource"));
        }
    }
    std::ifstream answered(disk.folder() / "answered");
    int count = 0;
    for (int trial, resource; answered >> trial >> resource; ++count) {
        CHECK(kept.contains({trial, resource}));
    }
    CHECK(count >= 8);  // two trials at a time: each has at most one report whose answer it has not noted
    CHECK(run_crescendo(disk.folder(), {"resume", "disk/s"}).code == 0);
    CHECK(num_reports(disk.path() / "s") == 4 * 50);
}

TEST_CASE("a sweep stops if its directory vanishes, and continues when it is back") {
    const TemporaryFolder folder;
    write_long_sweep(folder.path());
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("reports are in the journal", [&] { return num_reports(folder / "s") >= 10; });

    fs::rename(folder / "s", folder / "elsewhere");
    const int code = run.wait();
    fs::remove_all(folder / "s");  // programs may have left something there
    fs::rename(folder / "elsewhere", folder / "s");

    CHECK(code == 75);
    CHECK(run.err().find("journal.jsonl: is no longer there") != std::string::npos);
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(num_reports(folder / "s") == 4 * 50);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("an unreadable journal ends a session like a full disk does, and resume continues later") {
    const TemporaryFolder folder;
    write_long_sweep(folder.path());
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("reports are in the journal", [&] { return num_reports(folder / "s") >= 10; });
    run.signal(SIGTERM);
    REQUIRE(run.wait() == 75);

    fs::rename(folder / "s/journal.jsonl", folder / "kept");
    fs::create_symlink("/proc/self/mem", folder / "s/journal.jsonl");  // reading its beginning is an I/O error
    const auto failing = run_crescendo(folder.path(), {"resume", "s"});
    fs::rename(folder / "kept", folder / "s/journal.jsonl");

    CHECK(failing.code == 75);
    CHECK_MESSAGE(failing.err.find("cannot read s/journal.jsonl (try again once this is fixed): Input/output error") !=
                      std::string::npos,
                  failing.err);
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(num_reports(folder / "s") == 4 * 50);
}

TEST_CASE("two sessions that begin at the same moment without flock do not train the same trials") {
    const TemporaryFolder folder;
    write_long_sweep(folder.path());
    const Preload without_locks("FLOCK_ERRNO", "37");  // ENOLCK
    const Preload rival("FLOCK_RIVAL", (folder / "s/lock").string());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 2);
    CHECK(run.err.find("process 7 on elsewhere is using this directory") != std::string::npos);
    CHECK(content_of(folder / "s/lock").starts_with("process 7 on elsewhere"));
    CHECK_FALSE(fs::exists(folder / "answered"));
}

TEST_CASE("writes that the system does only in part have no effect on a sweep") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh", "echo '{\"resource\": 1, \"metrics\": {\"loss\": 1}}' >&$CRESCENDO_FD\n");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 2\nslots: 1\nparameters: {x: {min: 1, max: 9}}\n"
               "command: [bash, train.sh]\n");
    const Preload parts("SHORT_WRITES", "1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK_MESSAGE(run.code == 0, run.err);
    CHECK(num_reports(folder / "s") == 2);
}

TEST_CASE("clean frees space on a full copy-on-write disk, whose lock file cannot be truncated") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh",
               "echo model >$CRESCENDO_TRIAL_DIR/model\n"
               "echo '{\"resource\": 1, \"metrics\": {\"loss\": 1}}' >&$CRESCENDO_FD\n");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 2\nslots: 1\nparameters: {x: {min: 1, max: 9}}\n"
               "command: [bash, train.sh]\n");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    write_file(folder / "s/lock", "process 7 on a node that is gone\n");
    const Preload full("TRUNCATE_ERRNO", "122");  // EDQUOT

    const auto clean = run_crescendo(folder.path(), {"clean", "s", "--best", "1", "--programs", "best"});

    CHECK_MESSAGE(clean.code == 0, clean.err);
    CHECK(clean.out.find("removed 1 file of 1 trial") != std::string::npos);
}

TEST_CASE("on a read-only disk, retrain and note say what failed and what to do instead") {
    const SmallDisk disk("size=256k");
    if (!disk) {
        return;
    }
    write_file(disk.folder() / "train.sh", "echo '{\"resource\": 1, \"metrics\": {\"loss\": 1}}' >&$CRESCENDO_FD\n");
    write_file(disk.folder() / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 1\nslots: 1\nparameters: {x: {min: 1, max: 9}}\n"
               "command: [bash, train.sh]\n");
    REQUIRE(run_crescendo(disk.folder(), {"run", "sweep.yaml", "--dir", "disk/s"}).code == 0);
    REQUIRE(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);

    const auto retrain = run_crescendo(disk.folder(), {"retrain", "disk/s"});
    const auto note = run_crescendo(disk.folder(), {"note", "disk/s", "good"});

    CHECK(retrain.code == 2);
    CHECK(retrain.err.find("disk/s/retrain: cannot be created: Read-only file system") != std::string::npos);
    CHECK(retrain.err.find("cp -r disk/s COPY; crescendo retrain COPY --trial 0") != std::string::npos);
    CHECK(note.err.find("mount the file system for writing, or copy the sweep to another") != std::string::npos);
}
