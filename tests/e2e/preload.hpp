#pragma once

#include <cstdlib>
#include <string>

namespace crescendo::tests {

/// While it lives, commands are started with a library (preload.cpp) that does as `variable` says.
class Preload {
  public:
    Preload(const char* variable, const std::string& value) : variable_(variable) {
        ::setenv("LD_PRELOAD", PRELOAD, 1);
        ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0:handle_segv=0", 1);
        ::setenv(variable, value.c_str(), 1);
    }
    ~Preload() {
        ::unsetenv("LD_PRELOAD");
        ::unsetenv(variable_);
    }
    Preload(const Preload&) = delete;
    Preload& operator=(const Preload&) = delete;

  private:
    const char* variable_;
};

}  // namespace crescendo::tests
