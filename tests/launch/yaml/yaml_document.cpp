#include "launch/yaml/yaml_document.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/contains.hpp"
#include "tests/error_of.hpp"

using namespace crescendo::launch;
using crescendo::tests::contains;
using crescendo::tests::error_of;

TEST_CASE("an alias stands for the value of its anchor") {
    const auto document = parse_yaml("a: &x [1, 2]\nb: *x\n", "s.yaml");

    CHECK(document.root.at("b") == OrderedJson::parse("[1, 2]"));
}

TEST_CASE("a small file whose aliases expand to ten billion values is refused") {
    std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 10; ++i) {
        text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                            i - 1);
    }

    const auto error = error_of([&] { parse_yaml(text, "s.yaml"); });

    CHECK_MESSAGE(contains(error, "more than a million values"), error);
}

TEST_CASE("a long text that aliases repeat counts with all of its bytes") {
    auto text = "a0: &a0 " + std::string(100'000, 'x') + "\n";
    for (int i = 1; i < 5; ++i) {
        text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                            i - 1);
    }

    CHECK(contains(error_of([&] { parse_yaml(text, "s.yaml"); }), "or 100 MB of text"));
}

TEST_CASE("a document that begins with a comma ends the reading") {
    for (const std::string text : {", a: 1\n", "{a: 1}, b\n", "a: 1\n---\n, b\n"}) {
        CHECK(contains(error_of([&] { parse_yaml(text, "s.yaml"); }), "a second YAML document begins here"));
    }
}

TEST_CASE("a text with a zero character is refused, because a program would get only its beginning") {
    const auto error_in = [](const char* text) { return error_of([&] { parse_yaml(text, "s.yaml"); }); };

    CHECK(contains(error_in("a: \"x\\0y\"\n"), "s.yaml:1:1: a: has the character \\0"));
    CHECK(contains(error_in("a: {\"x\\0y\": 1}\n"), "s.yaml:1:1: a: a key has the character \\0"));
}

TEST_CASE("bytes that look like UTF-8 but are no character are refused") {
    for (const std::string bytes : {"\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80"}) {
        CHECK(contains(error_of([&] { parse_yaml("a: " + bytes, "s.yaml"); }), "is not valid UTF-8"));
    }
    for (const std::string bytes : {"\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        CHECK(parse_yaml("a: " + bytes, "s.yaml").root.at("a") == bytes);
    }
}
