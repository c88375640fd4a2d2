#pragma once

#include <string>

#include "core/check.hpp"

namespace crescendo::tests {

/// The message of the InvalidInput that `call` throws.
template <class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace crescendo::tests
