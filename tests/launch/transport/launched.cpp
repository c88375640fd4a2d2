#include "launch/transport/launched.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace crescendo::launch;

namespace {

int launched_in(const std::map<std::string, std::string>& environment) {
    return num_launched([&](const char* name) {
        const auto found = environment.find(name);
        return found != environment.end() ? found->second.c_str() : nullptr;
    });
}

}  // namespace

TEST_CASE("a launcher says how many processes it started together") {
    CHECK(launched_in({{"OMPI_COMM_WORLD_SIZE", "3"}}) == 3);
    CHECK(launched_in({{"PMI_SIZE", "4"}}) == 4);
    CHECK(launched_in({{"SLURM_STEP_NUM_TASKS", "5"}}) == 5);
    CHECK(launched_in({}) == 1);
    CHECK(launched_in({{"PMI_SIZE", "none"}}) == 1);
}

TEST_CASE("an MPI launcher takes precedence over the batch system, through which it may start helpers") {
    CHECK(launched_in({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}) == 1);
}

TEST_CASE("the batch system's own launcher starts ranks") {
    CHECK(rank_launcher().command.starts_with("srun"));
    CHECK(rank_launcher().on_each_node().ends_with(" --ntasks-per-node=1"));
}
