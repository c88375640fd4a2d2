#pragma once

#include <cstdlib>
#include <string>

namespace crescendo::tests {

/// An environment variable for the length of a test.
struct Variable {
    Variable(const char* variable, const std::string& value) : name(variable) { ::setenv(name, value.c_str(), 1); }
    ~Variable() { ::unsetenv(name); }
    Variable(Variable&&) = delete;
    Variable& operator=(Variable&&) = delete;

    const char* name;
};

}  // namespace crescendo::tests
