#include "launch/record/sweep_directory.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "launch/system/read_file.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace fs = std::filesystem;

TEST_CASE("a new directory holds the sweep file as it was") {
    const TemporaryFolder folder;

    const auto directory = SweepDirectory::create(folder / "sweep", "name: x\n", {{"seed", 1}});

    CHECK(read_file(directory.sweep_file()) == "name: x\n");
    CHECK(directory.read_run().at("seed") == 1);
    CHECK(directory.checkpoint(TrialId{17}) == folder.path() / "sweep/trials/000017/checkpoint.pt");
    CHECK(directory.log(TrialId{17}) == folder.path() / "sweep/trials/000017/trainer.log");
}

TEST_CASE("a directory with a sweep is not written over, and resume is named") {
    const TemporaryFolder folder;
    SweepDirectory::create(folder / "sweep", "", {});
    std::ofstream(folder / "sweep/journal.jsonl") << "{}\n";

    CHECK_THROWS_WITH_AS(SweepDirectory::create(folder / "sweep", "", {}), doctest::Contains("crescendo resume"),
                         InvalidInput);
}

TEST_CASE("a sweep that was submitted continues by a job, and another one here") {
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

TEST_CASE("where nothing can be written nothing is left behind") {
    CHECK_THROWS_WITH_AS(SweepDirectory::create("/proc/no/sweep", "", {}), doctest::Contains("--dir"), InvalidInput);
    const auto too_long = "/tmp/" + std::string(300, 'x');
    CHECK_THROWS_WITH_AS(SweepDirectory::create(too_long, "", {}), doctest::Contains("--dir"), InvalidInput);
    CHECK_THROWS_AS(SweepDirectory::open("/proc"), InvalidInput);
    CHECK_THROWS_WITH_AS(SweepDirectory::open("/no/such"), doctest::Contains("no such directory"), InvalidInput);
    CHECK_THROWS_WITH_AS(SweepDirectory::open("/proc/self/stat"), doctest::Contains("is a file"), InvalidInput);
}

TEST_CASE("a name that is not UTF-8 leaves no directory half made") {
    const TemporaryFolder folder;

    const auto directory = SweepDirectory::create(folder / "sweep", "", {{"host", "caf\xE9"}});

    CHECK(directory.read_run().at("host") == "caf\xEF\xBF\xBD");
}
