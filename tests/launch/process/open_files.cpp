#include "launch/process/open_files.hpp"

#include <doctest/doctest.h>

#include "tests/launch/few_open_files.hpp"

using namespace crescendo::launch;
using crescendo::tests::FewOpenFiles;

TEST_CASE("the limit on open files rises to the wanted number as far as the system allows, and never falls") {
    const FewOpenFiles few(100);

    CHECK(allow_open_files(50) == 100);
    CHECK(allow_open_files(120) == 120);
    CHECK(allow_open_files(110) == 120);
    CHECK(allow_open_files(std::uint64_t{1} << 62) == most_open_files());
}
