#include "launch/import/imported_sweep.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "launch/yaml/yaml_document.hpp"

using namespace crescendo::launch;

TEST_CASE("a value written as YAML is read back unchanged") {
    const OrderedJson values{{"a", 1},        {"b", 1.0},      {"c", 1e-5},     {"d", "true"},      {"e", "1e-5"},
                             {"f", true},     {"g", nullptr},  {"h", "a: b#"},  {"i", "${args}"},   {"j", ""},
                             {"k", {1, "x"}}, {"l", {{"m", "null"}}}, {"-n o", "-"}, {"p", "line\n\"\\"}, {"q", "*x"},
                             {"r", "99999999999999999999"}, {"s", "1e999"}};

    const auto read = parse_yaml("root: " + flow(values) + "\n", "test.yaml").root.at("root");

    CHECK(read == values);
    CHECK(read.at("b").is_number_float());
    CHECK(read.at("a").is_number_integer());
}

TEST_CASE("a comment follows its value, or precedes it if the line would be too long") {
    ImportedSweep sweep{.origin = "a test"};
    sweep.notes = {"a note"};
    sweep.head.push_back({"name", "x", "short"});
    sweep.head.push_back({"run_cap", 3, std::string(120, 'c')});
    sweep.parameters.push_back({"lr", uniform(0.5, 1.0)});
    sweep.parameters.push_back({"outer", nullptr, "", {{"inner", constant(2), "of an inner one"}}});

    CHECK(text_of(sweep, "f.yaml") ==
          "# From f.yaml, a test.\n# * a note\nname: x  # short\n"
          "# " +
              std::string(120, 'c') +
              "\nrun_cap: 3\nparameters:\n"
              "  lr: {distribution: uniform, min: 0.5, max: 1.0}\n"
              "  outer:\n    parameters:\n      inner: {value: 2}  # of an inner one\n");
}

TEST_CASE("a line end in a foreign name does not end the comment that has it") {
    ImportedSweep sweep{.origin = "a test"};
    sweep.notes = {"not carried over: a\nb\rc"};  // both are line ends in YAML

    CHECK(text_of(sweep, "f.yaml") == "# From f.yaml, a test.\n# * not carried over: a b c\nparameters:\n");
}

TEST_CASE("numbers in steps become a list, or lose their steps if there are too many") {
    CHECK(whole_numbers("n", 2, 8).value == OrderedJson{{"min", 2}, {"max", 8}});
    CHECK(whole_numbers("n", 2, 9, 3).value == OrderedJson{{"values", {2, 5, 8}}});
    CHECK(whole_numbers("n", 0, 1'000'000, 2).comment == "was in steps of 2; now in steps of 1");
    CHECK(whole_numbers("n", 2, 2).value == OrderedJson{{"value", 2}});
    CHECK(stepped_numbers("x", 0.1, 0.4, 0.1).value == OrderedJson{{"values", {0.1, 0.2, 0.3, 0.4}}});
    CHECK(stepped_numbers("x", -0.3, 0.3, 0.1).value == OrderedJson{{"values", {-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3}}});
    CHECK(stepped_numbers("x", 0, 1, 1e-6).comment == "was in steps of 1e-06; now continuous");
}

TEST_CASE("tiny and huge numbers in steps stay exact") {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();

    CHECK(stepped_numbers("x", 0, 3e-13, 1e-13).value == OrderedJson{{"values", {0.0, 1e-13, 2e-13, 3e-13}}});
    CHECK(stepped_numbers("x", 0, 3e300, 1e300).value == OrderedJson{{"values", {0.0, 1e300, 2e300, 3e300}}});
    CHECK(stepped_numbers("x", 1e300, 1, 0.1).value == uniform(1e300, 1));  // refused with the sweep file
    CHECK(whole_numbers("n", least, most, most).value == OrderedJson{{"values", {least, std::int64_t{-1}, most - 1}}});
    CHECK(whole_numbers("n", least, most, 2).value == OrderedJson{{"min", least}, {"max", most}});
}

TEST_CASE("a whole number is exact if it fits in 64 bits, and is refused otherwise") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();

    CHECK(whole_number(most) == most);
    CHECK(whole_number(9007199254740993) == 9007199254740993);  // 2^53 + 1, which no double can hold
    CHECK(whole_number(-2.5) == -2);
    CHECK(whole_number(-0x1p63) == std::numeric_limits<std::int64_t>::min());
    for (const auto& huge : {OrderedJson(0x1p63), OrderedJson(-1e30), OrderedJson(std::uint64_t{1} << 63U),
                             OrderedJson(std::numeric_limits<double>::quiet_NaN())}) {
        CHECK_FALSE(whole_number(huge));
    }
}
