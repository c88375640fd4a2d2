#include "datasets/samples/team.hpp"

#include <doctest/doctest.h>

using namespace crescendo::datasets;

TEST_CASE("members form teams that divide the shards almost evenly") {
    CHECK(num_teams(/*num_shards=*/64, /*size=*/1) == 1);
    CHECK(num_teams(64, 2) == 2);
    CHECK(num_teams(64, 16) == 16);
    CHECK(num_teams(64, 64) == 64);
    CHECK(num_teams(64, 3) == 3);    // 22, 21 and 21
    CHECK(num_teams(64, 12) == 6);   // twelve would have 6 or 5: a fifth more for some
    CHECK(num_teams(64, 256) == 64);
    CHECK(num_teams(64, 7) == 7);
    CHECK(num_teams(8, 7) == 1);
    CHECK(num_teams(1, 5) == 1);
}

TEST_CASE("exactly one team reads each shard") {
    for (std::int64_t num_shards = 1; num_shards <= 64; num_shards *= 2) {
        for (int size = 1; size <= 130; ++size) {
            const auto count = num_teams(num_shards, size);
            CHECK(size % count == 0);
            std::int64_t readers = 0;
            for (std::int64_t index = 0; index < count; ++index) {
                for (std::int64_t shard = 0; shard < num_shards; ++shard) {
                    readers += Team{index, count}.reads(shard) ? 1 : 0;
                }
            }
            CHECK(readers == num_shards);
        }
    }
}

TEST_CASE("a team covers the teams that result from dividing it") {
    CHECK(Team{0, 1}.covers({3, 4}));
    CHECK(Team{1, 2}.covers({3, 4}));
    CHECK(Team{1, 2}.covers({1, 2}));
    CHECK_FALSE(Team{1, 2}.covers({2, 4}));
    CHECK_FALSE(Team{1, 2}.covers({0, 1}));
    CHECK_FALSE(Team{0, 2}.covers({0, 3}));
}
