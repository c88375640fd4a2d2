#include "core/value.hpp"

#include <array>
#include <charconv>

namespace crescendo {
namespace {

std::string shortest(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
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

}  // namespace crescendo
