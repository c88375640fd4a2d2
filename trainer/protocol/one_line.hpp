#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace crescendo::trainer {

/// `message` without line ends. Names of files and words of plug-ins may hold any bytes: those that are not UTF-8 are
/// replaced.
inline std::string one_line(const nlohmann::json& message) {
    return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace crescendo::trainer
