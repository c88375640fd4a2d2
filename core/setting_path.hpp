#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace crescendo {

/// Sets the entry of `settings` at a dotted name: "data.batch" is `batch` in `data`. Creates missing maps on the way.
///
/// A number may be at a name that is also the beginning of other names, such as the factors of a module and of a
/// parameter in it. Then both stay: the longer names become dotted entries next to the number. If an entry with the
/// dotted name already exists, that entry is set.
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
