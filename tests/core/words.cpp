#include "core/words.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace crescendo;

namespace {

enum class Size { small, middle, large };

constexpr Words sizes{{std::pair{Size::small, "S"}, {Size::middle, "M"}, {Size::large, "L"}}};

}  // namespace

TEST_CASE("a table of words works in both directions") {
    CHECK(sizes.of(Size::middle) == std::string("M"));
    CHECK(sizes.find("L") == Size::large);
    CHECK(sizes.find("XL") == std::nullopt);
    CHECK(sizes.has(Size::small));
    CHECK_FALSE(sizes.has(static_cast<Size>(3)));
}

TEST_CASE("a message lists all words, in the order of the table") {
    CHECK(sizes.list() == "S, M or L");

    std::string words;
    for (const auto& row : sizes) {
        words += row.second;
    }
    CHECK(words == "SML");
}
