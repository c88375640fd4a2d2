#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "core/one_line.hpp"

namespace crescendo::launch {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// As one_line(), in lines, for people.
template <class AnyJson>
std::string in_lines(const AnyJson& json) {
    return json.dump(2, ' ', false, AnyJson::error_handler_t::replace) + "\n";
}

}  // namespace crescendo::launch

/// A duration is a number of its units.
template <class Rep, class Period>
struct nlohmann::adl_serializer<std::chrono::duration<Rep, Period>> {
    static void to_json(auto& json, const std::chrono::duration<Rep, Period>& time) { json = time.count(); }
    static void from_json(const auto& json, std::chrono::duration<Rep, Period>& time) {
        time = std::chrono::duration<Rep, Period>(json.template get<Rep>());
    }
};
