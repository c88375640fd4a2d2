#include "core/value.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace crescendo {
namespace {

/// The shortest text for a number. A whole number has no exponent, so that int() and a shell can read it.
std::string shortest(double value) {
    constexpr double exact = 9007199254740992;  // 2^53: a double can hold every whole number up to here
    std::array<char, 32> buffer{};
    char* const begin = buffer.data();
    char* const end = begin + buffer.size();
    const bool is_whole = std::abs(value) <= exact && value == std::trunc(value);
    return {
        begin,
        (is_whole ? std::to_chars(begin, end, value, std::chars_format::fixed) : std::to_chars(begin, end, value)).ptr};
}

struct Print {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return shortest(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const JsonValue& value) const { return value.text; }
};

}  // namespace

std::string to_string(const Value& value) { return std::visit(Print{}, value); }

double to_number(const Value& value) {
    return std::visit(
        []<class T>(const T& each) -> double {
            if constexpr (std::is_arithmetic_v<T>) {
                return static_cast<double>(each);
            } else {
                return std::numeric_limits<double>::quiet_NaN();
            }
        },
        value);
}

}  // namespace crescendo
