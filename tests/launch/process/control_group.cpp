#include "launch/process/control_group.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("the control group is found even in a container that sees only its own") {
    const TemporaryFolder mount;
    std::filesystem::create_directories(mount / "memory/job/17");
    std::istringstream outside("4:cpu:/\n3:memory:/job/17\n0::/\n"), inside("4:cpu:/\n3:memory:/docker/5e\n");
    std::istringstream unified("0::/docker/5e\n"), none("4:cpu:/\n");

    CHECK(control_group(outside, "memory", mount.path())->folder == mount / "memory/job/17");
    CHECK(control_group(inside, "memory", mount.path())->folder == mount / "memory");
    CHECK(control_group(unified, "memory", mount.path())->folder == mount.path());
    CHECK_FALSE(control_group(none, "memory", mount.path()).has_value());
}
