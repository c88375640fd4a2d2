#include "datasets/inspection/bench.hpp"

#include <doctest/doctest.h>

#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("a set is measured cold and warm for each number of threads") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 1000, 100);
    const auto several = write_counting_files(folder.path(), {300, 700}, 100);

    for (const auto& [set, bytes] :
         {std::pair{location, 1}, {location, 5000}, {location, 1 << 30}, {several, 5000}, {several, 1 << 30}}) {
        const auto results = bench(set, {1, 3}, static_cast<std::uint64_t>(bytes));

        REQUIRE(results.size() == 4);
        CHECK(results[0].threads == 1);
        CHECK(results[0].cache == Throughput::Cache::cold);
        CHECK(results[3].threads == 3);
        CHECK(results[3].cache == Throughput::Cache::warm);
        for (const auto& result : results) {
            CHECK(result.elements > 0);
            CHECK(result.raw > 0);
        }
    }
    CHECK(complaint_of([&] { bench(location, {0}, 1); }) == Contains("0 threads cannot read"));
    CHECK(bench(location, {1}, 1, {"targets"}).front().elements > 0);
    CHECK(complaint_of([&] { bench(location, {1}, 1, {"t"}); }) == Contains("has no data set /train/t"));
}
