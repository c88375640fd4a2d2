#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace crescendo::launch {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// `json` without line ends. Bytes that are not UTF-8, such as those of a message in Latin-1, are replaced: they must
/// not end a sweep.
template <class AnyJson>
std::string one_line(const AnyJson& json) {
    return json.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

/// The same in lines, for people.
template <class AnyJson>
std::string in_lines(const AnyJson& json) {
    return json.dump(2, ' ', false, AnyJson::error_handler_t::replace) + "\n";
}

}  // namespace crescendo::launch
