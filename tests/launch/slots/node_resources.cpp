#include "launch/slots/node_resources.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

/// Whether a process that may use `num_cpus` of our CPUs gets a message that its launcher binds it.
bool hears_of_binding(int num_cpus, bool is_launched) {
    const pid_t child = ::fork();
    if (child == 0) {
        cpu_set_t all;
        cpu_set_t some;
        CPU_ZERO(&some);
        ::sched_getaffinity(0, sizeof all, &all);
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < num_cpus; ++cpu) {
            if (CPU_ISSET(cpu, &all)) {
                CPU_SET(cpu, &some);
            }
        }
        ::sched_setaffinity(0, sizeof some, &some);
        ::unsetenv("OMPI_COMM_WORLD_SIZE");
        if (is_launched) {
            ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
        }
        ::_exit(binding_of_launcher().empty() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status) == 1;
}

}  // namespace

TEST_CASE("a launcher that withholds CPUs from a process is reported") {
    cpu_set_t all;
    ::sched_getaffinity(0, sizeof all, &all);
    const int num_cpus = CPU_COUNT(&all);

    CHECK_FALSE(hears_of_binding(num_cpus, true));
    CHECK_FALSE(hears_of_binding(1, false));
    CHECK(hears_of_binding(1, true) == (num_cpus > 1));
}

TEST_CASE("the smallest limit on processor time of a control group and its parents counts") {
    const TemporaryFolder root;
    const auto folder = root / "pod/container";
    std::filesystem::create_directories(folder);
    const ControlGroup unified{true, root.path(), folder}, older{false, root.path(), folder};
    CHECK_FALSE(cpu_limit(unified).has_value());

    std::ofstream(folder / "cpu.max") << "max 100000\n";
    std::ofstream(folder / "cpu.cfs_quota_us") << "-1\n";
    std::ofstream(folder / "cpu.cfs_period_us") << "100000\n";
    CHECK_FALSE(cpu_limit(unified).has_value());
    CHECK_FALSE(cpu_limit(older).has_value());

    std::ofstream(folder / "cpu.cfs_quota_us") << "50000\n";
    std::ofstream(folder / "cpu.max") << "400000 100000\n";
    std::ofstream(root / "pod/cpu.max") << "250000 100000\n";
    CHECK(cpu_limit(unified) == 2.5);
    CHECK(cpu_limit(older) == 0.5);
}
