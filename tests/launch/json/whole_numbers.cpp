#include "launch/json/whole_numbers.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("a parameter with a whole q has whole numbers") {
    const SearchSpace space(
        {{"width", QLogUniformValues{16, 128, 16}}, {"rate", QUniform{0, 1, 0.5}}, {"x", Uniform{0, 9}}});

    const auto config = with_whole_numbers({{"width", 48.0}, {"rate", 1.0}, {"x", 2.0}, {"other", 3.0}}, space);

    CHECK(config == Config{{"width", std::int64_t{48}}, {"rate", 1.0}, {"x", 2.0}, {"other", 3.0}});
}

TEST_CASE("numbers become whole even after an absent parameter") {
    const SearchSpace space({{"a", QUniform{0, 9, 1}}, {"b", QUniform{0, 9, 1}}, {"c", QUniform{0, 9, 1}}});

    CHECK(with_whole_numbers({{"a", 1.0}, {"c", 3.0}}, space) ==
          Config{{"a", std::int64_t{1}}, {"c", std::int64_t{3}}});
}
