#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::tests {

/// The remark on a key; "" if there is none.
inline std::string remark_on(const launch::SweepFile& file, const std::string& key) {
    for (const auto& remark : file.remarks) {
        if (remark.key == key) {
            return remark.text;
        }
    }
    return "";
}

}  // namespace crescendo::tests
