#include "scheduler/slots/slot_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "tests/scheduler/slots/pools.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("slots are taken lowest first") {
    auto pool = pool_of({4});

    CHECK(pool.take(1, {}) == ids({0}));
    CHECK(pool.take(2, {}) == ids({1, 2}));
    CHECK(pool.num_free() == 1);
    CHECK(pool.size() == 4);
}

TEST_CASE("the order in which slots joined or became free does not matter") {
    SlotPool pool;
    for (const int slot : {2, 0, 1}) {
        pool.join({SlotId{slot}, NodeId{0}});
    }

    CHECK(pool.take(3, {}) == ids({0, 1, 2}));
    pool.release(ids({2}));
    pool.release(ids({0}));
    CHECK(pool.take(1, {}) == ids({0}));
}

TEST_CASE("a group's slots lie on different GPUs even if other groups leave no block free") {
    auto pool = pool_on_gpus({2}, /*slots_per_gpu=*/2);  // slots 0 and 2 are on GPU 0, 1 and 3 on GPU 1
    REQUIRE(pool.take(4, {}) == ids({0, 1, 2, 3}));
    pool.release(ids({2, 3}));

    CHECK(pool.take(1, ids({0})) == ids({3}));
}

TEST_CASE("a group grows to new GPUs before it shares one") {
    auto pool = pool_on_gpus({4}, 2);  // slots i and i + 4 are on GPU i
    REQUIRE(pool.take(1, {}) == ids({0}));

    CHECK(pool.take(3, ids({0})) == ids({1, 2, 3}));
    CHECK(pool.take(4, ids({0, 1, 2, 3})) == ids({4, 5, 6, 7}));
}

TEST_CASE("a group shares no GPU while a slot on another GPU is free") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        auto pool = pool_on_gpus({4}, 4);
        pool.take(16, {});
        std::set<int> free_gpus;
        for (int slot = 0; slot < 16; ++slot) {
            if (random.below(3) == 0) {
                pool.release({SlotId{slot}});
                free_gpus.insert(slot % 4);
            }
        }

        const auto taken = pool.take(static_cast<int>(free_gpus.size()), {});

        std::set<int> gpus;
        for (const auto slot : taken) {
            gpus.insert(slot.value % 4);
        }
        CHECK(gpus == free_gpus);
    }
}

TEST_CASE("with distinct GPUs, a group has at most one slot on each") {
    auto pool = pool_on_gpus({2, 1}, /*slots_per_gpu=*/2, /*distinct_gpus=*/true);  // slots 4 and 5 are on node 1
    CHECK(pool.most_of_group() == 3);
    CHECK(pool.num_free_for({}) == 3);

    REQUIRE(pool.take(1, {}) == ids({4}));  // node 1 has no place for a larger group
    CHECK(pool.num_free_for(ids({4})) == 2);
    CHECK(pool.num_free_for({}) == 3);
    CHECK(pool.take(2, ids({4})) == ids({0, 1}));
    CHECK(pool.num_free() == 3);
    CHECK(pool.num_free_for(ids({4, 0, 1})) == 0);
}

TEST_CASE("slots without a shared GPU each count as a place of their own") {
    SlotPool pool;
    for (const int slot : {0, 1, 2}) {
        pool.join({SlotId{slot}, NodeId{0}, 7});
    }
    pool.join({SlotId{3}, NodeId{1}});
    pool.join({SlotId{4}, NodeId{1}});

    CHECK(pool.most_of_group() == 3);
    CHECK(pool.take(3, {}) == ids({3, 4, 0}));
    CHECK(pool.num_free_for({}) == 1);
}

TEST_CASE("after any sequence of changes, a group has a GPU for each slot and gets every slot that it can have") {
    using Gpu = std::pair<int, int>;
    const auto node_of = [](SlotId slot) { return slot.value / 12; };
    const auto gpu_of = [&](SlotId slot) {  // every third slot of a node shares no GPU
        return slot.value % 3 == 2 ? Gpu{-1, slot.value} : Gpu{node_of(slot), slot.value % 12 / 3};
    };
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 2);
        SlotPool pool;
        const auto join = [&](SlotId slot) {
            const auto [node, gpu] = gpu_of(slot);
            pool.join({slot, NodeId{node_of(slot)}, node < 0 ? std::nullopt : std::optional(gpu)});
        };
        for (int slot = 0; slot < 36; ++slot) {
            join(SlotId{slot});
        }
        std::vector<std::vector<SlotId>> groups(6);
        for (int step = 0; step < 60; ++step) {
            auto& group = groups[random.below(groups.size())];
            const auto slot = SlotId{static_cast<int>(random.below(36))};
            if (random.below(4) == 0) {
                pool.release(std::exchange(group, {}));
            } else if (random.below(4) == 0 && pool.is_free(slot)) {
                pool.lose(slot);
            } else if (!pool.has(slot)) {
                join(slot);
            }
            std::set<Gpu> free;
            std::set<Gpu> all;
            std::vector<SlotId> avoided;
            for (const auto each : pool.slots()) {
                all.insert(gpu_of(each));
                if (pool.is_free(each)) {
                    free.insert(gpu_of(each));
                }
                if (random.below(4) == 0) {
                    avoided.push_back(each);
                }
            }
            REQUIRE(pool.num_free_for({}) == static_cast<int>(free.size()));
            REQUIRE(pool.most_of_group() == static_cast<int>(all.size()));
            for (const auto member : group) {
                free.erase(gpu_of(member));
            }
            REQUIRE(pool.num_free_for(group) == static_cast<int>(free.size()));

            const auto count = random.below(free.size() + 1);
            const auto taken = pool.take(static_cast<int>(count), group, avoided);
            REQUIRE(taken.size() == count);
            group.insert(group.end(), taken.begin(), taken.end());
            std::set<Gpu> gpus;
            for (const auto member : group) {
                REQUIRE(gpus.insert(gpu_of(member)).second);
                REQUIRE_FALSE(pool.is_free(member));
            }
        }
    }
}

TEST_CASE("a new trial goes to the GPU with the fewest workers") {
    auto pool = pool_on_gpus({2}, 2);
    pool.take(4, {});
    pool.release(ids({0, 1, 3}));  // a worker is on slot 2, of GPU 0

    CHECK(pool.take(1, {}) == ids({1}));
    CHECK(pool.take(1, {}) == ids({0}));
    CHECK(pool.take(1, {}) == ids({3}));
}

TEST_CASE("GPUs of different nodes are different") {
    auto pool = pool_on_gpus({1, 1}, 2);  // slots 0 and 1 are on node 0, 2 and 3 on node 1

    CHECK(pool.take(4, {}) == ids({0, 1, 2, 3}));
    pool.release(ids({1, 3}));
    CHECK(pool.take(2, ids({0})) == ids({1, 3}));  // its own node first, as always
}

TEST_CASE("a lost slot that comes back takes its place on the GPU again") {
    auto pool = pool_on_gpus({2}, 2);
    pool.take(1, {});
    pool.lose(SlotId{2});
    CHECK(pool.take(2, {}) == ids({1, 3}));

    pool.join({SlotId{2}, NodeId{0}, 0});

    CHECK(pool.take(1, {}) == ids({2}));
    CHECK(pool.num_free() == 0);
}

TEST_CASE("a group takes a single node if one is large enough") {
    auto pool = pool_of({1, 2, 4});

    CHECK(pool.take(3, {}) == ids({3, 4, 5}));
}

TEST_CASE("a group takes the node that it fills best, so that large nodes stay whole") {
    auto pool = pool_of({4, 2});

    CHECK(pool.take(2, {}) == ids({4, 5}));
    CHECK(pool.take(4, {}) == ids({0, 1, 2, 3}));
}

TEST_CASE("the lower of two nodes that fit equally is taken") {
    auto pool = pool_of({2, 2});

    CHECK(pool.take(1, {}) == ids({0}));
    CHECK(pool.take(1, {}) == ids({1}));
    CHECK(pool.take(1, {}) == ids({2}));
}

TEST_CASE("a group larger than every node takes as few of them as possible") {
    auto pool = pool_of({1, 3, 2, 1});

    CHECK(pool.take(5, {}) == ids({1, 2, 3, 4, 5}));
}

TEST_CASE("a group grows on its own nodes before it takes others") {
    auto pool = pool_of({2, 2, 4});
    const auto group = pool.take(1, {});

    CHECK(group == ids({0}));
    CHECK(pool.take(3, group) == ids({1, 2, 3}));
}

TEST_CASE("lost slots are gone but still known") {
    auto pool = pool_of({2});

    pool.lose(SlotId{0});

    CHECK_FALSE(pool.has(SlotId{0}));
    CHECK(pool.knows(SlotId{0}));
    CHECK_FALSE(pool.knows(SlotId{2}));
    CHECK(pool.slots() == ids({1}));
    CHECK(pool.num_free() == 1);
}

TEST_CASE("a lost slot may join again, on another node") {
    auto pool = pool_of({2, 1});

    pool.lose(SlotId{0});
    pool.join({SlotId{0}, NodeId{1}});

    CHECK(pool.take(2, {}) == ids({0, 2}));
}

TEST_CASE("slots to avoid are taken last, and stay free if they are not needed") {
    auto pool = pool_of({3, 2});

    CHECK(pool.take(1, {}, ids({0, 1})) == ids({2}));
    CHECK(pool.num_free() == 4);
    CHECK(pool.take(3, {}, ids({0, 1})) == ids({3, 4, 0}));
    CHECK(pool.take(1, {}) == ids({1}));
    CHECK(pool.num_free() == 0);
}

TEST_CASE("avoiding no slots, or only taken ones, changes nothing") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        auto pool = seed % 2 == 0 ? pool_of({4, 4, 4}) : pool_on_gpus({2, 2, 2}, 2);
        const auto taken = pool.take(static_cast<int>(random.below(11)), {});
        auto other = pool;
        const int count = static_cast<int>(random.below(static_cast<std::uint64_t>(pool.num_free()) + 1));

        CHECK(pool.take(count, {}, taken) == other.take(count, {}));
    }
}

TEST_CASE("no slot is taken twice, and avoided slots are taken only after all others") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 1);
        auto pool = seed % 2 == 0 ? pool_of({3, 5, 4}) : pool_on_gpus({3, 1, 2}, 2);
        const auto group = pool.take(static_cast<int>(random.below(3)), {});
        std::vector<SlotId> avoided;
        for (const auto slot : pool.slots()) {
            if (random.below(3) == 0) {
                avoided.push_back(slot);
            }
        }
        const auto is_avoided = [&](SlotId slot) { return std::ranges::binary_search(avoided, slot); };
        const int num_free = pool.num_free();
        const int count = static_cast<int>(random.below(static_cast<std::uint64_t>(num_free) + 1));

        const auto taken = pool.take(count, group, avoided);

        std::set<SlotId> all(group.begin(), group.end());
        all.insert(taken.begin(), taken.end());
        REQUIRE(all.size() == group.size() + static_cast<std::size_t>(count));
        REQUIRE(pool.num_free() == num_free - count);
        const bool uses_avoided = std::ranges::any_of(taken, is_avoided);
        for (const auto slot : pool.slots()) {
            REQUIRE_FALSE((uses_avoided && pool.is_free(slot) && !is_avoided(slot)));
        }
        for (const auto slot : taken) {
            REQUIRE_FALSE(pool.is_free(slot));
        }
        pool.release(taken);
        REQUIRE(pool.num_free() == num_free);
    }
}
