#include "datasets/filter_pipeline.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

// https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md
enum FilterId { deflate = 1, shuffle = 2, fletcher32 = 3, lzf = 32000, blosc = 32001, lz4 = 32004, zstd = 32015 };

bool compresses(int id) { return id != shuffle && id != fletcher32; }

/// `stage` may be skipped in a chunk; there are at most 32.
bool is_active(std::size_t stage, std::uint32_t mask) { return (mask >> stage & 1) == 0; }

}  // namespace

std::span<std::byte> Buffer::of(std::size_t bytes) {
    if (bytes > capacity_) {
        bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
        capacity_ = bytes;
    }
    return {bytes_.get(), bytes};
}

bool FilterPipeline::knows(int id) {
    switch (id) {
        case deflate:
        case shuffle:
        case fletcher32:
        case lzf:
#ifdef CRESCENDO_BLOSC
        case blosc:
#endif
#ifdef CRESCENDO_LZ4
        case lz4:
#endif
#ifdef CRESCENDO_ZSTD
        case zstd:
#endif
            return true;
        default:
            return false;
    }
}

std::optional<FilterPipeline> FilterPipeline::make(std::vector<Stage> stages, std::size_t chunk_bytes) {
    std::size_t compressions = 0;
    for (const auto& stage : stages) {
        const bool usable = stage.id != shuffle || (!stage.parameters.empty() && stage.parameters[0] > 0);
        if (!knows(stage.id) || !usable) {
            return std::nullopt;
        }
        compressions += compresses(stage.id) ? 1 : 0;
    }
    if (compressions > 1 || stages.size() > 32) {
        return std::nullopt;
    }
    return FilterPipeline(std::move(stages), chunk_bytes);
}

FilterPipeline::FilterPipeline(std::vector<Stage> stages, std::size_t chunk_bytes)
    : stages_(std::move(stages)), chunk_bytes_(chunk_bytes) {}

void FilterPipeline::decode(std::span<const std::byte> stored, std::uint32_t mask, std::span<std::byte> chunk,
                            Scratch& scratch) const {
    CRESCENDO_EXPECT(chunk.size() == chunk_bytes_);
    // What is left to undo below a stage decides where its bytes go, and how many they are.
    std::vector<std::size_t> active;
    std::size_t num_moving = 0;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
        if (is_active(k, mask)) {
            active.push_back(k);
            num_moving += stages_[k].id != fletcher32 ? 1 : 0;
        }
    }

    auto bytes = stored;
    for (; !active.empty(); active.pop_back()) {
        const auto& stage = stages_[active.back()];
        if (stage.id == fletcher32) {
            bytes = codecs::verify_fletcher32(bytes);
            continue;
        }
        --num_moving;
        const auto checksums =
            std::count_if(active.begin(), active.end() - 1, [&](std::size_t k) { return stages_[k].id == fletcher32; });
        const auto size = compresses(stage.id) ? chunk_bytes_ + 4 * static_cast<std::size_t>(checksums) : bytes.size();
        const bool last = num_moving == 0 && size == chunk.size();
        const auto out = last ? chunk : scratch.stages[num_moving % 2].of(size);
        switch (stage.id) {
            case deflate:
                scratch.inflater.decode(bytes, out);
                break;
            case shuffle:
                codecs::unshuffle(bytes, out, stage.parameters[0]);
                break;
            case lzf:
                codecs::decode_lzf(bytes, out);
                break;
#ifdef CRESCENDO_BLOSC
            case blosc:
                codecs::decode_blosc(bytes, out);
                break;
#endif
#ifdef CRESCENDO_LZ4
            case lz4:
                codecs::decode_lz4(bytes, out);
                break;
#endif
#ifdef CRESCENDO_ZSTD
            case zstd:
                codecs::decode_zstd(bytes, out);
                break;
#endif
            default:
                CRESCENDO_EXPECT(!"knows() let this filter in");
        }
        bytes = out;
    }
    if (bytes.size() != chunk.size()) {
        throw std::runtime_error(text("it has {} bytes instead of {}", bytes.size(), chunk.size()));
    }
    if (bytes.data() != chunk.data()) {
        std::memcpy(chunk.data(), bytes.data(), chunk.size());
    }
}

}  // namespace crescendo::datasets
