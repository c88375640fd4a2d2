#include "core/utf8.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("characters are counted, not bytes") {
    CHECK(num_characters("") == 0);
    CHECK(num_characters("loss") == 4);
    CHECK(num_characters("λ → ∞ 🎼") == 7);
    CHECK_FALSE(continues_character('a'));
    CHECK_FALSE(continues_character("λ"[0]));
    CHECK(continues_character("λ"[1]));
}
