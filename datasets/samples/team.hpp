#pragma once

#include <cstdint>

namespace crescendo::datasets {

/// The members of a group that read the same shards of a set: those whose number is `index` modulo `count`. The shards
/// of any run of a round then lie with all teams alike.
struct Team {
    std::int64_t index = 0;
    std::int64_t count = 1;

    bool reads(std::int64_t shard) const { return shard % count == index; }
    /// Whether it reads all shards that `other` reads.
    bool covers(const Team& other) const { return other.count % count == 0 && other.index % count == index; }

    friend bool operator==(const Team&, const Team&) = default;
};

/// The most teams that divide the members of a group of `size` and the shards among them equally. Teams may differ by
/// one shard where each has at least eight.
std::int64_t num_teams(std::int64_t num_shards, int size);

}  // namespace crescendo::datasets
