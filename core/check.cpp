#include "core/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace crescendo {

void expectation_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "crescendo: this is a bug: expected %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace crescendo
