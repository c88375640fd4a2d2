#include "launch/sweep_file/sections/site_profile.hpp"

#include <doctest/doctest.h>

#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

std::string site_error(const std::string& text) {
    return tests::error_of([&] { parse_site_profile(text, "site.yaml"); });
}

}  // namespace

TEST_CASE("a site profile says how jobs are launched and what they request") {
    const auto site = parse_site_profile(
        "launcher: mpirun --enable-recovery\nmodules: [openmpi/4.1]\nsetup: [source env.sh]\nenvironment: {A: 'b c'}\n"
        "interface: ib0\nlead: 3m\npartition: gpu\ntime: 1-12:00:00\ngpus_per_node: 4\nslots_per_gpu: 2\n"
        "sbatch: [--constraint=a100]\n",
        "site.yaml");

    CHECK(site.launcher == "mpirun --enable-recovery");
    CHECK(site.modules == std::vector<std::string>{"openmpi/4.1"});
    CHECK(site.environment.at(0).second == "b c");
    CHECK(site.lead == std::chrono::seconds(180));
    CHECK(site.defaults.time == std::chrono::hours(36));
    CHECK(site.defaults.gpus_per_node == 4);
    CHECK(site.defaults.slots_per_gpu == 2);
    CHECK_FALSE(site.defaults.nodes);
    CHECK(parse_site_profile("time: 10\n", "site.yaml").defaults.time == std::chrono::minutes(10));  // as for sbatch
}

TEST_CASE("messages about a site profile name the file, the line, the key and a remedy") {
    CHECK(site_error("partition: gpu\nlancher: srun\n") ==
          "site.yaml:2:1: lancher: unknown key (did you mean 'launcher'?)");
    CHECK(site_error("time: 1.5\n").find("site.yaml:1:1: time: 1.5 is not a duration; write it like 8h") == 0);
    CHECK(site_error("environment: {1X: a}\n").find("cannot be a variable name") != std::string::npos);
    CHECK(site_error("partition: \"a\\nb\"\n").find("contains a line feed") != std::string::npos);
}
