#include "launch/sweep_file/keys/overrides.hpp"

#include <array>
#include <string_view>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "launch/yaml/yaml_document.hpp"

namespace crescendo::launch {

std::vector<Override> without_training() {
    const std::array keys{"trainer", "command", "program", "grow", "report", "final_test", "keep"};
    return mapped(keys, [](const char* key) -> Override { return {key, {}}; });
}

Override parse_override(const std::string& text, const char* example) {
    const auto equals = text.find('=');
    CRESCENDO_VALIDATE(equals != std::string::npos && equals > 0, "",
                       "'{}' sets nothing; write a name and its value, like {}", text, example);
    return {text.substr(0, equals), text.substr(equals + 1)};
}

namespace {

/// Removes the key from the map, if it is there.
void leave_out(std::string_view key, OrderedJson& map) {
    const auto dot = key.find('.');
    const auto found = map.find(std::string(key.substr(0, dot)));
    if (found == map.end()) {
        return;
    }
    if (dot != std::string_view::npos && found->is_object()) {
        leave_out(key.substr(dot + 1), *found);
    }
    if (dot == std::string_view::npos || (found->is_object() && found->empty())) {
        map.erase(found);
    }
}

}  // namespace

void apply_override(const Override& change, OrderedJson& document) {
    if (!change.value) {
        leave_out(change.key, document);
        return;
    }
    OrderedJson* place = &document;
    std::size_t begin = 0;
    for (std::size_t dot; (dot = change.key.find('.', begin)) != std::string::npos; begin = dot + 1) {
        const auto section = change.key.substr(begin, dot - begin);
        if (change.applies == Override::Applies::in_section && !place->contains(section)) {
            return;
        }
        place = &(*place)[section];
        CRESCENDO_VALIDATE(place->is_object() || place->is_null(), change.key,
                           "cannot be set, because {} is not a map in the sweep file; set that key instead",
                           change.key.substr(0, dot));
    }
    const auto name = change.key.substr(begin);
    if (change.applies == Override::Applies::always || !place->contains(name)) {
        (*place)[name] = parse_yaml_value(*change.value, change.key);
    }
}

}  // namespace crescendo::launch
