#include "datasets/system/raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace crescendo::datasets {
namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t window_bytes = std::uint64_t{64} << 20;

}  // namespace

RawFile::RawFile(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)),
      size_(std::filesystem::file_size(file)),
      window_(window_bytes / sizeof(Page)) {
    if (!descriptor_) {
        throw std::system_error(errno, std::generic_category(), file.string());
    }
}

void RawFile::forget() const { ::posix_fadvise(descriptor_.get(), 0, 0, POSIX_FADV_DONTNEED); }

std::uint64_t RawFile::read(std::uint64_t bytes, TaskPool& pool) {
    const auto total = std::min(bytes, size_);
    pool.run((total + block_bytes - 1) / block_bytes, [&](std::size_t block) {
        const auto place = window_.data() + block * block_bytes % window_bytes / sizeof(Page);
        const auto count = std::min(block_bytes, total - block * block_bytes);
        if (::pread(descriptor_.get(), place, count, static_cast<off_t>(block * block_bytes)) < 0) {
            throw std::system_error(errno, std::generic_category(), "pread");
        }
    });
    return total;
}

}  // namespace crescendo::datasets
