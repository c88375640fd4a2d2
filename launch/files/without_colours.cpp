#include "launch/files/without_colours.hpp"

#include <re2/re2.h>

namespace crescendo::launch {

std::string without_colours(std::string_view text) {
    static const re2::RE2 sequence("\\x1b\\[[0-?]*[ -/]*[@-~]");
    std::string plain(text);
    if (plain.find('\x1b') != std::string::npos) {
        re2::RE2::GlobalReplace(&plain, sequence, "");
    }
    return plain;
}

}  // namespace crescendo::launch
