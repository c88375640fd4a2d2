#include "launch/files/csv_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

#include "core/check.hpp"
#include "core/random.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Content {
    Rows rows;
    std::vector<std::int64_t> lines;
};

/// The columns "a" and "b" of a file.
Content read_text(const std::string& text) {
    const TemporaryFolder folder;
    std::ofstream(folder / "file.csv", std::ios::binary) << text;
    CsvFile file(folder / "file.csv");
    Content content;
    while (file.next()) {
        content.rows.push_back({std::string(file.text(file.column("a"))), std::string(file.text(file.column("b")))});
        content.lines.push_back(file.line());
    }
    return content;
}

std::string error_of(const std::string& text) {
    return tests::error_of([&] { read_text(text); });
}

bool complains(const std::string& text, const std::string& part) {
    const auto error = error_of(text);
    INFO(error);
    const bool found = error.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

}  // namespace

TEST_CASE("columns are found by name in any order, and other columns are ignored") {
    CHECK(read_text("b,x,a\n1,2,3\n4,5,6\n").rows == Rows{{"3", "1"}, {"6", "4"}});
    CHECK(read_text(" a , b\n1,2\n").rows == Rows{{"1", "2"}});
}

TEST_CASE("a quoted field may hold commas, quotes and line ends") {
    const auto content = read_text("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"\nz,5\" pipe\n");

    CHECK(content.rows == Rows{{"x,y", "say \"hi\""}, {"two\nlines", ""}, {"z", "5\" pipe"}});
    CHECK(content.lines == std::vector<std::int64_t>{2, 3, 5});
}

TEST_CASE("lines may end in CRLF, also after quotes and in the header") {
    CHECK(read_text("a,b\r\n1,2\r\n\"3\",\"4\"\r\n").rows == Rows{{"1", "2"}, {"3", "4"}});
    CHECK(read_text("a,\"b\"\r\n1,2\r").rows == Rows{{"1", "2"}});
    CHECK(read_text("a,b\r\n1,\"2\"\r").rows == Rows{{"1", "2"}});
}

TEST_CASE("a byte order mark and empty lines are skipped, and the last line needs no line end") {
    const auto content = read_text("\xEF\xBB\xBF\na,b\n\n1,2\r\n\r\n\n3,4");

    CHECK(content.rows == Rows{{"1", "2"}, {"3", "4"}});
    CHECK(content.lines == std::vector<std::int64_t>{4, 7});
    CHECK(read_text("\xEF\xBB\xBF\"a\",b\n1,2\n").rows == Rows{{"1", "2"}});
    CHECK(read_text("a,b\n").rows.empty());
}

TEST_CASE("empty fields are fields") {
    CHECK(read_text("a,b\n,\n1,\n,2\n").rows == Rows{{"", ""}, {"1", ""}, {"", "2"}});
    CHECK(read_text("a,b\n1,").rows == Rows{{"1", ""}});
}

TEST_CASE("an error names its file and line") {
    CHECK(complains("", "file.csv:1: the file is empty"));
    CHECK(complains("\n\n", "file.csv:1: the file is empty"));
    CHECK(complains("a,c\n1,2\n", "file.csv:1: there is no column 'b'; the first line must name it, but names a, c"));
    CHECK(complains("a;b\n1;2\n", "names a;b; separate fields with commas, and use points in numbers"));
    CHECK(complains("a,b,a\n", "file.csv:1: two columns have the name 'a'"));
    CHECK(complains("a,b\n1,2\n\n1,2,3\n", "file.csv:4: the line has 3 fields but the first line has 2"));
    CHECK(complains("a,b\n1\n", "file.csv:2: the line has 1 fields"));
    CHECK(complains("a,b\n1,\"2\n3,4\n", "file.csv:2: a quote is not closed"));
    CHECK(complains("a,b\n1,\"2\"3\n", "file.csv:2: text follows the closing quote"));
}

TEST_CASE("numbers may have spaces around them, and must be finite or whole where this is required") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file.csv") << "a,b\n 1.5e3\t,-7\nnan,7.5\ninf,9999999999999999999\nx1,\n1x,3 4\n";
    CsvFile file(folder / "file.csv");

    REQUIRE(file.next());
    CHECK(file.finite_number(0) == 1500);
    CHECK(file.whole_number(1) == -7);
    CHECK(file.number(1) == -7);
    int num_rows = 0;
    for (; file.next(); ++num_rows) {
        CHECK_THROWS_AS(file.finite_number(0), InvalidInput);
        CHECK_THROWS_AS(file.whole_number(1), InvalidInput);
        if (num_rows < 2) {
            CHECK_FALSE(std::isfinite(file.number(0)));
        } else {
            CHECK_THROWS_AS(file.number(0), InvalidInput);
        }
    }
    CHECK(num_rows == 4);
}

TEST_CASE("any text written in quotes is read back") {
    const std::string alphabet = "ab,\"\n\r ";
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CounterRandom random(seed, 0);
        Rows rows;
        std::string text = "a,b\n";
        for (auto i = random.below(5); i > 0; --i) {
            auto& row = rows.emplace_back();
            for (const char* end : {",", "\n"}) {
                auto& field = row.emplace_back();
                std::string escaped;
                for (auto j = random.below(6); j > 0; --j) {
                    field += alphabet[random.below(alphabet.size())];
                    escaped += field.back() == '"' ? "\"\"" : std::string(1, field.back());
                }
                text += '"' + escaped + '"' + end;
            }
        }
        CHECK(read_text(text).rows == rows);
    }
}
