#pragma once

#include <string>

namespace crescendo {

/// `json`, a value of nlohmann's type, as text on one line. Bytes that are not UTF-8, for example in file names and
/// messages in Latin-1, are replaced, because they must not end a sweep.
template <class AnyJson>
std::string one_line(const AnyJson& json) {
    return json.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

}  // namespace crescendo
