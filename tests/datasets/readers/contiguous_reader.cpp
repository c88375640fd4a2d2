#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "datasets/readers/chunk_buffer.hpp"
#include "datasets/sample_set.hpp"
#include "tests/await.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

constexpr std::size_t sample_bytes = std::size_t{256} << 10;  // a chunk of its own

/// A set of 128 samples in one piece, 32 MiB, of which the page cache has nothing.
class ColdSet {
  public:
    ColdSet() {
        const auto file = folder_ / "set.h5";
        {
            Hdf5Writer writer(file);
            writer.add("/train/inputs", {num_samples, sample_bytes}, H5T_NATIVE_UINT8,
                       std::vector<std::uint8_t>(num_samples * sample_bytes, 1));
            writer.add("/train/targets", {num_samples}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>(num_samples));
        }
        set = SampleSet::open(file.string() + ":/train");
        descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        pages_ = ::mmap(nullptr, num_samples * sample_bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
        REQUIRE(pages_ != MAP_FAILED);
        ::fsync(descriptor_);  // what is yet to be written stays
        ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
        struct statfs system {};
        ::fstatfs(descriptor_, &system);
        is_cold_ = system.f_type != TMPFS_MAGIC && !is_resident(1, num_samples - 1);
        if (!is_cold_) {
            MESSAGE("skipped: the file system with temporary files keeps them in memory");
        }
    }
    ~ColdSet() {
        ::munmap(pages_, num_samples * sample_bytes);
        ::close(descriptor_);
    }
    ColdSet(const ColdSet&) = delete;
    ColdSet& operator=(const ColdSet&) = delete;

    explicit operator bool() const { return is_cold_; }

    /// Whether the page cache has all of these samples, but for some of the first, since metadata lie before it.
    bool is_resident(std::size_t begin, std::size_t count) const {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const auto bytes = count * sample_bytes - sample_bytes / 2;
        std::vector<unsigned char> resident(bytes / page);
        const auto first = static_cast<std::byte*>(pages_) + begin * sample_bytes + sample_bytes / 2;
        REQUIRE(::mincore(first, bytes, resident.data()) == 0);
        return std::all_of(resident.begin(), resident.end(), [](auto flags) { return (flags & 1) != 0; });
    }

    std::shared_ptr<SampleSet> set;

  private:
    static constexpr std::size_t num_samples = 128;
    TemporaryFolder folder_;
    int descriptor_ = -1;
    void* pages_ = nullptr;
    bool is_cold_ = false;
};

}  // namespace

TEST_CASE("all of what is announced is fetched, also where the device reads ahead less than that") {
    const ColdSet cold;
    if (!cold) {
        return;
    }

    cold.set->announce(32, 16);  // 4 MiB

    await("what was announced is in the page cache", [&] { return cold.is_resident(32, 16); });
    CHECK_FALSE(cold.is_resident(96, 16));
}

TEST_CASE("a buffer announces the reads that follow the first") {
    const ColdSet cold;
    if (!cold) {
        return;
    }
    ChunkBuffer buffer(*cold.set, 4);
    TaskPool pool(1);

    const bool complete = buffer.load({0, 30, 60, 90}, pool, [&] {
        await("the others are in the page cache",
              [&] { return cold.is_resident(30, 1) && cold.is_resident(60, 1) && cold.is_resident(90, 1); });
        return false;  // before anything is read
    });

    CHECK_FALSE(complete);
}
