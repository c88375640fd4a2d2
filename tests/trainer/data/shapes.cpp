#include "trainer/data/shapes.hpp"

#include <doctest/doctest.h>

using namespace crescendo::trainer;
using crescendo::datasets::Field;
using crescendo::datasets::Fields;
using Shape = std::vector<std::int64_t>;

namespace {

Shape joined(const std::vector<Shape>& shapes) {
    std::vector<Field> fields(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        fields[i].shape = shapes[i];
    }
    return joined_shape(Fields(fields));
}

}  // namespace

TEST_CASE("fields of equal height and width stack as channels, and other fields form a row of numbers") {
    CHECK(joined({{5}}) == Shape{5});
    CHECK(joined({{8, 6}}) == Shape{8, 6});
    CHECK(joined({{8, 6}, {3, 8, 6}}) == Shape{4, 8, 6});
    CHECK(joined({{8, 6}, {6, 8}}) == Shape{96});
    CHECK(joined({{2}, {}}) == Shape{3});
}

TEST_CASE("images have height and width, and may have channels") {
    CHECK(is_image({8, 6}));
    CHECK(is_image({3, 8, 6}));
    CHECK_FALSE(is_image({8}));
    CHECK_FALSE(is_image({}));
}

TEST_CASE("shapes are printed the way a user writes them") {
    CHECK(shape_text({3, 28, 28}) == "3x28x28");
    CHECK(shape_text({}) == "a single number");
}
