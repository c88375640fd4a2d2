#include "datasets/samples/chunk_map.hpp"

#include <doctest/doctest.h>

using namespace crescendo::datasets;

TEST_CASE("the last chunk of a set may be short") {
    const ChunkMap chunks(10, 4);

    CHECK(chunks.num_samples() == 10);
    CHECK(chunks.num_chunks() == 3);
    CHECK(chunks.samples_of(0) == Range{0, 4});
    CHECK(chunks.samples_of(2) == Range{8, 10});
    CHECK(chunks.chunk_of(9) == 2);
}

TEST_CASE("no chunk reaches from one file into the next") {
    const ChunkMap chunks({7, 3, 8, 1}, 4);

    CHECK(chunks.num_samples() == 19);
    REQUIRE(chunks.num_chunks() == 6);
    std::vector<Range> ranges;
    for (std::int64_t chunk = 0; chunk < 6; ++chunk) {
        ranges.push_back(chunks.samples_of(chunk));
    }
    CHECK(ranges == std::vector<Range>{{0, 4}, {4, 7}, {7, 10}, {10, 14}, {14, 18}, {18, 19}});
    for (std::int64_t sample = 0; sample < 19; ++sample) {
        const auto range = chunks.samples_of(chunks.chunk_of(sample));
        CHECK(range.begin <= sample);
        CHECK(sample < range.end);
    }
    CHECK(chunks.file_of(9) == 1);
    CHECK(chunks.file_of(10) == 2);
    CHECK(chunks.samples_of_file(2) == Range{10, 18});
}
