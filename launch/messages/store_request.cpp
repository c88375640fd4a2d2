#include "launch/messages/store_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace crescendo::launch {
namespace {

bool is_text(const Json& value) { return value.is_string(); }
bool are_texts(const Json& value) { return value.is_array() && std::ranges::all_of(value, is_text); }
bool is_whole(const Json& value) { return value.is_number_integer(); }

/// Whether the value can be the number of a trial or a generation.
bool is_count(const Json& value) {
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
}

}  // namespace

void require_store_request(const Json& request) {
    const auto require = [&](const char* key, bool (*is_right)(const Json&), std::string_view expected) {
        const auto found = request.find(key);
        if (found == request.end() || !is_right(*found)) {
            throw std::runtime_error(fmt::format("a store request's \"{}\" must be {}", key, expected));
        }
    };
    require("id", is_whole, "a whole number");
    require("trial", is_count, "the number of a trial");
    require("generation", is_count, "the number of a generation");
    require("op", is_text, "a text");
    const std::string op = request.at("op");
    const bool takes_keys = op == "wait" || op == "check";
    if (takes_keys && request.contains("keys")) {
        require("keys", are_texts, "a list of texts");
    } else if (takes_keys || op == "get" || op == "set" || op == "add" || op == "delete" || op == "compare_set") {
        require("key", is_text, "a text");
    }
    if (op == "set" || op == "compare_set") {
        require("value", is_text, "a text");
    }
    if (op == "compare_set" && request.contains("expected")) {
        require("expected", is_text, "a text");
    }
    if (op == "add") {
        require("delta", is_whole, "a whole number");
    }
}

}  // namespace crescendo::launch
