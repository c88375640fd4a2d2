#include "datasets/samples/row_map.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace crescendo::datasets;

namespace {

/// All rows that any sample uses.
std::set<std::int64_t> rows_of(const RowMap& map) {
    std::set<std::int64_t> rows;
    for (std::int64_t sample = 0; sample < map.num_samples; ++sample) {
        const auto reach = map.window.length == 0 ? 1 : map.window.length + map.window.horizon;
        for (auto row = map.row_of(sample); row < map.row_of(sample) + reach; ++row) {
            rows.insert(row);
        }
    }
    return rows;
}

/// A random range, range with a step, windows or list in a file with a few hundred rows.
RowMap random_map(std::mt19937& random) {
    const auto from_to = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    RowMap map{.num_samples = from_to(1, 20), .first = from_to(0, 100)};
    switch (from_to(0, 3)) {
        case 0:
            map.step = from_to(1, 12);
            break;
        case 1:
            map.window = {.length = from_to(1, 9), .stride = from_to(1, 12), .horizon = from_to(0, 3)};
            break;
        case 2:
            for (auto row = map.first; std::ssize(map.list) < map.num_samples; row += from_to(1, 9)) {
                map.list.push_back(row);
            }
            break;
        default:
            break;
    }
    return map;
}

}  // namespace

TEST_CASE("a common row of two maps is found if there is one") {
    std::mt19937 random(1);
    int num_common = 0;

    for (int i = 0; i < 20'000; ++i) {
        const auto one = random_map(random);
        const auto other = random_map(random);
        const auto ours = rows_of(one);
        const auto theirs = rows_of(other);
        const bool any = std::any_of(ours.begin(), ours.end(), [&](auto row) { return theirs.contains(row); });

        const auto found = RowMap::common_row(one, other);

        REQUIRE(found.has_value() == any);
        REQUIRE((!found || (ours.contains(*found) && theirs.contains(*found))));
        num_common += any ? 1 : 0;
    }

    CHECK(num_common > 5'000);
    CHECK(num_common < 15'000);
}

TEST_CASE("ranges of very long files are compared without visiting their rows") {
    constexpr std::int64_t many = std::int64_t{1} << 40;
    const RowMap even{.num_samples = many, .step = 2};
    const RowMap odd{.num_samples = many, .first = 1, .step = 2};

    CHECK_FALSE(RowMap::common_row(even, odd));
    CHECK(RowMap::common_row(even, {.num_samples = 5, .first = many}) == many);
    CHECK_FALSE(RowMap::common_row({.num_samples = many}, {.num_samples = many, .first = many}));
}
