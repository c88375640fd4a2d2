#include "launch/doctor/disk_room.hpp"

#include <doctest/doctest.h>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;

TEST_CASE("a quota leaves the difference between its lower limit and the space in use") {
    CHECK_FALSE(left_by_quota(500, 0, 0).has_value());
    CHECK(left_by_quota(500, 0, 2000) == 1500);
    CHECK(left_by_quota(500, 800, 0) == 300);
    CHECK(left_by_quota(500, 800, 2000) == 300);
    CHECK(left_by_quota(900, 800, 2000) == 0);
}

TEST_CASE("the output of lfs is read, also beyond a limit") {
    CHECK(left_by_lustre("  /lustre/work  1000  0  3000  -  17  0  0  -\n") == 2000.0 * 1024);
    CHECK(left_by_lustre("/lustre/a-long-name\n  1000  2000  3000  -  17  0  0  -\n") == 1000.0 * 1024);
    CHECK(left_by_lustre("/lustre 2500* 2000 3000 6d23h 17 0 0 -") == 0);
    CHECK_FALSE(left_by_lustre("/lustre 2500 0 0 - 17 0 0 -").has_value());
    CHECK_FALSE(left_by_lustre("").has_value());
    CHECK_FALSE(left_by_lustre("quotas are not enabled.").has_value());
}

TEST_CASE("the room in a missing folder is unknown") {
    const crescendo::tests::TemporaryFolder folder;
    CHECK(disk_room(folder.path())->bytes > 0);
    CHECK_FALSE(disk_room(folder / "none").has_value());
}

TEST_CASE("a file system that counts no blocks is not full") { CHECK_FALSE(disk_room("/proc").has_value()); }
