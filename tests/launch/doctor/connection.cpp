#include "launch/doctor/connection.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;
using doctest::Contains;

namespace {

constexpr std::chrono::minutes patience{4};

doctest::String text(const Finding& finding) { return finding.observation.c_str(); }

}  // namespace

TEST_CASE("a node can connect to an open port") {
    const OpenPort port("lo");

    CHECK(port.endpoint().address == "127.0.0.1");
    CHECK(examine_connection(port.endpoint(), port.endpoint(), patience).verdict == Verdict::ok);
}

TEST_CASE("a connection that is refused is a problem with its reason") {
    const Endpoint from{"n1", "127.0.0.1", 1};
    auto to = OpenPort("lo").endpoint();  // no longer open
    to.host = "n1";

    const auto finding = examine_connection(from, to, patience);

    CHECK(finding.verdict == Verdict::problem);
    CHECK(text(finding) ==
          Contains("node n1 cannot connect to n1 at 127.0.0.1 (Connection refused), so their workers"));
    CHECK(doctest::String(finding.remedy.c_str()) == Contains("open all TCP ports from 1024"));
}

TEST_CASE("nodes with the same address, such as that of docker0, cannot connect to each other") {
    const OpenPort port("lo");
    auto other = port.endpoint();
    other.host = "n2";

    const auto finding = examine_connection({"n1", "127.0.0.1", 1}, other, patience);

    CHECK(finding.verdict == Verdict::problem);
    CHECK(text(finding) == Contains("nodes n1 and n2 have the same address, 127.0.0.1"));
}
