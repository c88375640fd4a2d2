#pragma once

#include <cstdint>

namespace crescendo::datasets {

/// The members of a group that read the same shards of a set. Members and shards belong to the team whose `index` is
/// their number modulo `count`. So the shards in any run of a round are divided equally among the teams.
struct Team {
    std::int64_t index = 0;
    std::int64_t count = 1;

    bool reads(std::int64_t shard) const { return shard % count == index; }
    /// Whether this team reads all shards that `other` reads.
    bool covers(const Team& other) const { return other.count % count == 0 && other.index % count == index; }

    friend bool operator==(const Team&, const Team&) = default;
};

/// The largest number of teams that divides both the `size` members of a group and the shards equally. Teams may differ
/// by one shard if each has at least eight.
std::int64_t num_teams(std::int64_t num_shards, int size);

}  // namespace crescendo::datasets
