#include "datasets/readers/row_runs.hpp"

#include <span>

namespace crescendo::datasets {
namespace {

/// Adds the runs of a box with axes of these `lengths`; `ranges` are the wanted indices of each.
void add_runs(std::span<const std::int64_t> lengths, std::span<const Range> ranges, std::uint64_t offset,
              std::size_t element_bytes, std::vector<RowRun>& runs) {
    if (lengths.empty()) {
        const bool continues = !runs.empty() && runs.back().offset + runs.back().bytes == offset;
        if (continues) {
            runs.back().bytes += element_bytes;
        } else {
            runs.push_back({offset, element_bytes});
        }
        return;
    }
    std::size_t inner = element_bytes;
    bool whole = true;  // whether all inner axes are taken whole
    for (std::size_t axis = 1; axis < lengths.size(); ++axis) {
        inner *= static_cast<std::size_t>(lengths[axis]);
        whole = whole && ranges[axis] == Range{0, lengths[axis]};
    }
    const auto begin = offset + static_cast<std::uint64_t>(ranges[0].begin) * inner;
    if (whole) {
        return add_runs({}, {}, begin, static_cast<std::size_t>(ranges[0].size()) * inner, runs);
    }
    for (std::int64_t i = 0; i < ranges[0].size(); ++i) {
        add_runs(lengths.subspan(1), ranges.subspan(1), begin + static_cast<std::uint64_t>(i) * inner, element_bytes,
                 runs);
    }
}

}  // namespace

std::vector<RowRun> row_runs(const Field& field) {
    std::vector<RowRun> runs;
    if (field.part) {
        add_runs(field.part->row, field.part->ranges, 0, size_of(field.type), runs);
    } else {
        runs.push_back({0, field.sample_bytes()});
    }
    return runs;
}

}  // namespace crescendo::datasets
