#pragma once

#include <string>

namespace crescendo::launch {

/// What a sweep file leaves open, or says otherwise than it is meant here, and what holds: one line for people.
struct Remark {
    std::string key;  ///< as in InvalidInput
    std::string text;
};

}  // namespace crescendo::launch
