#include "launch/report/html.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("JSON in a script cannot end the script") {
    const OrderedJson json{{"</script><script>", "<!--<script> & ]]>"}};

    const auto text = html::script_json(json);

    CHECK(text.find_first_of("<>&") == std::string::npos);
    CHECK(OrderedJson::parse(text) == json);
}

TEST_CASE("JSON in a script has null for a number that is not finite") {
    CHECK(html::script_json(OrderedJson{{"a", NAN}, {"b", INFINITY}}) == R"({"a":null,"b":null})");
}

TEST_CASE("a dash stands for null and for a number that is not finite") {
    CHECK(html::number(nullptr) == "–");
    CHECK(html::number(NAN) == "–");
    CHECK(html::number(-INFINITY) == "–");
    CHECK(html::number(0.123456) == "0.12346");
}
