/// The checks of `crescendo doctor`, one by one.

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "core/check.hpp"
#include "launch/doctor/examinations.hpp"
#include "launch/doctor/file_system.hpp"
#include "launch/transport/network.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

bool is_empty(const TemporaryFolder& folder) { return std::filesystem::is_empty(folder.path()); }

}  // namespace

TEST_CASE("a writable folder passes, and nothing is left in it") {
    const TemporaryFolder folder;

    const auto findings = examine_file_system(folder.path());

    CHECK(findings.size() == 5);
    CHECK(std::ranges::none_of(findings, [](const Finding& each) { return each.verdict == Verdict::problem; }));
    CHECK(is_empty(folder));
}

TEST_CASE("if a folder does not exist yet, its parent folder is examined") {
    const TemporaryFolder folder;

    const auto findings = examine_file_system(folder / "new");

    CHECK(findings.size() == 5);
    CHECK(doctest::String(findings.front().observation.c_str()) == Contains(folder.path().string().c_str()));
    CHECK(is_empty(folder));
}

TEST_CASE("a folder that cannot be written is a problem") {
    const auto findings = examine_file_system("/proc/sys");

    REQUIRE(findings.size() == 1);
    CHECK(findings.front().verdict == Verdict::problem);
    CHECK(doctest::String(findings.front().observation.c_str()) == Contains("/proc/sys cannot be written"));
    CHECK(doctest::String(findings.front().remedy.c_str()) == Contains("--dir"));
}

TEST_CASE("a probe is visible, its lock is held, and its owner removes it") {
    const TemporaryFolder folder;
    std::filesystem::path file;
    {
        const Probe probe(folder.path());
        file = probe.file();
        CHECK(Probe::look_at(file).verdict == Verdict::ok);
    }
    CHECK(is_empty(folder));
    CHECK(Probe::look_at(file).verdict == Verdict::problem);

    std::ofstream(file).put('\n');  // as on a file system whose locks stay on their node
    CHECK(Probe::look_at(file).verdict == Verdict::warning);
}

TEST_CASE("more slots than the limit on open files allows are a problem, and the remedy is a command") {
    const auto findings = examine_limits(100'000'000, /*has_gpus=*/false);

    CHECK(findings.front().verdict == Verdict::problem);
    CHECK(findings.front().remedy == "ulimit -n 800000064");
}

TEST_CASE("the error for a missing network interface lists the existing ones") {
    CHECK_NOTHROW(require_interface(""));
    CHECK_NOTHROW(require_interface("lo"));
    CHECK_THROWS_WITH_AS(require_interface("eth99"), Contains("has no network interface 'eth99'"), InvalidInput);
    CHECK_THROWS_WITH_AS(require_interface("eth99"), Contains("; it has "), InvalidInput);
}

TEST_CASE("the environment's interfaces are checked as Gloo and NCCL read them") {
    ::setenv("GLOO_SOCKET_IFNAME", "eth99", 1);
    CHECK_THROWS_WITH_AS(require_interface(""), Contains("GLOO_SOCKET_IFNAME"), InvalidInput);
    ::unsetenv("GLOO_SOCKET_IFNAME");

    for (const char* good : {"l", "=lo", "ib,lo", "^docker"}) {
        ::setenv("NCCL_SOCKET_IFNAME", good, 1);
        CHECK_NOTHROW(require_interface(""));
    }
    for (const char* bad : {"ib99", "=l"}) {
        ::setenv("NCCL_SOCKET_IFNAME", bad, 1);
        CHECK_THROWS_WITH_AS(require_interface(""), Contains("NCCL_SOCKET_IFNAME"), InvalidInput);
    }
    ::unsetenv("NCCL_SOCKET_IFNAME");
}
