#include "simulator/simulation_spec.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "core/check.hpp"

using namespace crescendo;
using namespace crescendo::simulator;

namespace {

std::string key_of_error(const SimulationSpec& spec) {
    try {
        validate(spec);
    } catch (const InvalidInput& error) {
        return error.key();
    }
    return "";
}

}  // namespace

TEST_CASE("the defaults are valid") { CHECK(key_of_error({}).empty()); }

TEST_CASE("values without a meaning are refused with their key") {
    CHECK(key_of_error({.epoch = 0}) == "simulate.epoch");
    CHECK(key_of_error({.epoch = std::numeric_limits<double>::quiet_NaN()}) == "simulate.epoch");
    CHECK(key_of_error({.serial = 1.5}) == "simulate.serial");
    CHECK(key_of_error({.loss_per_doubling = 1}) == "simulate.loss_per_doubling");
    CHECK(key_of_error({.straggler_factor = 0.5}) == "simulate.straggler_factor");
    CHECK(key_of_error({.failures = -1}) == "simulate.failures");
    CHECK(key_of_error({.slots_per_node = 0}) == "simulate.slots_per_node");
}
