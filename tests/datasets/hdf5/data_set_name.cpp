#include "datasets/hdf5/data_set_name.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"

using namespace crescendo::datasets;
using crescendo::InvalidInput;
using doctest::Contains;

namespace {

/// Rows of 37 x 721 x 1440.
Field cut(const std::string& text) {
    Field field{.path = "/t", .type = ElementType::f32, .num_samples = 8, .shape = {37, 721, 1440}};
    DataSetName::parse(text).cut(field, "era5.nc:/t");
    return field;
}

}  // namespace

TEST_CASE("a name alone takes whole rows") {
    CHECK(DataSetName::parse("surface/t2m").name == "surface/t2m");
    CHECK_FALSE(cut("t").part);
    CHECK(cut("t").stored_row_bytes() == cut("t").sample_bytes());
}

TEST_CASE("an index removes its axis, and a range shortens it") {
    const auto level = cut("t[:, 3]");
    CHECK(DataSetName::parse("t[:, 3]").name == "t");
    CHECK(level.shape == std::vector<std::int64_t>{721, 1440});
    CHECK(level.part->ranges == std::vector<Range>{{3, 4}, {0, 721}, {0, 1440}});
    CHECK(level.stored_row_bytes() == 37 * level.sample_bytes());
    CHECK(cut("t[:,3:5,:720]").shape == std::vector<std::int64_t>{2, 720, 1440});
    CHECK(cut("t[:, :, 1:, 7]").shape == std::vector<std::int64_t>{37, 720});
    CHECK(cut("t[:]").shape.size() == 3);
}

TEST_CASE("a part outside the rows is refused, and the message says what the rows have") {
    CHECK_THROWS_WITH_AS(cut("t[3]"), Contains("write : for it, as in t[:, 3]"), InvalidInput);
    CHECK_THROWS_WITH_AS(cut("t[:, x]"), Contains("x is not an index"), InvalidInput);
    CHECK_THROWS_WITH_AS(cut("t[:, -1]"), Contains("-1 is not an index"), InvalidInput);
    CHECK_THROWS_WITH_AS(cut("t[:, ]"), Contains("write : for all of it"), InvalidInput);
    CHECK_THROWS_WITH_AS(cut("t[:, 37]"), Contains("era5.nc:/t: axis 1 has the indices 0 to 36"), InvalidInput);
    CHECK_THROWS_WITH_AS(cut("t[:, 5:5]"), Contains("[5, 5) is not a part of them"), InvalidInput);
    CHECK_THROWS_WITH_AS(cut("t[:, 0, 0, 0, 0]"), Contains("has 3 axes besides its rows"), InvalidInput);
}

TEST_CASE("commas inside brackets do not separate names") {
    CHECK(split_names("t[:, 3],z, q[:,1:3]") == std::vector<std::string>{"t[:, 3]", "z", "q[:,1:3]"});
}
