#pragma once

#include <string>

#include "core/check.hpp"

namespace crescendo::tests {

/// The message of the error that `call` throws.
template <class Error = InvalidInput, class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace crescendo::tests
