#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>

namespace crescendo::tests {

/// While this lives, this process may open only `count` files, unless it asks the system for more.
class FewOpenFiles {
  public:
    explicit FewOpenFiles(rlim_t count) {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const rlimit few{count, before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    }
    ~FewOpenFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    FewOpenFiles(FewOpenFiles&&) = delete;
    FewOpenFiles& operator=(FewOpenFiles&&) = delete;

  private:
    rlimit before_{};
};

}  // namespace crescendo::tests
