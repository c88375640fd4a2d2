#pragma once

#include <exception>
#include <string>

namespace crescendo::trainer {

/// What ends a trainer, in the protocol's terms.
struct Failure {
    const char* kind;  ///< of protocol::failure
    std::string message;
};

Failure describe_failure(const std::exception_ptr& cause);

}  // namespace crescendo::trainer
