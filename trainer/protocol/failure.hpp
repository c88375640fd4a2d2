#pragma once

#include <string>

namespace crescendo::trainer {

/// Why a trainer ends, in the words of the trial protocol.
struct Failure {
    const char* kind;  ///< one of protocol::failure
    std::string message;
};

/// Describes the exception that is being handled: to be called in a handler, `catch (...)`.
Failure describe_failure();

/// Whether memory of the GPU or of the machine was used up.
bool is_out_of_memory(const Failure& failure);

}  // namespace crescendo::trainer
