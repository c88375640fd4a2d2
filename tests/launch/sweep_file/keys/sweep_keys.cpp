#include "launch/sweep_file/keys/sweep_keys.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace crescendo::launch;

TEST_CASE("a changeable key is a key of the file or of one of its sections") {
    const auto known = sweep_keys();
    for (const auto& key : changeable_keys()) {
        CAPTURE(key);
        CHECK(std::ranges::count(known, key.substr(0, key.find('.'))) == 1);
        CHECK(is_changeable(key));
        CHECK_FALSE(only_describes(key));
    }
    CHECK_FALSE(is_changeable("seed"));
    CHECK_FALSE(is_changeable("budget"));
    CHECK(list_of_changeable_keys() ==
          "run_cap, budget.time, budget.target, scheduler.max_concurrent, max_retries and hang_timeout");
}

TEST_CASE("a changed hang_timeout applies from the next session on") {
    CHECK(changes_next_session("hang_timeout"));
    CHECK_FALSE(changes_next_session("run_cap"));
}

TEST_CASE("keys that only describe may be edited, including all keys below them") {
    CHECK(only_describes("keep"));
    CHECK(only_describes("keep.best"));
    CHECK(only_describes("price.per_slot_hour"));
    CHECK(only_describes("description"));
    CHECK(only_describes("simulate.regroup"));
    CHECK_FALSE(only_describes("trainer"));
}

TEST_CASE("the keys about training are keys of the file") {
    const auto known = sweep_keys();
    const auto training = training_keys();
    CHECK(std::ranges::all_of(training, [&](const auto& key) { return std::ranges::count(known, key) == 1; }));
    CHECK(std::ranges::count(training, "trainer") == 1);
    CHECK(std::ranges::count(training, "parameters") == 0);
}
