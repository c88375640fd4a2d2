#pragma once

#include <string>

namespace crescendo {

/// `json`, a value of nlohmann's, without line ends. Bytes that are not UTF-8, as names of files and messages in
/// Latin-1 may have, are replaced: they must not end a sweep.
template <class AnyJson>
std::string one_line(const AnyJson& json) {
    return json.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

}  // namespace crescendo
