#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::tests {

/// What the file's reader is told of a key; "" if nothing.
inline std::string remark_on(const launch::SweepFile& file, const std::string& key) {
    for (const auto& remark : file.remarks) {
        if (remark.key == key) {
            return remark.text;
        }
    }
    return "";
}

}  // namespace crescendo::tests
