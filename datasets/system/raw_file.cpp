#include "datasets/system/raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/files/file_descriptor.hpp"

namespace crescendo::datasets {
namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t window_bytes = std::uint64_t{64} << 20;

FileDescriptor opened(const std::filesystem::path& file) {
    FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor) {
        throw std::system_error(errno, std::generic_category(), file.string());
    }
    return descriptor;
}

}  // namespace

RawFile::RawFile(std::vector<std::filesystem::path> files)
    : files_(std::move(files)), window_(window_bytes / sizeof(Page)) {}

void RawFile::forget() const {
    for (const auto& file : files_) {
        ::posix_fadvise(opened(file).get(), 0, 0, POSIX_FADV_DONTNEED);
    }
}

std::uint64_t RawFile::read(std::uint64_t bytes, TaskPool& pool) {
    std::uint64_t total = 0;
    for (auto file = files_.begin(); file != files_.end() && total < bytes; ++file) {
        const auto descriptor = opened(*file);
        const auto here = std::min(bytes - total, static_cast<std::uint64_t>(std::filesystem::file_size(*file)));
        pool.run((here + block_bytes - 1) / block_bytes, [&](std::size_t block) {
            const auto place = window_.data() + block * block_bytes % window_bytes / sizeof(Page);
            const auto count = std::min(block_bytes, here - block * block_bytes);
            if (::pread(descriptor.get(), place, count, static_cast<off_t>(block * block_bytes)) < 0) {
                throw std::system_error(errno, std::generic_category(), "pread");
            }
        });
        total += here;
    }
    return total;
}

}  // namespace crescendo::datasets
