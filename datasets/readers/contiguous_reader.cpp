#include "datasets/readers/contiguous_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// Linux cuts an announcement off at the device's read-ahead, 128 KiB unless set otherwise, or largest request.
constexpr std::uint64_t announced_bytes = std::uint64_t{128} << 10;

/// Bytes that nobody wants are read where a call more would take longer, and the system reads ahead anyway.
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
    auto file =
        hdf5::own(H5Iget_file_id(data_set), text("{} has no file", name));  // not always the one asked for: links
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

void ContiguousReader::read(std::int64_t begin, std::int64_t count, std::span<std::byte> out) const {
    if (runs_.front().bytes == row_bytes_) {
        read_bytes(row_at(begin), out, {begin, begin + count});
    } else {
        read_parts({begin, begin + count}, out);
    }
}

/// Runs follow each other over the rows, so that short gaps are read over between rows as well.
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
            read_bytes(begin, out.first(end - begin), rows);
            out = out.subspan(end - begin);
        } else {
            scratch.resize(end - begin);
            read_bytes(begin, scratch, rows);
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
void ContiguousReader::read_bytes(std::uint64_t at, std::span<std::byte> out, Range samples) const {
    while (!out.empty()) {
        const auto got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            const auto reason = got < 0 ? std::system_category().message(errno) : "the file ends there; it is cut off";
            const auto message = text("{}: samples {} to {} cannot be read: {} bytes at offset {}: {}", name_,
                                      samples.begin, samples.end - 1, out.size(), at, reason);
            if (got == 0) {
                throw DamagedFile(message);
            }
            throw std::runtime_error(message);
        }
        at += static_cast<std::uint64_t>(got);
        out = out.subspan(static_cast<std::size_t>(got));
    }
}

void ContiguousReader::announce(std::int64_t begin, std::int64_t count) const {
    const auto first = row_at(begin) + runs_.front().offset;
    const auto end = row_at(begin + count - 1) + runs_.back().offset + runs_.back().bytes;
    const bool mostly_gaps = runs_.size() > 1 || 2 * runs_.front().bytes < row_bytes_;
    if (mostly_gaps && row_bytes_ > short_gap) {
        return;  // what is wanted of a row is read in few calls, each longer than an announcement
    }
    for (auto at = first; at < end;) {
        // A piece of this length that begins in the middle of a page touches one page more than is fetched.
        const auto next = std::min((at / announced_bytes + 1) * announced_bytes, end);
        ::posix_fadvise(descriptor_, static_cast<off_t>(at), static_cast<off_t>(next - at), POSIX_FADV_WILLNEED);
        at = next;
    }
}

std::uint64_t ContiguousReader::row_at(std::int64_t sample) const {
    return offset_ + static_cast<std::uint64_t>(sample) * row_bytes_;
}

}  // namespace crescendo::datasets
