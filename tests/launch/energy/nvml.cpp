#include "launch/energy/nvml.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

/// A driver whose GPU 0 has used this energy.
struct FakeDriver {
    explicit FakeDriver(int millijoules) { use(millijoules); }

    void use(int millijoules) const { std::ofstream(file) << millijoules; }

    TemporaryFolder folder;
    std::filesystem::path file = folder / "energy";
    crescendo::tests::Variable variable{"FAKE_NVML_ENERGY", file};
};

}  // namespace

TEST_CASE("a GPU's energy counts from when its meter was made") {
    const FakeDriver driver(5000);
    GpuMeter by_index(Nvml::load(CRESCENDO_FAKE_NVML), "0");
    GpuMeter by_uuid(Nvml::load(CRESCENDO_FAKE_NVML), "GPU-fake-0");
    CHECK(by_index.joules() == 0.0);

    driver.use(7250);

    CHECK(by_index.joules() == 2.25);
    CHECK(by_uuid.joules() == 2.25);
}

TEST_CASE("a GPU that does not measure its energy, or is unknown, reports none") {
    const FakeDriver driver(5000);
    const auto nvml = Nvml::load(CRESCENDO_FAKE_NVML);

    CHECK_FALSE(GpuMeter(nvml, "1").joules().has_value());
    CHECK_FALSE(GpuMeter(nvml, "2").joules().has_value());
    CHECK_FALSE(GpuMeter(nvml, "MIG-x").joules().has_value());
}

TEST_CASE("without the library or a driver, the energy is unknown") {
    CHECK(Nvml::load("libno-such-library.so") == nullptr);
    CHECK(Nvml::load("libc.so.6") == nullptr);  // another library
    CHECK(Nvml::load(CRESCENDO_FAKE_NVML) == nullptr);
    CHECK_FALSE(GpuMeter(nullptr, "0").joules().has_value());
}
