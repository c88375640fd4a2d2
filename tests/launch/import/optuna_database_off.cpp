#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::tests;

TEST_CASE("without SQLite, a database is refused with a remedy") {
    CHECK(contains(import_error(std::string("SQLite format 3\0", 16)), "install libsqlite3-dev"));
}
