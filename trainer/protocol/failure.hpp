#pragma once

#include <string>

namespace crescendo::trainer {

/// Why a trainer ends, in the words of the trial protocol.
struct Failure {
    const char* kind;  ///< one of protocol::failure
    std::string message;
};

/// Describes the current exception. Call it in a `catch (...)`.
Failure describe_failure();

/// Whether the GPU or the machine ran out of memory.
bool is_out_of_memory(const Failure& failure);

}  // namespace crescendo::trainer
