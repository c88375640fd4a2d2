#include "core/check.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("text() replaces each pair of braces with the next argument") {
    CHECK(text("{} of {}", 1, "two") == "1 of two");
}

TEST_CASE("text() without arguments gives its pattern") { CHECK(text("nothing to replace") == "nothing to replace"); }

TEST_CASE("an invalid input names its key and its problem") {
    const int eta = 1;

    try {
        CRESCENDO_VALIDATE(eta >= 2, "scheduler.reduction_factor", "eta is {}", eta);
        FAIL("did not throw");
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "scheduler.reduction_factor");
        CHECK(error.what() == std::string("eta is 1"));
    }
}

TEST_CASE("a valid input passes, and its message is not even evaluated") {
    int evaluated = 0;

    CRESCENDO_VALIDATE(true, "key", "{}", ++evaluated);

    CHECK(evaluated == 0);
}
