#include "core/mapped.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using crescendo::mapped;

TEST_CASE("the results of a function are in the order of the range's elements") {
    CHECK(mapped(std::vector{3, 1, 2}, [](int each) { return 2 * each; }) == std::vector{6, 2, 4});
    CHECK(mapped(std::vector<int>(), [](int each) { return each; }).empty());

    const std::map<std::string, int> numbers{{"b", 2}, {"a", 1}};
    CHECK(mapped(numbers, [](const auto& each) { return each.first; }) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("results are copies, even if the function returns references") {
    std::vector<std::string> words{"one", "two"};
    const auto copies = mapped(words, [](const std::string& each) -> const std::string& { return each; });
    words[0] = "three";
    CHECK(copies == std::vector<std::string>{"one", "two"});
}
