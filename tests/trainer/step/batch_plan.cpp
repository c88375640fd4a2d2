#include "trainer/step/batch_plan.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

using namespace crescendo::trainer;

namespace {

std::int64_t rounds_of(const std::vector<std::int64_t>& slices, std::int64_t max_samples) {
    return num_rounds(slices, max_samples);
}

}  // namespace

TEST_CASE("the number of rounds depends on the largest slice of the group") {
    CHECK(rounds_of({8}, 8) == 1);
    CHECK(rounds_of({9}, 8) == 2);
    CHECK(rounds_of({4, 12, 0}, 4) == 3);
    CHECK(rounds_of({0, 0}, 4) == 0);
    CHECK(rounds_of({}, 4) == 0);
}

TEST_CASE("a slice that exceeds the limit by a sixteenth does not need another round") {
    CHECK(rounds_of({68}, 64) == 1);
    CHECK(rounds_of({69}, 64) == 2);
    CHECK(rounds_of({16}, 15) == 2);
    CHECK(rounds_of({65, 63}, 64) == 1);
}

TEST_CASE("a slice is cut into equal parts rather than full ones and a remainder") {
    const std::vector<MicroBatch> three_three_four{{0, 3}, {3, 3}, {6, 4}};  // not 4, 4, 2

    CHECK(micro_batches(10, rounds_of({10}, 4)) == three_three_four);
    CHECK(micro_batches(8, 1) == std::vector<MicroBatch>{{.begin = 0, .count = 8}});
}

TEST_CASE("a member takes part in every round of its group, even without samples") {
    CHECK(micro_batches(0, 2) == std::vector<MicroBatch>{{0, 0}, {0, 0}});
    CHECK(micro_batches(1, 2) == std::vector<MicroBatch>{{0, 0}, {0, 1}});
    CHECK(micro_batches(4, 0).empty());
}

TEST_CASE("the micro-batches of a slice are not too large, are not empty and make up the slice") {
    for (std::int64_t samples = 1; samples <= 40; ++samples) {
        for (std::int64_t most = 1; most <= 12; ++most) {
            std::int64_t next = 0;
            for (const auto& [begin, count] : micro_batches(samples, rounds_of({samples}, most))) {
                CHECK(begin == next);
                CHECK(count >= 1);
                CHECK(count <= most);
                next = begin + count;
            }
            CHECK(next == samples);
        }
    }
}

TEST_CASE("the count of a group's micro-batches includes only those with samples") {
    const auto count = [](const std::vector<std::int64_t>& slices, std::int64_t max_samples) {
        return num_micro_batches(slices, num_rounds(slices, max_samples));
    };
    CHECK(count({4, 4, 4}, 4) == 3);
    CHECK(count({6, 6}, 4) == 4);
    CHECK(count({12}, 4) == 3);
    CHECK(count({0, 1, 1}, 4) == 2);
    CHECK(count({3, 3, 4}, 3) == 6);  // two rounds, so the others also cut their slices
    CHECK(count({65, 63}, 64) == 2);  // not 3 for one extra sample
}

TEST_CASE("weighted sums of uneven slices average to the mean over the group") {
    const std::vector<double> losses{1, 2, 3, 4, 5};  // mean 3
    const std::vector<std::vector<double>> slices{{1}, {2, 3}, {4, 5}, {}};
    const double weight = loss_weight(/*group_batch=*/5, /*size=*/4);

    double mean_over_members = 0;
    for (const auto& slice : slices) {
        mean_over_members += weight * std::accumulate(slice.begin(), slice.end(), 0.0) / 4;
    }

    CHECK(mean_over_members == doctest::Approx(3.0));
}
