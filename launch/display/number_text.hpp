#pragma once

#include <string>

namespace crescendo::launch {

/// A number for people: to so many significant digits, and below ten million with all those before the point.
/// 0.03123, 86400, 1.235e+07.
std::string number_text(double value, int digits = 4);

}  // namespace crescendo::launch
