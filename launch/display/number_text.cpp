#include "launch/display/number_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/number_from.hpp"

namespace crescendo::launch {

std::string number_text(double value, int digits) {
    const double size = std::abs(value);
    const bool is_whole = size >= std::pow(10, digits - 1) && size < 1e7;
    return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.{}g}", value, digits);
}

double rounded(double number, int digits) {
    return number_from<double>(fmt::format("{:.{}g}", number, digits)).value_or(number);
}

std::string counted(std::size_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace crescendo::launch
