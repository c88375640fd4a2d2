#include "datasets/readers/chunk_grid.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

std::vector<std::size_t> strides(const std::vector<std::int64_t>& lengths, std::size_t element_bytes) {
    std::vector<std::size_t> result(lengths.size(), element_bytes);
    for (std::size_t axis = lengths.size() - 1; axis > 0; --axis) {
        result[axis - 1] = result[axis] * static_cast<std::size_t>(lengths[axis]);
    }
    return result;
}

/// The indices of each axis that are taken.
std::vector<Range> all_ranges(const std::vector<std::int64_t>& extent, const std::vector<Range>& part) {
    CRESCENDO_EXPECT(part.empty() || part.size() + 1 == extent.size());
    std::vector<Range> ranges;
    for (std::size_t axis = 0; axis < extent.size(); ++axis) {
        ranges.push_back(axis == 0 || part.empty() ? Range{0, extent[axis]} : part[axis - 1]);
    }
    return ranges;
}

std::vector<std::int64_t> sizes(const std::vector<Range>& ranges) {
    std::vector<std::int64_t> result;
    for (const auto& range : ranges) {
        result.push_back(range.size());
    }
    return result;
}

std::size_t first_whole_axis(const std::vector<std::int64_t>& extent, const std::vector<std::int64_t>& chunk,
                             const std::vector<Range>& taken) {
    auto axis = extent.size();
    while (axis > 1 && chunk[axis - 1] == extent[axis - 1] && taken[axis - 1].size() == extent[axis - 1]) {
        --axis;
    }
    return axis;
}

}  // namespace

/// The elements that are both in a chunk and in a range of samples, as a range per axis.
struct ChunkGrid::Box {
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
};

ChunkGrid::ChunkGrid(std::vector<std::int64_t> extent, std::vector<std::int64_t> chunk, std::size_t element_bytes,
                     std::vector<Range> part)
    : extent_(std::move(extent)),
      chunk_(std::move(chunk)),
      taken_(all_ranges(extent_, part)),
      chunk_strides_(strides(chunk_, element_bytes)),
      sample_strides_(strides(sizes(taken_), element_bytes)),
      first_whole_axis_(first_whole_axis(extent_, chunk_, taken_)) {
    CRESCENDO_EXPECT(!extent_.empty() && extent_.size() == chunk_.size());
}

std::int64_t ChunkGrid::last_sample(const Offset& offset) const {
    return std::min(first_sample(offset) + chunk_.front(), extent_.front()) - 1;
}

bool ChunkGrid::holds_whole_samples(const Offset& offset) const {
    return first_whole_axis_ == 1 && first_sample(offset) + chunk_.front() <= extent_.front();
}

void ChunkGrid::for_each_chunk(std::int64_t begin, std::int64_t end,
                               const std::function<void(const Offset&)>& visit) const {
    Offset first;  // the first chunk along each axis
    for (std::size_t axis = 0; axis < extent_.size(); ++axis) {
        first.push_back(static_cast<hsize_t>(taken_[axis].begin / chunk_[axis] * chunk_[axis]));
    }
    Offset offset = first;
    for (auto sample = begin / chunk_.front() * chunk_.front(); sample < end; sample += chunk_.front()) {
        offset.front() = static_cast<hsize_t>(sample);
        // Counts like a clock: the last axis changes fastest.
        for (std::size_t axis = extent_.size(); axis > 0;) {
            visit(offset);
            for (axis = extent_.size() - 1; axis > 0; --axis) {
                offset[axis] += static_cast<hsize_t>(chunk_[axis]);
                if (offset[axis] < static_cast<hsize_t>(taken_[axis].end)) {
                    break;
                }
                offset[axis] = first[axis];
            }
        }
    }
}

void ChunkGrid::copy(std::span<const std::byte> chunk, const Offset& offset, std::int64_t begin, std::int64_t end,
                     std::span<std::byte> out) const {
    CRESCENDO_EXPECT(chunk.size() == chunk_bytes());
    CRESCENDO_EXPECT(out.size() == static_cast<std::size_t>(end - begin) * sample_bytes());
    Box box;
    const std::byte* from = chunk.data();
    std::byte* to = out.data();
    for (std::size_t axis = 0; axis < extent_.size(); ++axis) {
        const auto first = static_cast<std::int64_t>(offset[axis]);
        const auto wanted = axis == 0 ? Range{begin, end} : taken_[axis];
        box.begin.push_back(std::max(first, wanted.begin));
        box.end.push_back(std::min(first + chunk_[axis], wanted.end));
        from += static_cast<std::size_t>(box.begin[axis] - first) * chunk_strides_[axis];
        to += static_cast<std::size_t>(box.begin[axis] - wanted.begin) * sample_strides_[axis];
    }
    copy_axis(0, box, from, to);
}

void ChunkGrid::copy_axis(std::size_t axis, const Box& box, const std::byte* from, std::byte* to) const {
    const auto length = static_cast<std::size_t>(box.end[axis] - box.begin[axis]);
    if (axis + 1 >= first_whole_axis_) {  // the inner axes have the same layout on both sides
        std::memcpy(to, from, length * chunk_strides_[axis]);
        return;
    }
    for (std::size_t i = 0; i < length; ++i) {
        copy_axis(axis + 1, box, from + i * chunk_strides_[axis], to + i * sample_strides_[axis]);
    }
}

}  // namespace crescendo::datasets
