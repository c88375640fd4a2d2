#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/samples/chunk_buffer.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/await.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

constexpr std::size_t sample_bytes = std::size_t{256} << 10;  // a chunk of its own

/// A contiguous set of 128 samples, 32 MiB. At most the first and the last are in the page cache.
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
        offset_ = offset_in(file);
        set = SampleSet::open(file.string() + ":/train");
        descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        pages_ = ::mmap(nullptr, mapped_bytes(), PROT_READ, MAP_SHARED, descriptor_, 0);
        REQUIRE(pages_ != MAP_FAILED);
        ::fsync(descriptor_);  // dirty pages would stay in the cache
        ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
        const bool is_cold = is_absent(1, num_samples - 1);
        can_show_ = is_cold && heeds_announcements();
        if (!can_show_) {
            MESSAGE("skipped: the file system with temporary files ",
                    std::string(is_cold ? "ignores what is announced" : "keeps them in memory"));
        }
    }
    ~ColdSet() {
        ::munmap(pages_, mapped_bytes());
        ::close(descriptor_);
    }
    ColdSet(const ColdSet&) = delete;
    ColdSet& operator=(const ColdSet&) = delete;

    /// Whether the page cache shows what was announced.
    explicit operator bool() const { return can_show_; }

    /// Whether the page cache has every page of these samples.
    bool is_resident(std::size_t begin, std::size_t count) const {
        const auto pages = residence(begin, count);
        return std::all_of(pages.begin(), pages.end(), [](auto flags) { return (flags & 1) != 0; });
    }

    /// Whether the page cache has no page of these samples.
    bool is_absent(std::size_t begin, std::size_t count) const {
        const auto pages = residence(begin, count);
        return std::none_of(pages.begin(), pages.end(), [](auto flags) { return (flags & 1) != 0; });
    }

    std::shared_ptr<SampleSet> set;

  private:
    static std::size_t offset_in(const std::filesystem::path& file) {
        const hdf5::Session session;
        const auto opened = hdf5::open_file(file, hdf5::Access::read);
        const auto inputs = hdf5::own(H5Dopen2(opened.get(), "/train/inputs", H5P_DEFAULT), "no inputs");
        return H5Dget_offset(inputs.get());
    }

    std::size_t mapped_bytes() const { return offset_ + num_samples * sample_bytes; }

    /// The flags that mincore() returns for each page of these samples.
    std::vector<unsigned char> residence(std::size_t begin, std::size_t count) const {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const auto first = (offset_ + begin * sample_bytes) / page * page;
        const auto bytes = offset_ + (begin + count) * sample_bytes - first;
        std::vector<unsigned char> resident((bytes + page - 1) / page);
        REQUIRE(::mincore(static_cast<std::byte*>(pages_) + first, bytes, resident.data()) == 0);
        return resident;
    }

    /// Announces the last sample without the reader, because the tests are about the reader's announcements.
    bool heeds_announcements() const {
        const auto last = offset_ + (num_samples - 1) * sample_bytes;
        ::posix_fadvise(descriptor_, static_cast<off_t>(last), 1, POSIX_FADV_WILLNEED);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (is_absent(num_samples - 1, 1) && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return !is_absent(num_samples - 1, 1);
    }

    static constexpr std::size_t num_samples = 128;
    TemporaryFolder folder_;
    std::size_t offset_ = 0;  ///< of the inputs in the file
    int descriptor_ = -1;
    void* pages_ = nullptr;
    bool can_show_ = false;
};

}  // namespace

TEST_CASE("all announced samples are fetched, even if the device reads ahead less") {
    const ColdSet cold;
    if (!cold) {
        return;
    }

    cold.set->announce(32, 16);  // 4 MiB

    await("what was announced is in the page cache", [&] { return cold.is_resident(32, 16); });
    CHECK(cold.is_absent(96, 16));
}

TEST_CASE("a buffer announces all reads after the first") {
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
