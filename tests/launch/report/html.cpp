#include "launch/report/html.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("text cannot become markup") {
    CHECK(html_text("</title><script>alert('x')</script>") ==
          "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
    CHECK(html_text(R"(a "quoted" & b)") == "a &quot;quoted&quot; &amp; b");
}

TEST_CASE("text keeps its letters, and shows what is no letter") {
    CHECK(html_text("größe 学习") == "größe 学习");
    CHECK(html_text("two\nlines") == "two\nlines");
    CHECK(html_text("\x1b[31m") == "\\x1b[31m");
    CHECK(html_text("\xff") == "\xEF\xBF\xBD");  // not UTF-8
}

TEST_CASE("JSON in a script cannot end the script") {
    const OrderedJson json{{"</script><script>", "<!--<script> & ]]>"}};

    const auto text = script_json(json);

    CHECK(text.find_first_of("<>&") == std::string::npos);
    CHECK(OrderedJson::parse(text) == json);
}

TEST_CASE("JSON in a script has null for what is not finite") {
    CHECK(script_json(OrderedJson{{"a", NAN}, {"b", INFINITY}}) == R"({"a":null,"b":null})");
}
