#pragma once

#include <pthread.h>

#include <cstddef>
#include <stdexcept>

namespace crescendo::tests {

/// While this lives, this process cannot create a thread, as if the user's limit on processes were reached: the default
/// stack is too large for any memory.
class NoMoreThreads {
  public:
    NoMoreThreads() {
        ::pthread_getattr_default_np(&before_);
        pthread_attr_t attributes;
        ::pthread_attr_init(&attributes);
        const bool set = ::pthread_attr_setstacksize(&attributes, std::size_t{1} << 50) == 0 &&
                         ::pthread_setattr_default_np(&attributes) == 0;
        ::pthread_attr_destroy(&attributes);
        if (!set) {
            throw std::runtime_error("threads cannot be given such a stack");
        }
    }
    NoMoreThreads(const NoMoreThreads&) = delete;
    NoMoreThreads& operator=(const NoMoreThreads&) = delete;
    ~NoMoreThreads() {
        ::pthread_setattr_default_np(&before_);
        ::pthread_attr_destroy(&before_);
    }

  private:
    pthread_attr_t before_{};
};

}  // namespace crescendo::tests
