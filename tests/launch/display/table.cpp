#include "launch/display/table.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo::launch;

namespace {

Table trials() {
    Table table({"trial", "status", "loss"});
    table.add_row({std::int64_t{3}, "running", 0.123456789});
    table.add_row({std::int64_t{12}, "größer", {}});
    return table;
}

}  // namespace

TEST_CASE("a table for people has aligned columns, with numbers on the right") {
    CHECK(trials().print(Format::table) ==
          "trial  status      loss\n"
          "    3  running  0.12346\n"
          "   12  größer         -\n");
}

TEST_CASE("columns stay aligned next to wide characters") {
    Table table({"学習率", "loss"});
    table.add_row({"小", 1.0});
    table.add_row({"small", 2.0});

    CHECK(table.print(Format::table) ==
          "学習率  loss\n"
          "小         1\n"
          "small      2\n");
}

TEST_CASE("a table for people has few digits and no line breaks") {
    Table table({"a", "b", "c", "d"});
    table.add_row({1.0, 123456.7, true, "two\nlines"});

    CHECK(table.print(Format::table) ==
          "a       b  c     d\n"
          "1  123457  true  two lines\n");
}

TEST_CASE("a column requested twice appears once in a JSON object") {
    Table table({"loss", "trial", "loss"});
    table.add_row({0.5, std::int64_t{3}, 0.5});

    CHECK(table.print(Format::json) == "[\n  {\"loss\":0.5,\"trial\":3}\n]\n");
}

TEST_CASE("a table without rows is only its header, and a JSON list without rows is empty") {
    const Table table({"trial", "loss"});

    CHECK(table.print(Format::table) == "trial  loss\n");
    CHECK(table.print(Format::json) == "[]\n");
    CHECK(table.print(Format::csv) == "trial,loss\n");
}

TEST_CASE("a column without any value is left out for people, unless the table has no rows") {
    Table table({"trial", "cost", "job"});
    table.add_row({std::int64_t{1}, {}, {}});
    table.add_row({std::int64_t{2}, {}, "57"});

    CHECK(table.without_empty_columns().print(Format::table) ==
          "trial  job\n"
          "    1  -\n"
          "    2  57\n");
    CHECK(Table({"trial", "cost"}).without_empty_columns().columns().size() == 2);  // no rows
}

TEST_CASE("JSON has one object per row, with every key and exact numbers") {
    CHECK(trials().print(Format::json) ==
          "[\n"
          "  {\"trial\":3,\"status\":\"running\",\"loss\":0.123456789},\n"
          "  {\"trial\":12,\"status\":\"größer\",\"loss\":null}\n"
          "]\n");
}

TEST_CASE("rows as JSON values equal the rows in the JSON text") {
    CHECK(trials().rows_json() == OrderedJson::parse(trials().print(Format::json)));
    CHECK(Table({"trial", "loss"}).rows_json() == OrderedJson::array());
}

TEST_CASE("CSV has exact numbers, and an empty field for a missing value") {
    CHECK(trials().print(Format::csv) ==
          "trial,status,loss\n"
          "3,running,0.123456789\n"
          "12,größer,\n");
}

TEST_CASE("CSV quotes commas, quotes and line breaks") {
    Table table({"a,b", "c"});
    table.add_row({R"(say "yes")", "two\nlines"});

    CHECK(table.print(Format::csv) == "\"a,b\",c\n\"say \"\"yes\"\"\",\"two\nlines\"\n");
}

TEST_CASE("a number that is not finite is null in JSON") {
    Table table({"x"});
    table.add_row({std::numeric_limits<double>::quiet_NaN()});

    CHECK(table.print(Format::json) == "[\n  {\"x\":null}\n]\n");
    CHECK(table.rows_json()[0].at("x").is_null());
}

TEST_CASE("characters that control a terminal are escaped in tables and in CSV") {
    Table table({"name"});
    table.add_row({"a\x1b[31mred\x7f \xc2\x9bä"});

    CHECK(table.print(Format::table) == "name\na\\x1b[31mred\\x7f \\x9bä\n");
    CHECK(table.print(Format::csv) == "name\na\\x1b[31mred\\x7f \\x9bä\n");
    CHECK(Table({"a\x1b[31m\nb"}).print(Format::table) == "a\\x1b[31m b\n");
}
