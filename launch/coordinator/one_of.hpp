#pragma once

#include <concepts>

namespace crescendo::launch {

/// A type that is one of `Kinds`. With it, one function names every kind of notice that it ignores, so a new kind does
/// not compile until it is handled.
template <class Kind, class... Kinds>
concept OneOf = (std::same_as<Kind, Kinds> || ...);

}  // namespace crescendo::launch
