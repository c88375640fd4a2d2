#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "datasets/samples/sample_order.hpp"

using namespace crescendo::datasets;

namespace {

std::vector<std::int64_t> whole_epoch(const SampleOrder& order) {
    std::vector<std::int64_t> samples;
    for (std::int64_t index = 0; index < order.num_windows(); ++index) {
        const auto window = order.window(index);
        CHECK(window.first_position == std::ssize(samples));
        samples.insert(samples.end(), window.samples.begin(), window.samples.end());
    }
    return samples;
}

std::vector<std::int64_t> file_order(std::int64_t num_samples) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(num_samples));
    std::iota(samples.begin(), samples.end(), 0);
    return samples;
}

// One sample; a chunk larger than the set; a window larger than the set; even and uneven ends; primes.
constexpr auto shapes = std::to_array<SampleOrder::Shape>({{1, 1, 1},
                                                           {1, 10, 10},
                                                           {7, 10, 1},
                                                           {10, 1, 1},
                                                           {10, 3, 1},
                                                           {10, 3, 2},
                                                           {12, 3, 2},
                                                           {10, 3, 100},
                                                           {101, 7, 3},
                                                           {997, 13, 5},
                                                           {1000, 1, 1000}});

}  // namespace

TEST_CASE("every epoch has every sample exactly once") {
    for (const auto& shape : shapes) {
        for (const auto shuffle : {Shuffle::none, Shuffle::windowed}) {
            for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
                CAPTURE(shape.num_samples);
                CAPTURE(shape.chunk_samples);
                CAPTURE(shape.window_chunks);
                CAPTURE(epoch);

                auto samples = whole_epoch(SampleOrder(shape, shuffle, /*seed=*/3, epoch));

                std::sort(samples.begin(), samples.end());
                CHECK(samples == file_order(shape.num_samples));
            }
        }
    }
}

TEST_CASE("without a shuffle an epoch is in file order") {
    const SampleOrder order({10, 3, 2}, Shuffle::none, 3, 1);

    CHECK(whole_epoch(order) == file_order(10));
}

TEST_CASE("an order over a range has its samples, also where it begins and ends inside chunks") {
    const SampleOrder::Shape range{.num_samples = 17, .chunk_samples = 5, .window_chunks = 2, .first_sample = 13};
    CHECK(range.num_chunks() == 4);  // of which the first holds 2 of the samples
    CHECK(whole_epoch(SampleOrder(range, Shuffle::none, 3, 0)).front() == 13);
    for (int epoch = 0; epoch < 20; ++epoch) {
        const SampleOrder order(range, Shuffle::windowed, 3, epoch);
        auto samples = whole_epoch(order);
        for (std::int64_t position = 0; position < 17; ++position) {
            const auto window = order.window(order.window_at(position));
            CHECK(position >= window.first_position);
            CHECK(position < window.first_position + std::ssize(window.samples));
        }
        std::sort(samples.begin(), samples.end());
        CHECK(samples.front() == 13);
        CHECK(samples.back() == 29);
        CHECK(std::adjacent_find(samples.begin(), samples.end()) == samples.end());
        CHECK(samples.size() == 17);
    }
}

TEST_CASE("a position is found in the window that holds it") {
    for (const auto& shape : shapes) {
        const SampleOrder order(shape, Shuffle::windowed, 3, 2);
        CAPTURE(shape.num_samples);

        for (std::int64_t index = 0; index < order.num_windows(); ++index) {
            const auto window = order.window(index);
            CHECK(order.window_at(window.first_position) == index);
            CHECK(order.window_at(window.first_position + std::ssize(window.samples) - 1) == index);
        }
    }
}

TEST_CASE("a window needs its own chunks only") {
    const SampleOrder order({101, 7, 3}, Shuffle::windowed, 3, 0);

    for (std::int64_t index = 0; index < order.num_windows(); ++index) {
        const auto window = order.window(index);

        CHECK(window.chunks.size() <= 3);
        CHECK(std::is_sorted(window.chunks.begin(), window.chunks.end()));
        for (const auto sample : window.samples) {
            CHECK(std::binary_search(window.chunks.begin(), window.chunks.end(), sample / 7));
        }
    }
}

TEST_CASE("a window can be had without those before it") {
    const SampleOrder one({101, 7, 3}, Shuffle::windowed, 3, 4);
    const SampleOrder other({101, 7, 3}, Shuffle::windowed, 3, 4);

    for (std::int64_t index = 0; index < one.num_windows(); ++index) {
        one.window(index);
    }

    CHECK(one.window(2).samples == other.window(2).samples);
}

TEST_CASE("another seed, epoch or window gives another order") {
    const SampleOrder::Shape one_window{100, 10, 10};
    const auto samples = whole_epoch(SampleOrder(one_window, Shuffle::windowed, 3, 0));

    CHECK(samples != file_order(100));
    CHECK(samples != whole_epoch(SampleOrder(one_window, Shuffle::windowed, 4, 0)));
    CHECK(samples != whole_epoch(SampleOrder(one_window, Shuffle::windowed, 3, 1)));

    // Two windows of one chunk each: relative to their chunk, their orders differ.
    const SampleOrder two({40, 20, 1}, Shuffle::windowed, 3, 0);
    auto first = two.window(0);
    auto second = two.window(1);
    for (auto* window : {&first, &second}) {
        for (auto& sample : window->samples) {
            sample -= window->chunks[0] * 20;
        }
    }
    CHECK(first.samples != second.samples);
}

TEST_CASE("chunks are visited in another order in every epoch") {
    const auto chunk_order = [](std::int64_t epoch) {
        const SampleOrder order({50, 1, 1}, Shuffle::windowed, 3, epoch);
        return whole_epoch(order);  // chunks of one sample: the samples are the chunks
    };

    CHECK(chunk_order(0) != chunk_order(1));
    CHECK(chunk_order(0) != file_order(50));
}

TEST_CASE("one window over all chunks is a full shuffle") {
    // Each sample's mean position over 2,000 epochs is (10 - 1)/2 = 4.5; its standard error 2.87/sqrt(2000) = 0.064.
    std::array<double, 10> sum{};
    for (std::int64_t epoch = 0; epoch < 2000; ++epoch) {
        const auto samples = whole_epoch(SampleOrder({10, 4, 3}, Shuffle::windowed, 1, epoch));
        for (std::size_t position = 0; position < samples.size(); ++position) {
            sum[samples[position]] += static_cast<double>(position);
        }
    }

    for (const auto total : sum) {
        CHECK(total / 2000 == doctest::Approx(4.5).epsilon(0.07));  // 5 standard errors
    }
}

TEST_CASE("an order is the same on every machine") {
    // From a second implementation of Philox, in Python.
    CHECK(whole_epoch(SampleOrder({8, 2, 2}, Shuffle::windowed, /*seed=*/1, /*epoch=*/0)) ==
          std::vector<std::int64_t>{4, 1, 5, 0, 3, 2, 6, 7});
    CHECK(whole_epoch(SampleOrder({9, 2, 2}, Shuffle::windowed, /*seed=*/1, /*epoch=*/5)) ==
          std::vector<std::int64_t>{8, 6, 7, 5, 0, 1, 4, 3, 2});
}
