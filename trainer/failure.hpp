#pragma once

#include <exception>
#include <string>

namespace crescendo::trainer {

/// What ends a trainer, in the protocol's terms.
struct Failure {
    bool out_of_memory = false;  ///< of the GPU or of the machine
    std::string message;
};

Failure describe_failure(const std::exception_ptr& cause);

}  // namespace crescendo::trainer
