#include "datasets/readers/filter_pipeline.hpp"

#include <cstring>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

// https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md
enum FilterId { deflate = 1, shuffle = 2, fletcher32 = 3, lzf = 32000, blosc = 32001, lz4 = 32004, zstd = 32015 };

bool compresses(int id) { return id != shuffle && id != fletcher32; }

/// Whether `stage` was applied to a chunk, according to the chunk's `mask`. There are at most 32 stages.
bool is_active(std::size_t stage, std::uint32_t mask) { return (mask >> stage & 1) == 0; }

void undo(const FilterPipeline::Stage& stage, std::span<const std::byte> in, std::span<std::byte> out,
          codecs::Inflater& inflater) {
    switch (stage.id) {
        case deflate:
            return inflater.decode(in, out);
        case shuffle:
            return codecs::unshuffle(in, out, stage.parameters[0]);
        case lzf:
            return codecs::decode_lzf(in, out);
#ifdef CRESCENDO_BLOSC
        case blosc:
            return codecs::decode_blosc(in, out);
#endif
#ifdef CRESCENDO_LZ4
        case lz4:
            return codecs::decode_lz4(in, out);
#endif
#ifdef CRESCENDO_ZSTD
        case zstd:
            return codecs::decode_zstd(in, out);
#endif
        default:
            CRESCENDO_EXPECT(!"knows() let this filter in");
    }
}

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

/// Number of stages of this kind before `stage` that were applied to the chunk. Checksums only append bytes.
std::size_t FilterPipeline::num_before(std::size_t stage, std::uint32_t mask, Kind kind) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < stage; ++k) {
        const auto its_kind = stages_[k].id == fletcher32 ? Kind::checksum : Kind::transform;
        count += is_active(k, mask) && its_kind == kind ? 1 : 0;
    }
    return count;
}

void FilterPipeline::decode(std::span<const std::byte> stored, std::uint32_t mask, std::span<std::byte> chunk,
                            Scratch& scratch) const {
    CRESCENDO_EXPECT(chunk.size() == chunk_bytes_);
    auto bytes = stored;
    std::size_t buffer = 0;
    for (std::size_t k = stages_.size(); k-- > 0;) {
        if (!is_active(k, mask)) {
            continue;
        }
        if (stages_[k].id == fletcher32) {
            bytes = codecs::verify_fletcher32(bytes);
            continue;
        }
        const auto checksums = 4 * num_before(k, mask, Kind::checksum);
        const auto size = compresses(stages_[k].id) ? chunk_bytes_ + checksums : bytes.size();
        const bool last = num_before(k, mask, Kind::transform) == 0 && size == chunk.size();
        buffer = 1 - buffer;
        const auto out = last ? chunk : scratch.stages[buffer].of(size);
        undo(stages_[k], bytes, out, scratch.inflater);
        bytes = out;
    }
    if (bytes.size() != chunk.size()) {
        throw DamagedFile(text("it has {} bytes instead of {}", bytes.size(), chunk.size()));
    }
    if (bytes.data() != chunk.data()) {
        std::memcpy(chunk.data(), bytes.data(), chunk.size());
    }
}

}  // namespace crescendo::datasets
