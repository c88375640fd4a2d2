#pragma once

#include <compare>
#include <cstdint>

namespace crescendo {

/// A number that names one thing. Ids of different kinds cannot be mixed.
template <class Tag>
struct Id {
    std::int32_t value = 0;

    friend auto operator<=>(const Id&, const Id&) = default;
};

using TrialId = Id<struct TrialTag>;  ///< counts from 0 in the order trials are proposed
using SlotId = Id<struct SlotTag>;    ///< one GPU, a share of one, or one fixed set of cores; unique in the sweep
using NodeId = Id<struct NodeTag>;    ///< one agent; equals its MPI rank

/// What a trial consumes: epochs, unless the sweep says otherwise.
struct Resource {
    std::int64_t value = 0;

    friend auto operator<=>(const Resource&, const Resource&) = default;
};

/// More than any trial consumes: the maximum for trials that end when their programs end.
inline constexpr Resource unlimited_resource{std::int64_t{1} << 40};

}  // namespace crescendo
