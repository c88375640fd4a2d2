#include "launch/process/standard_streams.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace crescendo::launch;

TEST_CASE("a file opened while standard streams are closed gets none of their descriptors") {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::close(STDIN_FILENO);
        ::close(STDERR_FILENO);
        open_standard_streams();
        const bool is_printed_nowhere = ::write(STDERR_FILENO, "x", 1) == 1;
        ::_exit(is_printed_nowhere ? ::open("/dev/null", O_RDONLY) : 0);
    }

    int status = 0;
    ::waitpid(child, &status, 0);

    CHECK(WEXITSTATUS(status) > STDERR_FILENO);
}
