#include "datasets/samples/sample_order.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"

namespace crescendo::datasets {
namespace {

/// Stream 0 of an epoch shuffles its chunks, stream w + 1 the samples of window w. Epochs below 2^24 and windows
/// below 2^40 never share a stream; the constant keeps other users of the trial's seed ("samples" in ASCII) apart.
CounterRandom random_numbers(std::uint64_t seed, std::int64_t epoch, std::int64_t stream) {
    CRESCENDO_EXPECT(epoch >= 0 && epoch < std::int64_t{1} << 24);
    CRESCENDO_EXPECT(stream >= 0 && stream < std::int64_t{1} << 40);
    return {seed ^ 0x73616D706C6573ULL, static_cast<std::uint64_t>(epoch) << 40 | static_cast<std::uint64_t>(stream)};
}

void permute(std::span<std::int64_t> values, CounterRandom random) {
    for (std::size_t left = values.size(); left > 1; --left) {
        std::swap(values[left - 1], values[random.below(left)]);
    }
}

std::int64_t ceil_div(std::int64_t numerator, std::int64_t denominator) {
    return numerator / denominator + (numerator % denominator != 0);
}

}  // namespace

std::int64_t SampleOrder::Shape::num_chunks() const {
    return ceil_div(first_sample + num_samples, chunk_samples) - first_chunk();
}
std::int64_t SampleOrder::Shape::num_windows() const { return ceil_div(num_chunks(), window_chunks); }

SampleOrder::SampleOrder(Shape shape, Shuffle shuffle, std::uint64_t seed, std::int64_t epoch)
    : shape_(shape), shuffle_(shuffle), seed_(seed), epoch_(epoch) {
    CRESCENDO_EXPECT(shape.num_samples >= 1 && shape.chunk_samples >= 1 && shape.window_chunks >= 1 &&
                     shape.first_sample >= 0);
    const auto num_chunks = shape.num_chunks();
    chunk_order_.resize(static_cast<std::size_t>(num_chunks));
    std::iota(chunk_order_.begin(), chunk_order_.end(), shape.first_chunk());
    if (shuffle == Shuffle::windowed) {
        permute(chunk_order_, random_numbers(seed, epoch, 0));
    }

    std::int64_t position = 0;
    for (std::int64_t i = 0; i < num_chunks; ++i) {
        if (i % shape.window_chunks == 0) {
            window_start_.push_back(position);
        }
        const auto [begin, end] = samples_of(chunk_order_[static_cast<std::size_t>(i)]);
        position += end - begin;
    }
    window_start_.push_back(shape.num_samples);
}

std::pair<std::int64_t, std::int64_t> SampleOrder::samples_of(std::int64_t chunk) const {
    const auto begin = chunk * shape_.chunk_samples;
    return {std::max(begin, shape_.first_sample),
            std::min(begin + shape_.chunk_samples, shape_.first_sample + shape_.num_samples)};
}

std::int64_t SampleOrder::num_windows() const { return std::ssize(window_start_) - 1; }

std::int64_t SampleOrder::window_at(std::int64_t position) const {
    CRESCENDO_EXPECT(position >= 0 && position < shape_.num_samples);
    return std::upper_bound(window_start_.begin(), window_start_.end(), position) - window_start_.begin() - 1;
}

SampleOrder::Window SampleOrder::window(std::int64_t index) const {
    CRESCENDO_EXPECT(index >= 0 && index < num_windows());
    const auto first_chunk = chunk_order_.begin() + index * shape_.window_chunks;
    const auto num_chunks = std::min<std::int64_t>(shape_.window_chunks, chunk_order_.end() - first_chunk);

    Window window{window_start_[index], {first_chunk, first_chunk + num_chunks}, {}};
    std::sort(window.chunks.begin(), window.chunks.end());
    window.samples.reserve(static_cast<std::size_t>(window_start_[index + 1] - window_start_[index]));
    for (const auto chunk : window.chunks) {
        const auto [begin, end] = samples_of(chunk);
        for (auto sample = begin; sample < end; ++sample) {
            window.samples.push_back(sample);
        }
    }
    if (shuffle_ == Shuffle::windowed) {
        permute(window.samples, random_numbers(seed_, epoch_, index + 1));
    }
    return window;
}

}  // namespace crescendo::datasets
