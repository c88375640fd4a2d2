#include "core/spelling.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("the edit distance counts a swap of neighbours once") {
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("widht", "width") == 1);
    CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("a word is suggested only if it is similar") {
    const std::vector<std::string> words{"min", "max", "reduction_factor"};

    CHECK(did_you_mean("reducton_factor", words) == " (did you mean 'reduction_factor'?)");
    CHECK(did_you_mean("mni", words) == " (did you mean 'min'?)");
    CHECK(did_you_mean("epochs", words).empty());
    CHECK(did_you_mean("min", {}).empty());
    CHECK(did_you_mean("TPE", {"gp", "tpe"}) == " (did you mean 'tpe'?)");
    CHECK(did_you_mean("l", {"lr"}) == " (did you mean 'lr'?)");
    CHECK(did_you_mean("1", {"q"}).empty());
}

TEST_CASE("words are listed as in a sentence") {
    CHECK(enumerate({"a"}) == "a");
    CHECK(enumerate({"a", "b"}) == "a or b");
    CHECK(enumerate({"a", "b", "c"}, " and ") == "a, b and c");
}

TEST_CASE("names are listed in the order of what has them") {
    struct Option {
        const char* name;
    };

    CHECK(names_of(std::vector<Option>{{"min"}, {"max"}}) == std::vector<std::string>{"min", "max"});
}
