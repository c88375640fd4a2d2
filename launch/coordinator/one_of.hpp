#pragma once

#include <concepts>

namespace crescendo::launch {

/// A type that is among `Kinds`. So one function takes every kind of notice that means nothing to it, by name: a new
/// kind does not compile until somebody has thought of it.
template <class Kind, class... Kinds>
concept OneOf = (std::same_as<Kind, Kinds> || ...);

}  // namespace crescendo::launch
