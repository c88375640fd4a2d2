#include "datasets/samples/sample_order.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"

namespace crescendo::datasets {
namespace {

/// Random numbers for one purpose. In each shard of an epoch, stream 0 shuffles the chunks, and stream w + 1 shuffles
/// the samples of window w. Epochs below 2^24, shards below 2^8 and windows below 2^32 never share a stream. The
/// constant ("samples" in ASCII) keeps other users of the seeds apart.
CounterRandom random_numbers(std::uint64_t seed, std::int64_t epoch, std::int64_t shard, std::int64_t stream) {
    CRESCENDO_EXPECT(epoch >= 0 && epoch < std::int64_t{1} << 24);
    CRESCENDO_EXPECT(shard >= 0 && shard < std::int64_t{1} << 8);
    CRESCENDO_EXPECT(stream >= 0 && stream < std::int64_t{1} << 32);
    return {seed ^ 0x73616D706C6573ULL, static_cast<std::uint64_t>(epoch) << 40 |
                                            static_cast<std::uint64_t>(shard) << 32 |
                                            static_cast<std::uint64_t>(stream)};
}

void permute(std::span<std::int64_t> values, CounterRandom random) {
    for (std::size_t left = values.size(); left > 1; --left) {
        std::swap(values[left - 1], values[random.below(left)]);
    }
}

/// Takes from all queues in turn, so that they end together: skips a queue shorter than the longest at regular
/// intervals.
SampleOrder::Window interleave(const std::vector<std::vector<std::int64_t>>& queues) {
    SampleOrder::Window window;
    std::size_t rounds = 0;
    std::size_t total = 0;
    for (const auto& queue : queues) {
        rounds = std::max(rounds, queue.size());
        total += queue.size();
    }
    window.samples.reserve(total);
    window.shards.reserve(total);
    std::vector<std::size_t> taken(queues.size());
    std::vector<std::size_t> due(queues.size());  // fractions of a sample, in units of 1 / rounds
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < queues.size(); ++i) {
            due[i] += queues[i].size();
            if (due[i] >= rounds) {
                due[i] -= rounds;
                window.samples.push_back(queues[i][taken[i]++]);
                window.shards.push_back(static_cast<std::uint8_t>(i));
            }
        }
    }
    return window;
}

}  // namespace

std::int64_t SampleOrder::Shape::num_chunks() const { return chunks.chunk_of(samples.end - 1) + 1 - first_chunk(); }

std::int64_t SampleOrder::Shape::window_chunks() const {
    const auto longer_shards = num_chunks() % num_shards;
    return num_shards * ceil_div(num_chunks() / num_shards, num_windows) + ceil_div(longer_shards, num_windows);
}

SampleOrder::SampleOrder(Shape shape, Shuffle shuffle, OrderSeed seed, std::int64_t epoch)
    : shape_(std::move(shape)), shuffle_(shuffle), seed_(seed), epoch_(epoch) {
    const auto num_chunks = shape_.num_chunks();
    CRESCENDO_EXPECT(shape_.num_samples() >= 1 && shape_.samples.begin >= 0);
    CRESCENDO_EXPECT(shape_.num_shards >= 1 && shape_.num_shards <= std::min(num_chunks, most_shards));
    CRESCENDO_EXPECT(shape_.num_windows >= 1 && shape_.num_windows <= num_chunks / shape_.num_shards);
    chunk_order_.resize(static_cast<std::size_t>(num_chunks));
    std::iota(chunk_order_.begin(), chunk_order_.end(), shape_.first_chunk());
    if (shuffle == Shuffle::windowed) {
        for (std::int64_t i = 0; i < shape_.num_shards; ++i) {
            const auto chunks = shard(i);
            permute(std::span(chunk_order_).subspan(chunks.begin, chunks.size()),
                    random_numbers(seed.sweep, epoch, i, 0));
        }
    }

    std::int64_t position = 0;
    for (std::int64_t window = 0; window < shape_.num_windows; ++window) {
        window_start_.push_back(position);
        for (std::int64_t i = 0; i < shape_.num_shards; ++i) {
            const auto [first, last] = visits(i, window);
            for (auto visit = first; visit < last; ++visit) {
                position += samples_of(chunk_order_[static_cast<std::size_t>(visit)]).size();
            }
        }
    }
    window_start_.push_back(position);
    CRESCENDO_EXPECT(position == shape_.num_samples());
}

/// The chunks of a shard, as positions in the order of chunks. The first shards have one chunk more if the number of
/// chunks is not a multiple of the number of shards.
Range SampleOrder::shard(std::int64_t number) const {
    const auto chunks = shape_.num_chunks() / shape_.num_shards;
    const auto longer = shape_.num_chunks() % shape_.num_shards;
    const auto begin = number * chunks + std::min(number, longer);
    return {begin, begin + chunks + (number < longer ? 1 : 0)};
}

/// The chunks of a shard in a window. All shards divide their common number of chunks the same way, so most windows
/// have equally many samples of each shard. The extra chunks of larger shards are spread over the windows.
Range SampleOrder::visits(std::int64_t shard_number, std::int64_t window) const {
    const auto begin = shard(shard_number).begin;
    const auto common = shape_.num_chunks() / shape_.num_shards;
    const auto longer = shape_.num_chunks() % shape_.num_shards;
    const auto boundary = [&](std::int64_t windows_before) {
        const bool has_more =
            shard_number < longer && windows_before > share_of(shape_.num_windows, shard_number, longer);
        return begin + share_of(common, windows_before, shape_.num_windows) + (has_more ? 1 : 0);
    };
    return {boundary(window), boundary(window + 1)};
}

/// The samples of the range in `chunk`.
Range SampleOrder::samples_of(std::int64_t chunk) const {
    const auto all = shape_.chunks.samples_of(chunk);
    return {std::max(all.begin, shape_.samples.begin), std::min(all.end, shape_.samples.end)};
}

std::int64_t SampleOrder::window_at(std::int64_t position) const {
    CRESCENDO_EXPECT(position >= 0 && position < shape_.num_samples());
    return std::upper_bound(window_start_.begin(), window_start_.end(), position) - window_start_.begin() - 1;
}

SampleOrder::Window SampleOrder::window(std::int64_t index) const {
    CRESCENDO_EXPECT(index >= 0 && index < num_windows());
    std::vector<std::vector<std::int64_t>> chunks;
    std::vector<std::vector<std::int64_t>> samples(static_cast<std::size_t>(shape_.num_shards));
    for (std::int64_t i = 0; i < shape_.num_shards; ++i) {
        const auto [first, last] = visits(i, index);
        auto& of_shard = chunks.emplace_back(chunk_order_.begin() + first, chunk_order_.begin() + last);
        std::sort(of_shard.begin(), of_shard.end());
        auto& numbers = samples[static_cast<std::size_t>(i)];
        for (const auto chunk : of_shard) {
            const auto [begin, end] = samples_of(chunk);
            for (auto sample = begin; sample < end; ++sample) {
                numbers.push_back(sample);
            }
        }
        if (shuffle_ == Shuffle::windowed) {
            permute(numbers, random_numbers(seed_.trial, epoch_, i, index + 1));
        }
    }
    Window window = interleave(samples);
    window.first_position = window_start_[static_cast<std::size_t>(index)];
    window.chunks = std::move(chunks);
    return window;
}

}  // namespace crescendo::datasets
