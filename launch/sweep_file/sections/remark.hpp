#pragma once

#include <string>

namespace crescendo::launch {

/// A one-line note for the user about a key that the sweep file leaves open or uses with another meaning: it says what
/// applies.
struct Remark {
    std::string key;  ///< as in InvalidInput
    std::string text;
};

}  // namespace crescendo::launch
