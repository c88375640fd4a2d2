#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The text of `--help`, wrapped to `columns` columns. Sentences and descriptions break between words, and descriptions
/// keep their indentation. Example commands stay whole, so that they can be copied.
std::string wrapped_help(std::string_view help, std::size_t columns);

}  // namespace crescendo::launch
