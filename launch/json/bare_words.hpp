#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// Replaces bare NaN, Infinity and -Infinity, which Python writes but JSON does not have, and C printf's nan and inf,
/// by `replacement`. Leaves strings unchanged.
std::string without_bare_words(std::string_view json, std::string_view replacement = "null");

}  // namespace crescendo::launch
