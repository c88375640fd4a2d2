#include "launch/slots/node_resources.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

using namespace crescendo::launch;

namespace {

/// Whether a process that may use `num_cpus` of our CPUs is told that its launcher binds it.
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

TEST_CASE("a launcher that keeps CPUs from a process is told of") {
    cpu_set_t all;
    ::sched_getaffinity(0, sizeof all, &all);
    const int num_cpus = CPU_COUNT(&all);

    CHECK_FALSE(hears_of_binding(num_cpus, true));
    CHECK_FALSE(hears_of_binding(1, false));
    CHECK(hears_of_binding(1, true) == (num_cpus > 1));
}
