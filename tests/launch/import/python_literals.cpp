#include "launch/import/python_literals.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("Python literals become JSON") {
    CHECK(python_literals("1_000, .5, 1., 1e-3, True, None").dump() == "[1000,0.5,1.0,0.001,true,null]");
    CHECK(python_literals(R"('it\'s', "None", ('a', [2,],), {'k': (1, 2)})").dump() ==
          R"(["it's","None",["a",[2]],{"k":[1,2]}])");
    CHECK(python_literals("").dump() == "[]");
}

TEST_CASE("text that is not a Python literal does not become JSON") {
    for (const char* text : {"np.inf", "'no end", "f(1)", "[1", "1 2"}) {
        CHECK(python_literals(text).is_discarded());
    }
}
