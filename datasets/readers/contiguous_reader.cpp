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
      sample_bytes_(field.sample_bytes()),
      name_(std::move(name)) {}

void ContiguousReader::read(std::int64_t begin, std::int64_t count, std::span<std::byte> out) const {
    auto at = offset_of(begin);
    while (!out.empty()) {
        const auto got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            const auto reason = got < 0 ? std::system_category().message(errno) : "the file ends there; it is cut off";
            const auto message = text("{}: samples {} to {} cannot be read: {} bytes at offset {}: {}", name_, begin,
                                      begin + count - 1, out.size(), at, reason);
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
    const auto end = offset_of(begin + count);
    for (auto at = offset_of(begin); at < end;) {
        // A piece of this length that begins in the middle of a page touches one page more than is fetched.
        const auto next = std::min((at / announced_bytes + 1) * announced_bytes, end);
        ::posix_fadvise(descriptor_, static_cast<off_t>(at), static_cast<off_t>(next - at), POSIX_FADV_WILLNEED);
        at = next;
    }
}

std::uint64_t ContiguousReader::offset_of(std::int64_t sample) const {
    return offset_ + static_cast<std::uint64_t>(sample) * sample_bytes_;
}

}  // namespace crescendo::datasets
