#include "datasets/samples/open_files.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "datasets/hdf5/location.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// Limits the process to `most` descriptors while it exists.
class FewDescriptors {
  public:
    explicit FewDescriptors(rlim_t most) {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const rlimit few{std::min(most, before_.rlim_max), before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    }
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

  private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("a set with more files than a process may open is read and shuffled") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), std::vector<std::int64_t>(60, 3), 2);
    const FewDescriptors few(48);
    const auto set = SampleSet::open(location);
    SampleStream stream(set, {.memory_bytes = 2000});
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
        stream.enter({.seed = 5, .epoch = epoch, .group_batch = 40});
        std::vector<std::int64_t> samples;

        while (const auto slice = stream.next()) {
            CHECK(are_counting_samples(slice->samples, slice->inputs, slice->targets));
            samples.insert(samples.end(), slice->samples.begin(), slice->samples.end());
        }

        CHECK_FALSE(std::is_sorted(samples.begin(), samples.end()));
        std::sort(samples.begin(), samples.end());
        std::vector<std::int64_t> all(180);
        std::iota(all.begin(), all.end(), 0);
        CHECK(samples == all);
    }
}

TEST_CASE("a file that changed while it was closed is refused") {
    for (const char* change : {"written", "replaced", "removed", "a link to itself"}) {
        CAPTURE(change);
        const TemporaryFolder folder;
        const auto location = write_counting_files(folder.path(), std::vector<std::int64_t>(9, 3), 3);
        const FewDescriptors few(32);  // four files are open
        const auto set = SampleSet::open(location);
        read_all(*set);
        const auto first = folder / "part-000.h5";
        if (change == std::string("written")) {
            std::filesystem::last_write_time(first,
                                             std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
        } else if (change == std::string("replaced")) {
            write_counting_set(folder / "new", 3, 0);
            std::filesystem::rename(folder / "new", first);
        } else {
            std::filesystem::remove(first);
        }
        if (change == std::string("a link to itself")) {
            std::filesystem::create_symlink(first, first);
        }
        std::vector<std::byte> inputs(12);
        std::vector<std::byte> targets(2);

        CHECK_THROWS_WITH(set->read(0, 1, inputs, targets), Contains("part-000.h5"));
        CHECK_THROWS_WITH(set->read(20, 1, inputs, targets), Contains("part-000.h5"));  // looks at all files
        if (change == std::string("a link to itself")) {
            CHECK_THROWS_WITH(set->expect_unchanged(), Contains("(Too many levels of symbolic links); put it back"));
        }
        const std::int64_t last_chunk = set->chunks().num_chunks() - 1;
        CHECK_NOTHROW(set->expect_unchanged({&last_chunk, 1}));
    }
}

TEST_CASE("the least recently used file is closed to open another") {
    const TemporaryFolder folder;
    const auto place = Location::parse(write_counting_set(folder / "set.h5", 3, 3));
    const FewDescriptors few(16);  // two files are open
    std::vector<std::size_t> opened;
    OpenFiles open(3, {}, [&](std::size_t number) {
        opened.push_back(number);
        return SetFile::open(place, {});
    });

    for (const std::size_t number : {0, 1, 0, 2, 0}) {
        open.get(number);
    }

    CHECK(opened == std::vector<std::size_t>{0, 1, 2});
    CHECK(open.if_open(1) == nullptr);
}
