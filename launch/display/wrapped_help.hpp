#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// What `--help` prints on so many columns: sentences and descriptions are broken between words, and descriptions
/// continue below themselves. Commands of examples stay whole, to be copied.
std::string wrapped_help(std::string_view help, std::size_t columns);

}  // namespace crescendo::launch
