/// What `crescendo doctor` asks, piece by piece.

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "core/check.hpp"
#include "launch/doctor/file_system.hpp"
#include "launch/doctor/limits.hpp"
#include "launch/transport/network.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

bool is_empty(const TemporaryFolder& folder) { return std::filesystem::is_empty(folder.path()); }

}  // namespace

TEST_CASE("a folder that can be written passes, and nothing is left in it") {
    const TemporaryFolder folder;

    const auto findings = examine_file_system(folder.path());

    CHECK(findings.size() == 5);
    CHECK(std::ranges::none_of(findings, [](const Finding& each) { return each.verdict == Verdict::problem; }));
    CHECK(is_empty(folder));
}

TEST_CASE("of a folder that is still to be made, the one it will lie in is examined") {
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

TEST_CASE("a probe is seen, its lock is held, and it goes with its owner") {
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

TEST_CASE("more slots than files may be open are a problem, with the command that helps") {
    const auto findings = examine_limits(100'000'000, /*has_gpus=*/false);

    CHECK(findings.front().verdict == Verdict::problem);
    CHECK(findings.front().remedy == "ulimit -n 800000064");
}

TEST_CASE("an interface that is not there is refused with those that are") {
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
