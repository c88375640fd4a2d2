#pragma once

#include <tuple>

#include "core/fields.hpp"

namespace crescendo {

/// How many samples a group processes per step, and how many of them a worker processes at once.
struct GroupBatch {
    int multiple = 1;      ///< the group's batch is the trainer's batch_size times this
    int accumulation = 1;  ///< 1, 2, 4, …: a worker's micro-batches are batch_size divided by this

    static constexpr auto fields() {
        return std::tuple(Field{"batch_multiple", &GroupBatch::multiple, Presence::optional},
                          Field{"accumulation", &GroupBatch::accumulation, Presence::optional});
    }

    friend bool operator==(const GroupBatch&, const GroupBatch&) = default;
};

}  // namespace crescendo
