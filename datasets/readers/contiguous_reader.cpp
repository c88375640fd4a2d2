#include "datasets/readers/contiguous_reader.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "datasets/readers/file_bytes.hpp"

namespace crescendo::datasets {
namespace {

/// Largest gap in bytes to read along: an extra call would take longer, and the system reads ahead anyway.
constexpr std::uint64_t short_gap = std::uint64_t{64} << 10;
constexpr std::uint64_t most_read_together = std::uint64_t{4} << 20;

}  // namespace

std::unique_ptr<ContiguousReader> ContiguousReader::make(hid_t data_set, const Field& field, const std::string& name) {
    const auto settings = hdf5::own(H5Dget_create_plist(data_set), text("{} has no properties", name));
    const haddr_t offset = H5Dget_offset(data_set);
    if (H5Pget_layout(settings.get()) != H5D_CONTIGUOUS || H5Pget_external_count(settings.get()) != 0 ||
        offset == HADDR_UNDEF) {
        return nullptr;
    }
    auto file = hdf5::own(H5Iget_file_id(data_set), text("{} has no file", name));  // links may lead to another file
    const int descriptor = hdf5::descriptor(file.get());
    if (descriptor < 0) {
        return nullptr;
    }
    return std::unique_ptr<ContiguousReader>(new ContiguousReader(std::move(file), descriptor, offset, field, name));
}

ContiguousReader::ContiguousReader(hdf5::Handle file, int descriptor, std::uint64_t offset, const Field& field,
                                   std::string name)
    : file_(std::move(file)),
      descriptor_(descriptor),
      offset_(offset),
      row_bytes_(field.stored_row_bytes()),
      runs_(row_runs(field)),
      name_(std::move(name)) {}

void ContiguousReader::read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const {
    read_one_by_one(ranges, out, [this](const Range& samples, std::span<std::byte> part) {
        if (runs_.front().bytes == row_bytes_) {
            read_samples(row_at(samples.begin), part, samples);
        } else {
            read_parts(samples, part);
        }
    });
}

/// Merges runs across rows, so that short gaps between rows are read along as well.
void ContiguousReader::read_parts(Range samples, std::span<std::byte> out) const {
    const auto num_runs = static_cast<std::int64_t>(runs_.size());
    const auto run = [&](std::int64_t number) {
        const auto& in_row = runs_[static_cast<std::size_t>(number % num_runs)];
        return RowRun{row_at(samples.begin + number / num_runs) + in_row.offset, in_row.bytes};
    };
    const auto total = samples.size() * num_runs;
    std::vector<std::byte> scratch;
    for (std::int64_t first = 0; first < total;) {
        const auto begin = run(first).offset;
        auto end = begin + run(first).bytes;
        auto next = first + 1;
        while (next < total && run(next).offset <= end + short_gap &&
               run(next).offset + run(next).bytes <= begin + most_read_together) {
            end = run(next).offset + run(next).bytes;
            ++next;
        }
        const Range rows{samples.begin + first / num_runs, samples.begin + (next - 1) / num_runs + 1};
        if (next == first + 1) {
            read_samples(begin, out.first(end - begin), rows);
            out = out.subspan(end - begin);
        } else {
            scratch.resize(end - begin);
            read_samples(begin, scratch, rows);
            for (auto number = first; number < next; ++number) {
                const auto [offset, bytes] = run(number);
                std::copy_n(scratch.begin() + static_cast<std::ptrdiff_t>(offset - begin), bytes, out.begin());
                out = out.subspan(bytes);
            }
        }
        first = next;
    }
}

/// Reads `out.size()` bytes of these samples.
void ContiguousReader::read_samples(std::uint64_t at, std::span<std::byte> out, Range samples) const {
    const auto message = [&](const std::runtime_error& error) {
        return text("{}: samples {} to {} cannot be read: {}", name_, samples.begin, samples.end - 1, error.what());
    };
    rewording([&] { read_bytes(descriptor_, at, out); }, message);
}

void ContiguousReader::announce_ranges(std::span<const Range> ranges) const {
    const bool mostly_gaps = runs_.size() > 1 || 2 * runs_.front().bytes < row_bytes_;
    if (mostly_gaps && row_bytes_ > short_gap) {
        return;  // a row's wanted parts need few calls, each longer than an announcement
    }
    for (const auto& [begin, end] : ranges) {
        announce_bytes(descriptor_, row_at(begin) + runs_.front().offset,
                       row_at(end - 1) + runs_.back().offset + runs_.back().bytes);
    }
}

std::uint64_t ContiguousReader::row_at(std::int64_t sample) const {
    return offset_ + static_cast<std::uint64_t>(sample) * row_bytes_;
}

}  // namespace crescendo::datasets
