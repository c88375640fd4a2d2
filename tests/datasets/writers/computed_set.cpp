#include "datasets/writers/computed_set.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "datasets/inspection/inspect.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;

TEST_CASE("a computed set without targets has none, and counts its progress in samples") {
    const TemporaryFolder folder;
    std::int64_t last = 0;
    ComputedSet set{.num_samples = 10, .input_shape = {2, 3}};
    set.compute = [](std::int64_t i, float* inputs, float*) { std::fill_n(inputs, 6, static_cast<float>(i)); };

    write_computed_set((folder / "set.h5").string() + ":/a", set, /*num_threads=*/2,
                       {.chunk_samples = 1, .progress = [&](std::int64_t done, std::int64_t total) {
                            CHECK((done > last && done <= total && total == 10));
                            last = done;
                        }});

    CHECK(last == 10);
    const auto found = inspect(folder / "set.h5");
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == "/a/inputs");
}

TEST_CASE("a sample that cannot be computed leaves no file") {
    const TemporaryFolder folder;
    ComputedSet set{.num_samples = 10, .input_shape = {1}};
    set.compute = [](std::int64_t i, float*, float*) {
        if (i == 7) {
            throw std::runtime_error("seven");
        }
    };

    CHECK_THROWS_WITH(write_computed_set((folder / "set.h5").string() + ":/", set, 2, {}), "seven");
    CHECK(std::filesystem::is_empty(folder / "."));
}
