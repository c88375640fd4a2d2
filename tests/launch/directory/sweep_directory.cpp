#include "launch/directory/sweep_directory.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "core/check.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/journal.hpp"
#include "tests/error_of.hpp"
#include "tests/lost_folder.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

/// The exit status of a process that tries to begin a sweep.
constexpr int begun = 0;
constexpr int refused = 1;
constexpr int not_as_expected = 2;

int try_to_begin(const fs::path& path) {
    try {
        Journal::create(SweepDirectory::create(path, "name: x\n", {{"seed", 1}}).journal());
        return begun;
    } catch (const InvalidInput&) {
        return refused;
    } catch (const std::exception&) {
        return not_as_expected;
    }
}

}  // namespace

TEST_CASE("a new directory holds the sweep file unchanged") {
    const TemporaryFolder folder;

    const auto directory = SweepDirectory::create(folder / "sweep", "name: x\n", {{"seed", 1}});

    CHECK(read_file(directory.sweep_file()) == "name: x\n");
    CHECK(directory.read_run().at("seed") == 1);
    CHECK(directory.checkpoint(TrialId{17}) == folder.path() / "sweep/trials/000017/checkpoint.pt");
    CHECK(directory.log(TrialId{17}) == folder.path() / "sweep/trials/000017/trainer.log");
}

TEST_CASE("the error for a moved working folder says where to write its new path") {
    const TemporaryFolder folder;
    const auto directory =
        SweepDirectory::create(folder / "s", "", {{"working_directory", (folder / "work").string()}});

    CHECK_THROWS_WITH_AS(
        directory.working_directory(),
        doctest::Contains("/work, where the sweep was started, but that is not there: No such file or directory; put "
                          "it back or, if it was moved, write its new path as \"working_directory\" into "),
        InvalidInput);
    std::ofstream(folder / "work") << "\n";
    CHECK_THROWS_WITH_AS(directory.working_directory(), doctest::Contains("but that is not a folder;"), InvalidInput);
    fs::remove(folder / "work");
    fs::create_directory(folder / "work");
    CHECK(directory.working_directory() == folder / "work");
}

TEST_CASE("a working folder on a disk that fails is not mistaken for a moved one") {
    const TemporaryFolder folder;
    const tests::LostFolder lost;
    const auto directory =
        SweepDirectory::create(folder / "s", "", {{"working_directory", (lost.path() / "work").string()}});

    CHECK_THROWS_WITH_AS(directory.working_directory(), doctest::Contains("/work (try again once this is fixed): "),
                         std::system_error);
}

TEST_CASE("a directory with a sweep is not overwritten, and the error names resume") {
    const TemporaryFolder folder;
    SweepDirectory::create(folder / "sweep", "", {});
    std::ofstream(folder / "sweep/journal.jsonl") << "{}\n";

    CHECK_THROWS_WITH_AS(SweepDirectory::create(folder / "sweep", "", {}), doctest::Contains("crescendo resume"),
                         InvalidInput);
}

TEST_CASE("a submitted sweep continues in a job, and any other sweep continues here") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "my sweep", "", {});
    const auto where = "'" + directory.path().string() + "'";

    CHECK(directory.way_to_continue() == "crescendo resume " + where);
    CHECK(directory.way_to_retry() == "crescendo resume " + where + " --retry-failed");
    CHECK(directory.way_to_extend("run_cap=9") == "crescendo resume " + where + " --set run_cap=9");
    std::ofstream(directory.job_script()) << "";
    CHECK(directory.way_to_continue() == "crescendo submit " + where);
    CHECK(directory.way_to_retry() == "crescendo retry " + where + " --failed && crescendo submit " + where);
    CHECK(directory.way_to_extend("run_cap=9") == "crescendo set " + where + " run_cap=9 && crescendo submit " + where);
}

TEST_CASE("a folder with other files is left alone") {
    const TemporaryFolder folder;
    std::ofstream(folder / "thesis.tex") << "…";

    CHECK_THROWS_AS(SweepDirectory::create(folder.path(), "", {}), InvalidInput);
    CHECK(fs::exists(folder / "thesis.tex"));
}

TEST_CASE("a discarded sweep leaves the empty folder that its user had made") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "made");

    SweepDirectory::create(folder / "made", "", {}).discard();
    SweepDirectory::create(folder / "new", "", {}).discard();

    CHECK(fs::is_empty(folder / "made"));
    CHECK_FALSE(fs::exists(folder / "new"));
}

TEST_CASE("an unusable path is an error with its reason") {
    CHECK_THROWS_WITH_AS(SweepDirectory::create("/proc/no/sweep", "", {}), doctest::Contains("--dir"), InvalidInput);
    const auto too_long = "/tmp/" + std::string(300, 'x');
    CHECK_THROWS_WITH_AS(SweepDirectory::create(too_long, "", {}), doctest::Contains("--dir"), InvalidInput);
    CHECK_THROWS_WITH_AS(SweepDirectory::open("/proc"), doctest::Contains("holds no sweep"), InvalidInput);
    CHECK_THROWS_WITH_AS(SweepDirectory::open("/no/such"), doctest::Contains("no such directory"), InvalidInput);
    CHECK_THROWS_WITH_AS(SweepDirectory::open("/proc/self/stat"), doctest::Contains("is a file"), InvalidInput);
}

TEST_CASE("a sweep whose file was removed is not mistaken for an empty folder") {
    const TemporaryFolder folder;
    std::ofstream(folder / "journal.jsonl") << "{}\n";

    CHECK_THROWS_WITH_AS(SweepDirectory::open(folder.path()), doctest::Contains("but its sweep.yaml is gone"),
                         InvalidInput);
}

TEST_CASE("a host name that is not UTF-8 does not leave a half-made directory") {
    const TemporaryFolder folder;

    const auto directory = SweepDirectory::create(folder / "sweep", "", {{"host", "caf\xE9"}});

    CHECK(directory.read_run().at("host") == "caf\xEF\xBF\xBD");
}

TEST_CASE("if many processes begin a sweep in one new folder at the same time, exactly one succeeds") {
    constexpr int num_processes = 8;
    const TemporaryFolder folder;
    for (int round = 0; round < 10; ++round) {
        CAPTURE(round);
        const SweepDirectory directory(folder / std::to_string(round));
        int gate[2];
        REQUIRE(::pipe(gate) == 0);
        std::vector<pid_t> processes;
        for (int i = 0; i < num_processes; ++i) {
            processes.push_back(::fork());
            if (processes.back() == 0) {
                ::close(gate[1]);
                char none;
                ::_exit(::read(gate[0], &none, 1) == 0 ? try_to_begin(directory.path()) : not_as_expected);
            }
        }
        ::close(gate[0]);
        ::close(gate[1]);  // all processes start now

        std::vector<int> ends;
        for (const auto process : processes) {
            int status = 0;
            ::waitpid(process, &status, 0);
            ends.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : not_as_expected);
        }

        CHECK(std::ranges::count(ends, begun) == 1);
        CHECK(std::ranges::count(ends, refused) == num_processes - 1);
        CHECK(Journal::read(directory.journal()).size() == 1);
        CHECK(directory.read_run().at("seed") == 1);
        CHECK(fs::is_directory(directory.path() / "trials"));
    }
}

TEST_CASE("the error for a value of another type in run.json names the file and the key") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "s", "name: x\n", {{"working_directory", 7}, {"job", 17}});
    const auto in_file = [&](const char* problem) { return (folder / "s/run.json").string() + ": " + problem; };

    CHECK(tests::error_of([&] { directory.working_directory(); }).starts_with(in_file("has no text \"working_dir")));
    CHECK(tests::error_of([&] { directory.job(); }).starts_with(in_file("has no text \"job\"")));
}
