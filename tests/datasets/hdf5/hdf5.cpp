#include "datasets/hdf5/hdf5.hpp"

#include <doctest/doctest.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

using namespace crescendo::datasets;

TEST_CASE("a filter's switch to flush denormal numbers to 0 ends with the session") {
#ifdef __SSE__
    const auto before = _mm_getcsr();
    {
        const hdf5::Session session;
        _mm_setcsr(before | 0x8040U);  // as loading a library built with -ffast-math does
    }

    CHECK(_mm_getcsr() == before);
#else
    MESSAGE("skipped: only x86 has this switch");
#endif
}
