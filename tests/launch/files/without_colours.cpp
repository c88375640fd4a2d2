#include "launch/files/without_colours.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("a text without colours is the text that a terminal shows") {
    CHECK(without_colours("\x1b[1;34mwandb\x1b[0m: \x1b[38;5;9mno run\x1b[K") == "wandb: no run");
    CHECK(without_colours("loss=0.5 [3/9]\n") == "loss=0.5 [3/9]\n");
    CHECK(without_colours("\x1b cut off \x1b[1") == "\x1b cut off \x1b[1");
}
