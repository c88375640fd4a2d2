#include <doctest/doctest.h>

#include <cstdlib>

#include "launch/transport/launched.hpp"
#include "launch/transport/mpi_session.hpp"

using namespace crescendo::launch;

TEST_CASE("without MPI no process joins others, whatever its launcher says") {
    ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    int argc = 0;
    char** argv = nullptr;

    const auto session = MpiSession::join(argc, argv);

    ::unsetenv("OMPI_COMM_WORLD_RANK");
    CHECK(session == nullptr);
    CHECK(num_ranks(session.get()) == 1);
}

TEST_CASE("without MPI there is no library to name, and the batch system's launcher gets no option for one") {
    CHECK(MpiSession::library().empty());
    CHECK(rank_launcher().command == "srun");
}
