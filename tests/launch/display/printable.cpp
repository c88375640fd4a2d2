#include "launch/display/printable.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("text cannot become markup") {
    CHECK(markup_text("</title><script>alert('x')</script>") ==
          "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
    CHECK(markup_text(R"(a "quoted" & b)") == "a &quot;quoted&quot; &amp; b");
}

TEST_CASE("a failure of several lines becomes one line that keeps the last, where programs say what is wrong") {
    CHECK(in_one_line("crashed: exit status 1; last words: reading\nTraceback:\n  File a\nOSError: no data\n") ==
          "crashed: exit status 1; last words: … OSError: no data");
    CHECK(in_one_line("signal 11\nin a.so") == "signal 11 … in a.so");
    CHECK(in_one_line("signal 11\n") == "signal 11");
    CHECK(in_one_line("").empty());
}

TEST_CASE("text keeps its letters, and control characters and invalid bytes become visible") {
    CHECK(markup_text("größe 学习") == "größe 学习");
    CHECK(markup_text("two\nlines") == "two\nlines");
    CHECK(markup_text("\x1b[31m") == "\\x1b[31m");
    CHECK(markup_text("\xff") == "\xEF\xBF\xBD");  // not UTF-8
}
