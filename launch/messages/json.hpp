#pragma once

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
