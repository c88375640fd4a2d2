#pragma once

#include <string>

#include "tests/variable.hpp"

namespace crescendo::tests {

/// While this lives, commands start with a library (preload.cpp) that causes the fault of `variable`.
struct Preload {
    Preload(const char* variable, const std::string& value) : order(variable, value) {}

    Variable order;
    Variable library{"LD_PRELOAD", PRELOAD};
    Variable sanitizer{"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0:handle_segv=0"};
};

}  // namespace crescendo::tests
