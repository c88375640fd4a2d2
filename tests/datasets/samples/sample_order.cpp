#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

// Samples, samples per chunk, windows and shards. The cases: one sample; a chunk larger than the set; one window; even
// and uneven ends; equal and unequal shards; primes.
const auto shapes = std::to_array<SampleOrder::Shape>({{{1, 1}, 1, 1},
                                                       {{7, 10}, 1, 1},
                                                       {{10, 1}, 10, 1},
                                                       {{10, 3}, 4, 1},
                                                       {{10, 3}, 2, 2},
                                                       {{12, 3}, 1, 4},
                                                       {{10, 3}, 1, 3},
                                                       {{101, 7}, 5, 2},
                                                       {{101, 7}, 3, 4},
                                                       {{997, 13}, 4, 16},
                                                       {{997, 13}, 1, 64},
                                                       {{1000, 1}, 1, 1},
                                                       {{1000, 1}, 15, 64}});

}  // namespace

TEST_CASE("every epoch has every sample exactly once") {
    for (const auto& shape : shapes) {
        for (const auto shuffle : {Shuffle::none, Shuffle::windowed}) {
            for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
                CAPTURE(shape.num_samples());
                CAPTURE(shape.chunks.chunk_samples());
                CAPTURE(shape.num_windows);
                CAPTURE(shape.num_shards);
                CAPTURE(epoch);

                auto samples = whole_epoch(SampleOrder(shape, shuffle, /*seed=*/3, epoch));

                std::sort(samples.begin(), samples.end());
                CHECK(samples == file_order(shape.num_samples()));
            }
        }
    }
}

TEST_CASE("the sweep's seed orders the chunks, and the trial's seed shuffles the samples of a window") {
    const auto first_window = [](const SampleOrder::Shape& shape, std::uint64_t sweep, std::uint64_t trial) {
        return SampleOrder(shape, Shuffle::windowed, {sweep, trial}, /*epoch=*/1).window(0);
    };
    const SampleOrder::Shape several{{997, 13}, 4, 16};
    const SampleOrder::Shape one{{997, 13}, 1, 1};  // all chunks are in the window

    CHECK(first_window(several, 3, 5).chunks == first_window(several, 3, 6).chunks);
    CHECK(first_window(several, 3, 5).chunks != first_window(several, 4, 5).chunks);
    CHECK(first_window(one, 3, 5).samples == first_window(one, 4, 5).samples);
    CHECK(first_window(one, 3, 5).samples != first_window(one, 3, 6).samples);
}

TEST_CASE("without a shuffle an epoch is in file order") {
    const SampleOrder order({{10, 3}, 2, 1}, Shuffle::none, 3, 1);

    CHECK(whole_epoch(order) == file_order(10));
}

TEST_CASE("an order over a range has the samples of the range, even if it begins and ends inside chunks") {
    const SampleOrder::Shape range{.chunks = {1000, 5}, .num_windows = 2, .samples = {13, 30}};
    CHECK(range.num_chunks() == 4);  // the first holds 2 of the samples
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
        CAPTURE(shape.num_samples());

        for (std::int64_t index = 0; index < order.num_windows(); ++index) {
            const auto window = order.window(index);
            CHECK(order.window_at(window.first_position) == index);
            CHECK(order.window_at(window.first_position + std::ssize(window.samples) - 1) == index);
        }
    }
}

TEST_CASE("a window needs only its own chunks, and a sample only the chunks of its shard") {
    for (const auto& shape : shapes) {
        const SampleOrder order(shape, Shuffle::windowed, 3, 0);
        std::vector<std::int64_t> all;
        for (std::int64_t index = 0; index < order.num_windows(); ++index) {
            const auto window = order.window(index);

            REQUIRE(std::ssize(window.chunks) == shape.num_shards);
            std::int64_t num_chunks = 0;
            for (const auto& chunks : window.chunks) {
                CHECK(std::is_sorted(chunks.begin(), chunks.end()));
                num_chunks += std::ssize(chunks);
                all.insert(all.end(), chunks.begin(), chunks.end());
            }
            CHECK(num_chunks <= shape.window_chunks());
            REQUIRE(window.shards.size() == window.samples.size());
            for (std::size_t i = 0; i < window.samples.size(); ++i) {
                const auto& chunks = window.chunks[window.shards[i]];
                CHECK(
                    std::binary_search(chunks.begin(), chunks.end(), window.samples[i] / shape.chunks.chunk_samples()));
            }
        }
        std::sort(all.begin(), all.end());
        CHECK(all == file_order(shape.num_chunks()));
    }
}

TEST_CASE("a shard has the same adjacent chunks in every epoch, and shards differ by at most one chunk") {
    const SampleOrder::Shape shape{{997, 13}, 4, 16};  // 77 chunks: 13 shards of 5, and 3 of 4
    for (int epoch = 0; epoch < 4; ++epoch) {
        std::vector<std::vector<std::int64_t>> shards(16);
        const SampleOrder order(shape, Shuffle::windowed, 3, epoch);
        for (std::int64_t index = 0; index < order.num_windows(); ++index) {
            const auto window = order.window(index);
            for (std::size_t i = 0; i < shards.size(); ++i) {
                shards[i].insert(shards[i].end(), window.chunks[i].begin(), window.chunks[i].end());
            }
        }
        std::int64_t next = 0;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            std::sort(shards[i].begin(), shards[i].end());
            CHECK(std::ssize(shards[i]) == (i < 13 ? 5 : 4));
            CHECK(shards[i].front() == next);
            next = shards[i].back() + 1;
        }
    }
}

TEST_CASE("every run of positions has samples of each shard in proportion to the shard's size") {
    // 16 chunks of 10 samples per shard, no remainder: any 8 positions from a multiple of 8 on have one of each shard.
    const SampleOrder even({{8 * 16 * 10, 10}, 4, 8}, Shuffle::windowed, 3, 0);
    for (std::int64_t index = 0; index < even.num_windows(); ++index) {
        const auto window = even.window(index);
        for (std::size_t i = 0; i < window.shards.size(); ++i) {
            CHECK(window.shards[i] == i % 8);
        }
    }
    // 77 chunks in 16 shards, and the last chunk is short: any 160 positions have samples of each shard in proportion
    // to its chunks in the window.
    const SampleOrder uneven({{997, 13}, 2, 16}, Shuffle::windowed, 3, 0);
    for (std::int64_t index = 0; index < uneven.num_windows(); ++index) {
        const auto window = uneven.window(index);
        for (std::size_t begin = 0; begin + 160 <= window.shards.size(); begin += 7) {
            for (std::uint8_t shard = 0; shard < 16; ++shard) {
                const auto from = window.shards.begin() + static_cast<std::ptrdiff_t>(begin);
                const auto here = static_cast<double>(std::count(from, from + 160, shard));
                const auto all = static_cast<double>(std::count(window.shards.begin(), window.shards.end(), shard));
                CHECK(std::abs(here - 160 * all / static_cast<double>(window.shards.size())) < 2.5);
            }
        }
    }
}

TEST_CASE("a window can be computed without the windows before it") {
    const SampleOrder one({{101, 7}, 5, 2}, Shuffle::windowed, 3, 4);
    const SampleOrder other({{101, 7}, 5, 2}, Shuffle::windowed, 3, 4);

    for (std::int64_t index = 0; index < one.num_windows(); ++index) {
        one.window(index);
    }

    CHECK(one.window(2).samples == other.window(2).samples);
}

TEST_CASE("another seed, epoch or window gives another order") {
    const SampleOrder::Shape one_window{{100, 10}, 1};
    const auto samples = whole_epoch(SampleOrder(one_window, Shuffle::windowed, 3, 0));

    CHECK(samples != file_order(100));
    CHECK(samples != whole_epoch(SampleOrder(one_window, Shuffle::windowed, 4, 0)));
    CHECK(samples != whole_epoch(SampleOrder(one_window, Shuffle::windowed, 3, 1)));

    // Two windows of one chunk each: relative to their chunk, their orders differ.
    const SampleOrder two({{40, 20}, 2}, Shuffle::windowed, 3, 0);
    auto first = two.window(0);
    auto second = two.window(1);
    for (auto* window : {&first, &second}) {
        for (auto& sample : window->samples) {
            sample -= window->chunks[0][0] * 20;
        }
    }
    CHECK(first.samples != second.samples);
}

TEST_CASE("chunks are visited in another order in every epoch") {
    const auto chunk_order = [](std::int64_t epoch) {
        const SampleOrder order({{50, 1}, 50}, Shuffle::windowed, 3, epoch);
        return whole_epoch(order);  // chunks of one sample: the samples are the chunks
    };

    CHECK(chunk_order(0) != chunk_order(1));
    CHECK(chunk_order(0) != file_order(50));
}

TEST_CASE("one window over all chunks is a full shuffle") {
    // Each sample's mean position over 2,000 epochs is (10 - 1)/2 = 4.5; its standard error 2.87/sqrt(2000) = 0.064.
    std::array<double, 10> sum{};
    for (std::int64_t epoch = 0; epoch < 2000; ++epoch) {
        const auto samples = whole_epoch(SampleOrder({{10, 4}, 1}, Shuffle::windowed, 1, epoch));
        for (std::size_t position = 0; position < samples.size(); ++position) {
            sum[samples[position]] += static_cast<double>(position);
        }
    }

    for (const auto total : sum) {
        CHECK(total / 2000 == doctest::Approx(4.5).epsilon(0.07));  // 5 standard errors
    }
}

TEST_CASE("an order is the same on every machine") {
    // From a second implementation, in Python.
    CHECK(whole_epoch(SampleOrder({{8, 2}, 2, 1}, Shuffle::windowed, /*seed=*/1, /*epoch=*/0)) ==
          std::vector<std::int64_t>{4, 1, 5, 0, 3, 2, 6, 7});
    CHECK(whole_epoch(SampleOrder({{9, 2}, 2, 1}, Shuffle::windowed, /*seed=*/1, /*epoch=*/5)) ==
          std::vector<std::int64_t>{8, 6, 7, 3, 5, 1, 0, 4, 2});
    CHECK(whole_epoch(SampleOrder({{21, 2}, 2, 4}, Shuffle::windowed, /*seed=*/1, /*epoch=*/5)) ==
          std::vector<std::int64_t>{1, 11, 0, 7, 15, 18, 4, 10, 5, 6, 14, 19, 17, 3, 8, 16, 13, 2, 9, 12, 20});
}
