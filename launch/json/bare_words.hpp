#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// Replaces bare NaN, Infinity and -Infinity, which Python writes but JSON does not have, and C printf's nan and inf,
/// by null. Leaves strings unchanged.
std::string without_bare_words(std::string_view json);

}  // namespace crescendo::launch
