#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace crescendo {

/// Sets the entry of `settings` that a dotted name leads to: "data.batch" is `batch` in `data`. Maps that are missing
/// on the way are made.
///
/// Where there is a number at a name and also something behind it, as factors of a module and of a parameter in it,
/// both stay, the latter by its dotted name. An entry that has a dotted name already is the one that is set.
template <class Json>
void set_at(Json& settings, std::string_view name, Json value) {
    Json* place = &settings;
    for (std::size_t dot; (dot = name.find('.')) != std::string_view::npos; name.remove_prefix(dot + 1)) {
        if (place->contains(std::string(name))) {
            break;
        }
        auto& inner = (*place)[std::string(name.substr(0, dot))];
        if (inner.is_number()) {
            break;
        }
        if (!inner.is_object()) {
            inner = Json::object();
        }
        place = &inner;
    }
    const auto before = std::exchange((*place)[std::string(name)], std::move(value));
    if (before.is_object() && (*place)[std::string(name)].is_number()) {
        for (const auto& [key, inner] : before.items()) {
            (*place)[std::string(name) + "." + key] = inner;
        }
    }
}

}  // namespace crescendo
