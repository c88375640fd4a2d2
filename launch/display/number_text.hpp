#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// A number for people, with `digits` significant digits; below ten million, all digits before the point are shown.
/// Examples: 0.03123, 86400, 1.235e+07.
std::string number_text(double value, int digits = 4);

/// "1 trial", "3 trials".
std::string counted(std::size_t number, std::string_view noun);

}  // namespace crescendo::launch
