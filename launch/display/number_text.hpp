#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// A number for people, with `digits` significant digits; below ten million, all digits before the point are shown.
/// Examples: 0.03123, 86400, 1.235e+07.
std::string number_text(double value, int digits = 4);

/// The number rounded to `digits` significant digits: 0.001, not 0.0010000000000000002. The same number if it would
/// become infinite.
double rounded(double number, int digits);

/// "1 trial", "3 trials".
std::string counted(std::size_t number, std::string_view noun);

}  // namespace crescendo::launch
