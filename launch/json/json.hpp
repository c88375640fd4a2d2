#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/one_line.hpp"

namespace crescendo::launch {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// As one_line(), but over several indented lines, for people.
template <class AnyJson>
std::string in_lines(const AnyJson& json) {
    return json.dump(2, ' ', false, AnyJson::error_handler_t::replace) + "\n";
}

}  // namespace crescendo::launch

/// A duration is written as a number in its own unit.
template <class Rep, class Period>
struct nlohmann::adl_serializer<std::chrono::duration<Rep, Period>> {
    static void to_json(auto& json, const std::chrono::duration<Rep, Period>& time) { json = time.count(); }
    static void from_json(const auto& json, std::chrono::duration<Rep, Period>& time) {
        time = std::chrono::duration<Rep, Period>(json.template get<Rep>());
    }
};

/// Ids and resources are written as numbers.
template <class Tag>
struct nlohmann::adl_serializer<crescendo::Id<Tag>> {
    static void to_json(auto& json, const crescendo::Id<Tag>& id) { json = id.value; }
    static void from_json(const auto& json, crescendo::Id<Tag>& id) { json.get_to(id.value); }
};
template <>
struct nlohmann::adl_serializer<crescendo::Resource> {
    static void to_json(auto& json, const crescendo::Resource& resource) { json = resource.value; }
    static void from_json(const auto& json, crescendo::Resource& resource) { json.get_to(resource.value); }
};

/// An empty optional is written as null.
template <class Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
    static void to_json(auto& json, const std::optional<Value>& value) {
        json = nullptr;
        if (value) {
            json = *value;
        }
    }
    static void from_json(const auto& json, std::optional<Value>& value) {
        value.reset();
        if (!json.is_null()) {
            json.get_to(value.emplace());
        }
    }
};
