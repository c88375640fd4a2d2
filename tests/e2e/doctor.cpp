/// `crescendo doctor`, on this machine and on several ranks.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/e2e/command.hpp"
#include "tests/e2e/preload.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

bool has(const Json& report, const std::string& verdict, const std::string& observation) {
    const auto& findings = report.at("findings");
    return std::ranges::any_of(findings, [&](const Json& each) {
        return each.at("verdict") == verdict &&
               each.at("observation").get<std::string>().find(observation) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("the doctor shows the slots and finds no problem for a sweep") {
    const TemporaryFolder folder;

    const auto result = run_crescendo(folder.path(), {"doctor", "--slots", "2", "--format", "json"});

    CHECK_MESSAGE(result.code == 0, result.out);
    const auto report = result.json();
    CHECK(report.at("problems") == 0);
    REQUIRE(report.at("slots").size() == 2);
    CHECK(report.at("slots")[1].at("slot") == 1);
    CHECK(has(report, "ok", "flock works"));
    CHECK(has(report, "ok", "fsync takes"));
#ifdef CRESCENDO_TEST_TRAINER
    CHECK(has(report, "ok", "two workers connect and add numbers over"));
#endif
    CHECK(processes_in(folder.path()).empty());

    const auto text = run_crescendo(folder.path(), {"doctor"}).out;
    CHECK(text.starts_with("node  host"));
    CHECK(text.find("\nno problems, ") != std::string::npos);
}

TEST_CASE("a file system without flock is not a problem, because the lock of a sweep works without it") {
    const TemporaryFolder folder;
    const Preload preload("FLOCK_ERRNO", "37");  // ENOLCK

    const auto result = run_crescendo(folder.path(), {"doctor", "--slots", "1", "--format", "json"});

    CHECK(result.code == 0);
    CHECK(has(result.json(), "warning", "flock does not work here (No locks available): two coordinators that start"));
}

TEST_CASE("the doctor ends with 1 for a folder that cannot be written, and says what to do") {
    const TemporaryFolder folder;

    const auto result = run_crescendo(folder.path(), {"doctor", "/proc/sys"});

    CHECK(result.code == 1);
    CHECK(result.out.find("problem  files     /proc/sys cannot be written") != std::string::npos);
    CHECK(result.out.find("→ use a folder that you may write to") != std::string::npos);
}

TEST_CASE("a missing sweep file is not taken for a folder without problems") {
    const TemporaryFolder folder;

    const auto result = run_crescendo(folder.path(), {"doctor", "swep.yaml"});

    CHECK(result.code == 2);
    CHECK(result.err.find("cannot read swep.yaml: No such file or directory") != std::string::npos);
}

TEST_CASE("the doctor only warns about a missing trainer, because programs run without it") {
    const TemporaryFolder folder;
    const Variable trainer("CRESCENDO_TRAINER", "/nowhere/crescendo-trainer");

    const auto result = run_crescendo(folder.path(), {"doctor", "--format", "json"});

    CHECK(result.code == 0);
    CHECK(has(result.json(), "warning", "/nowhere/crescendo-trainer is missing"));
}

TEST_CASE("a trainer that cannot start is a problem, reported with its last words") {
    const TemporaryFolder folder;
    write_file(folder / "trainer", "#!/bin/sh\necho libtorch_cpu.so: not found\nexit 127\n");
    fs::permissions(folder / "trainer", fs::perms::owner_all);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer");

    const auto result = run_crescendo(folder.path(), {"doctor", "--format", "json"});

    CHECK(result.code == 1);
    CHECK(has(result.json(), "problem", "does not start; its output: libtorch_cpu.so: not found"));
    CHECK(has(result.json(), "problem",
              "two workers cannot form a group: " + (folder / "trainer").string() + " ended: exit status 127"));
    CHECK(result.out.find("if this is about an address or interface, choose another one") != std::string::npos);
}

TEST_CASE("a trainer that cannot be executed is a problem, and the doctor still checks the rest") {
    const TemporaryFolder folder;
    write_file(folder / "trainer", "#!/nowhere/loader\n");  // like that of another C library
    fs::permissions(folder / "trainer", fs::perms::owner_all);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer");

    const auto result = run_crescendo(folder.path(), {"doctor", "--format", "json"});

    CHECK(result.code == 1);
    CHECK(has(result.json(), "problem", "trainer: No such file or directory"));
    CHECK(has(result.json(), "ok", "flock works"));
}

TEST_CASE("warnings of a trainer's libraries are not taken for its version") {
    const TemporaryFolder folder;
    const auto version = run_crescendo(folder.path(), {"--version"}).out.substr(std::string("crescendo ").size());
    write_file(folder / "trainer", "#!/bin/sh\necho libgomp: bad OMP_NUM_THREADS >&2\necho " + version);
    fs::permissions(folder / "trainer", fs::perms::owner_all);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer");

    const auto report = run_crescendo(folder.path(), {"doctor", "--format", "json"}).json();

    CHECK(has(report, "ok", "trainer starts"));
}

TEST_CASE("a missing interface is refused before anything starts") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 1}\ncommand: [\"true\"]\n");

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--interface", "eth99"});

    CHECK(result.code == 2);
    CHECK(result.err.find("has no network interface 'eth99'") != std::string::npos);
    CHECK_FALSE(fs::exists(folder / "s"));
    CHECK(run_crescendo(folder.path(), {"doctor", "--interface", "eth99"}).code == 1);
}
