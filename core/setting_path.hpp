#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace crescendo {

/// Sets the entry of `settings` that a dotted name leads to: "data.batch" is `batch` in `data`. Maps that are missing
/// on the way are made.
template <class Json>
void set_at(Json& settings, std::string_view name, Json value) {
    Json* place = &settings;
    for (std::size_t dot; (dot = name.find('.')) != std::string_view::npos; name.remove_prefix(dot + 1)) {
        auto& inner = (*place)[std::string(name.substr(0, dot))];
        if (!inner.is_object()) {
            inner = Json::object();
        }
        place = &inner;
    }
    (*place)[std::string(name)] = std::move(value);
}

}  // namespace crescendo
