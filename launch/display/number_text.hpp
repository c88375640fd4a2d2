#pragma once

#include <string>

namespace crescendo::launch {

/// A number for people, with `digits` significant digits; below ten million, all digits before the point are shown.
/// Examples: 0.03123, 86400, 1.235e+07.
std::string number_text(double value, int digits = 4);

}  // namespace crescendo::launch
