#include "launch/display/table_query.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "core/check.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

using Rows = std::vector<std::size_t>;

/// name, number, share: "b" has no number, and the share of "c" is NaN.
Table table() {
    Table table({"name", "number", "share"});
    table.add_row({std::string("a"), std::int64_t{2}, 0.5});
    table.add_row({std::string("b"), {}, 2.0});
    table.add_row({std::string("c"), std::int64_t{1}, std::numeric_limits<double>::quiet_NaN()});
    return table;
}

Rows find(const TableQuery& query, const ColumnFacts& facts = {}) { return find_rows(table(), query, facts); }

std::string error_of(const TableQuery& query, const ColumnFacts& facts = {}) {
    return tests::error_of([&] { find(query, facts); });
}

}  // namespace

TEST_CASE("a condition that depends on a missing value or on NaN leaves the row out") {
    CHECK(find({"number < 3", {}, {}, {}}) == Rows{0, 2});
    CHECK(find({"share < 3", {}, {}, {}}) == Rows{0, 1});
    CHECK(find({"number < 3 or name == 'b'", {}, {}, {}}) == Rows{0, 1, 2});
    CHECK(find({"", {}, {}, {}}) == Rows{0, 1, 2});
}

TEST_CASE("an invalid sort order is not mistaken for a part of the column's name") {
    CHECK(error_of({"", {"share:down"}, {}, {}}) == "--sort: share:down ends in :down; write :asc or :desc");
    CHECK(error_of({"", {"shar:down"}, {}, {}}).starts_with("--sort: there is no column 'shar:down'"));
}

TEST_CASE(
    "missing values and NaN sort last in either direction, and some columns sort in descending order by default") {
    CHECK(find({"", {"number"}, {}, {}}) == Rows{2, 0, 1});
    CHECK(find({"", {"number:desc"}, {}, {}}) == Rows{0, 2, 1});
    CHECK(find({"", {"share"}, {}, 1}) == Rows{0});
    CHECK(find({"", {"share"}, {}, {}}, {{}, {"share"}}) == Rows{1, 0, 2});
    CHECK(find({"", {"share:asc"}, {}, {}}, {{}, {"share"}}) == Rows{0, 1, 2});
}

TEST_CASE("a word that a column can never hold is an error at its character, but a possible word is not") {
    const ColumnFacts facts{{{"name", {Value(std::string("a")), Value(std::string("z"))}}}, {}};

    CHECK(find({"name == 'z'", {}, {}, {}}, facts).empty());
    CHECK(error_of({"name == 'q'", {}, {}, {}}, facts).find("--where, character 9: name is never q") == 0);
}

TEST_CASE("the mark under a condition stands below the character, not below the byte") {
    CHECK(error_of({"name == 'ñ' and y", {}, {}, {}}).find("\n  name == 'ñ' and y\n                  ^") !=
          std::string::npos);
}

TEST_CASE("columns are picked in the requested order") {
    CHECK(pick(table(), {2, 0}, {"number", "name"}).print(Format::csv) == "number,name\n1,c\n2,a\n");
    CHECK(pick(table(), {0}, {}).columns() == table().columns());
    CHECK_THROWS_AS(pick(table(), {}, {"nam"}), InvalidInput);
}
