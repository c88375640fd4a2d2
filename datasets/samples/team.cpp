#include "datasets/samples/team.hpp"

#include <algorithm>

namespace crescendo::datasets {

std::int64_t num_teams(std::int64_t num_shards, int size) {
    constexpr std::int64_t many_shards = 8;
    std::int64_t count = std::min<std::int64_t>(num_shards, size);
    while (size % count != 0 || (num_shards % count != 0 && num_shards < many_shards * count)) {
        --count;
    }
    return count;
}

}  // namespace crescendo::datasets
