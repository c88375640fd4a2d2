#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace crescendo::tests {

/// Sets an environment variable, and restores it when this goes out of scope.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) {
            before_ = before;
        }
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    Variable(Variable&&) = delete;
    Variable& operator=(Variable&&) = delete;

  private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace crescendo::tests
