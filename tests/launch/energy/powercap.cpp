#include "launch/energy/powercap.hpp"

#include <doctest/doctest.h>

#include "tests/launch/energy/fake_powercap.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
using crescendo::tests::write_zone;

TEST_CASE("packages and their memory add up, and nothing is counted twice") {
    const TemporaryFolder folder;
    write_zone(folder / "intel-rapl:0", "package-0", 5'000'000);
    write_zone(folder / "intel-rapl:1", "package-1", 1'000'000);
    write_zone(folder / "intel-rapl:0:0", "core", 1'000'000);
    write_zone(folder / "intel-rapl:0:1", "dram", 2'000'000);
    write_zone(folder / "intel-rapl:2", "psys", 0);
    write_zone(folder / "intel-rapl-mmio:0", "package-0", 0);
    Powercap cpus(folder.path());
    CHECK(cpus.joules() == 0.0);

    write_zone(folder / "intel-rapl:0", "package-0", 8'000'000);
    write_zone(folder / "intel-rapl:1", "package-1", 1'250'000);
    write_zone(folder / "intel-rapl:0:0", "core", 3'000'000);
    write_zone(folder / "intel-rapl:0:1", "dram", 2'500'000);
    write_zone(folder / "intel-rapl:2", "psys", 99'000'000);
    write_zone(folder / "intel-rapl-mmio:0", "package-0", 3'000'000);

    CHECK(cpus.joules() == 3.75);
}

TEST_CASE("a counter that wraps around keeps counting") {
    const TemporaryFolder folder;
    write_zone(folder / "intel-rapl:0", "package-0", 9'000'000, 9'999'999);
    Powercap cpus(folder.path());

    write_zone(folder / "intel-rapl:0", "package-0", 1'000'000, 9'999'999);
    CHECK(cpus.joules() == 2.0);
    write_zone(folder / "intel-rapl:0", "package-0", 500'000, 9'999'999);
    CHECK(cpus.joules() == 11.5);
}

TEST_CASE("if no counter can be read, the energy is unknown") {
    const TemporaryFolder folder;
    CHECK_FALSE(Powercap(folder / "none").joules().has_value());

    write_zone(folder / "intel-rapl:0", "package-0", 1);
    std::filesystem::remove(folder / "intel-rapl:0/energy_uj");  // as for users without permission
    write_zone(folder / "dtpm", "dtpm", 1);
    CHECK_FALSE(Powercap(folder.path()).joules().has_value());
}
