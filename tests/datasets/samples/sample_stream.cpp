#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/check.hpp"
#include "core/random.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "datasets/samples/window_reader.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

// A counting sample takes 14 bytes and 8 for its number, 16 where the whole set is held.
constexpr std::size_t window_bytes(std::size_t samples) { return 2 * samples * 22; }
constexpr std::size_t resident_bytes(std::size_t samples) { return samples * 30; }

/// 101 samples in chunks of 5; two windows of four chunks each fit.
struct StreamedSet {
    TemporaryFolder folder;
    std::string location = write_counting_set(folder / "set.h5", 101, 5);
    std::shared_ptr<const SampleSet> set = SampleSet::open(location);
    SampleStream::Options options{.memory_bytes = window_bytes(20)};
};

std::vector<std::int64_t> counting(std::int64_t count) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(count));
    std::iota(samples.begin(), samples.end(), 0);
    return samples;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> samples) {
    std::sort(samples.begin(), samples.end());
    return samples;
}

/// The next slice's samples, appended; false at the epoch's end. Checks its bytes.
bool take(SampleStream& stream, std::vector<std::int64_t>& samples) {
    const auto slice = stream.next();
    if (!slice) {
        return false;
    }
    CHECK(are_counting_samples(slice->samples, slice->inputs, slice->targets));
    samples.insert(samples.end(), slice->samples.begin(), slice->samples.end());
    return true;
}

std::vector<std::int64_t> rest_of_epoch(SampleStream& stream) {
    std::vector<std::int64_t> samples;
    while (take(stream, samples)) {}
    return samples;
}

/// The workers of a group, each with its own stream.
class WholeGroup {
  public:
    WholeGroup(const StreamedSet& data, int size) {
        for (int rank = 0; rank < size; ++rank) {
            streams_.push_back(std::make_unique<SampleStream>(data.set, data.options));
        }
    }

    void enter(SampleStream::Share share) {
        share.size = static_cast<int>(streams_.size());
        for (share.rank = 0; share.rank < share.size; ++share.rank) {
            streams_[share.rank]->enter(share);
        }
    }

    /// One step of all: their samples in the epoch's order; empty at the epoch's end.
    std::vector<std::int64_t> step() {
        const auto first = streams_[0]->position();
        std::vector<std::int64_t> samples;
        for (auto& stream : streams_) {
            const auto slice = stream->next();
            if (!slice) {
                continue;
            }
            CHECK(slice->first_position == first + std::ssize(samples));
            CHECK(are_counting_samples(slice->samples, slice->inputs, slice->targets));
            samples.insert(samples.end(), slice->samples.begin(), slice->samples.end());
            group_samples_ = slice->group_samples;
        }
        CHECK((samples.empty() || std::ssize(samples) == group_samples_));
        return samples;
    }

    std::int64_t position() const { return streams_[0]->position(); }

  private:
    std::vector<std::unique_ptr<SampleStream>> streams_;
    std::int64_t group_samples_ = 0;
};

/// Other bytes in the same file, whose time says that nothing happened.
void write_unnoticed(const std::filesystem::path& file, std::span<const std::byte> bytes) {
    const auto time = std::filesystem::last_write_time(file);
    write_bytes(file, bytes);
    std::filesystem::last_write_time(file, time);
}

void overwrite(const std::filesystem::path& file) {
    write_unnoticed(file, std::vector<std::byte>(std::filesystem::file_size(file), std::byte{0xFF}));
}

}  // namespace

TEST_CASE("a group of any size sees every sample once an epoch, in the same order") {
    const StreamedSet data;
    SampleStream alone(data.set, data.options);

    for (const int size : {1, 2, 3, 4, 7}) {
        WholeGroup group(data, size);
        // Less than a sample a worker; uneven; as a window; more than two windows; more than the set.
        for (const std::int64_t batch : {2, 8, 20, 47, 1000}) {
            CAPTURE(size);
            CAPTURE(batch);
            alone.enter({.seed = 5, .epoch = batch, .group_batch = 13});
            group.enter({.seed = 5, .epoch = batch, .group_batch = batch});
            std::vector<std::int64_t> samples;

            for (auto step = group.step(); !step.empty(); step = group.step()) {
                samples.insert(samples.end(), step.begin(), step.end());
            }

            CHECK(sorted(samples) == counting(101));
            CHECK(samples == rest_of_epoch(alone));
        }
    }
}

TEST_CASE("an epoch that changes its workers and batch half-way sees every sample once") {
    const StreamedSet data;
    SampleStream alone(data.set, data.options);
    alone.enter({.seed = 5, .group_batch = 101});
    std::vector<std::int64_t> samples;
    SampleStream::Share share{.seed = 5};

    std::vector<std::unique_ptr<WholeGroup>> groups;
    for (const int size : {1, 2, 4}) {
        groups.push_back(std::make_unique<WholeGroup>(data, size));
        share.group_batch = 6 * size;
        groups.back()->enter(share);
        for (int steps = 0; steps < 3 || size == 4; ++steps) {
            const auto step = groups.back()->step();
            if (step.empty()) {
                break;
            }
            samples.insert(samples.end(), step.begin(), step.end());
        }
        share.position = groups.back()->position();
    }

    CHECK(sorted(samples) == counting(101));
    CHECK(samples == rest_of_epoch(alone));
}

TEST_CASE("a survivor goes on in the same stream with another share") {
    const StreamedSet data;
    SampleStream alone(data.set, data.options);
    alone.enter({.seed = 5, .group_batch = 30});
    const auto expected = rest_of_epoch(alone);
    SampleStream stream(data.set, data.options);
    std::vector<std::int64_t> samples;

    stream.enter({.seed = 5, .group_batch = 30});
    take(stream, samples);
    stream.enter({.seed = 5, .position = 30, .group_batch = 60, .rank = 1, .size = 2});
    take(stream, samples);

    CHECK(stream.position() == 90);
    CHECK(std::equal(samples.begin(), samples.begin() + 30, expected.begin()));
    CHECK(std::equal(samples.begin() + 30, samples.end(), expected.begin() + 60, expected.begin() + 90));

    // The group loses the step it was in: back to 30.
    samples.clear();
    stream.enter({.seed = 5, .position = 30, .group_batch = 30});
    take(stream, samples);
    CHECK(std::equal(samples.begin(), samples.end(), expected.begin() + 30, expected.begin() + 60));
}

TEST_CASE("a step with less samples than workers gives some an empty slice") {
    const StreamedSet data;
    SampleStream stream(data.set, data.options);

    stream.enter({.seed = 5, .position = 100, .group_batch = 16, .rank = 0, .size = 2});
    const auto slice = stream.next();

    REQUIRE(slice.has_value());
    CHECK(slice->samples.empty());  // [⌊0·1/2⌋, ⌊1·1/2⌋)
    CHECK(slice->group_samples == 1);
    CHECK_FALSE(stream.next().has_value());
}

TEST_CASE("an epoch that is over stays over until another is entered") {
    const StreamedSet data;
    SampleStream stream(data.set, data.options);
    stream.enter({.seed = 5, .position = 101, .group_batch = 16});

    CHECK_FALSE(stream.next().has_value());
    CHECK_FALSE(stream.next().has_value());

    stream.enter({.seed = 5, .epoch = 1, .group_batch = 16});
    CHECK(sorted(rest_of_epoch(stream)) == counting(101));
}

TEST_CASE("without a shuffle every epoch and seed is in file order") {
    StreamedSet data;
    data.options.shuffle = Shuffle::none;
    SampleStream stream(data.set, data.options);

    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        stream.enter({.seed = static_cast<std::uint64_t>(epoch), .epoch = epoch / 2, .group_batch = 9});
        CHECK(rest_of_epoch(stream) == counting(101));
    }
}

TEST_CASE("the number of reading threads changes nothing") {
    const StreamedSet data;
    SampleStream alone(data.set, {.memory_bytes = data.options.memory_bytes, .threads = 1});
    SampleStream several(data.set, {.memory_bytes = data.options.memory_bytes, .threads = 4});

    for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
        alone.enter({.seed = 5, .epoch = epoch, .group_batch = 10});
        several.enter({.seed = 5, .epoch = epoch, .group_batch = 10});
        CHECK(rest_of_epoch(alone) == rest_of_epoch(several));
    }
}

TEST_CASE("seed and epoch decide the order") {
    const StreamedSet data;
    SampleStream stream(data.set, data.options);
    const auto order = [&](std::uint64_t seed, std::int64_t epoch) {
        stream.enter({.seed = seed, .epoch = epoch, .group_batch = 50});
        return rest_of_epoch(stream);
    };

    const auto first = order(5, 0);

    CHECK(order(5, 1) != first);
    CHECK(order(6, 0) != first);
    CHECK(order(5, 0) == first);
}

TEST_CASE("a set that fits in memory is read once, for all epochs and seeds") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 101, 5));
    SampleStream stream(set, {.memory_bytes = resident_bytes(101)});
    stream.enter({.seed = 5, .group_batch = 10});
    CHECK(sorted(rest_of_epoch(stream)) == counting(101));

    overwrite(folder / "set.h5");

    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        stream.enter({.seed = 6, .epoch = epoch, .group_batch = 10});
        CHECK(sorted(rest_of_epoch(stream)) == counting(101));
    }
}

TEST_CASE("a set that was read whole is refused once another file takes its place") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto set = SampleSet::open(write_counting_set(file, 101, 5));
    SampleStream stream(set, {.memory_bytes = resident_bytes(101)});
    stream.enter({.seed = 5, .group_batch = 10});
    CHECK(sorted(rest_of_epoch(stream)) == counting(101));

    write_counting_set(folder / "new.h5", 101, 5);
    std::filesystem::rename(folder / "new.h5", file);
    stream.enter({.seed = 6, .group_batch = 10});  // the next epochs of seed 5 may have been prepared already

    CHECK_THROWS_WITH_AS(stream.next(), Contains("set.h5:/train was replaced by another file"), std::runtime_error);
}

TEST_CASE("a set that does not fit is read again") {
    StreamedSet data;
    SampleStream stream(data.set, data.options);
    stream.enter({.seed = 5, .group_batch = 10});
    stream.next();

    overwrite(data.folder / "set.h5");
    stream.enter({.seed = 6, .group_batch = 101});  // what the thread still reads for seed 5 may fail, and is of no use

    const auto slice = stream.next();
    REQUIRE(slice.has_value());
    CHECK_FALSE(are_counting_samples(slice->samples, slice->inputs, slice->targets));
}

TEST_CASE("windows already read are kept when the group changes") {
    StreamedSet data;
    data.options.memory_bytes = window_bytes(55);  // 101 samples in two windows, both held
    SampleStream stream(data.set, data.options);
    stream.enter({.seed = 5, .group_batch = 90});
    stream.next();  // touches both

    overwrite(data.folder / "set.h5");
    stream.enter({.seed = 5, .position = 70, .group_batch = 30, .rank = 1, .size = 2});
    std::vector<std::int64_t> samples;

    CHECK(take(stream, samples));
    CHECK(samples.size() == 15);
}

TEST_CASE("the parts of a set hold each of its samples once, in its order") {
    const StreamedSet data;
    for (const std::size_t memory : {window_bytes(5), window_bytes(20), resident_bytes(110)}) {
        SampleStream stream(data.set, {.shuffle = Shuffle::none, .memory_bytes = memory});
        for (const int parts : {1, 2, 5, 6, 30, 101, 130}) {  // some of several chunks, some inside one, some empty
            std::vector<std::int64_t> samples;
            for (int part = 0; part < parts; ++part) {
                stream.enter({.seed = 5, .group_batch = 8, .part = part, .parts = parts});
                const auto own = rest_of_epoch(stream);
                const double equal = 101.0 / parts;
                CHECK(static_cast<double>(own.size()) <= std::max(equal + 5, equal * 1.25));
                samples.insert(samples.end(), own.begin(), own.end());
            }
            CHECK(samples == counting(101));
        }
    }
}

TEST_CASE("a shuffled part has the same samples in another order each epoch") {
    const StreamedSet data;
    SampleStream stream(data.set, data.options);
    std::vector<std::vector<std::int64_t>> epochs;
    for (const int epoch : {0, 1}) {
        stream.enter({.seed = 5, .epoch = epoch, .group_batch = 8, .part = 1, .parts = 2});
        epochs.push_back(rest_of_epoch(stream));
    }

    CHECK(epochs[0] != epochs[1]);
    CHECK(sorted(epochs[0]) == sorted(epochs[1]));
    CHECK(epochs[0].size() == 51);  // 11 of the 21 chunks, of which the last has one sample
}

TEST_CASE("workers that read a part each read the set once together") {
    const TemporaryFolder folder;
    std::vector<std::byte> bytes(std::size_t{8} << 20);
    crescendo::CounterRandom random(1, 0);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random.below(256)); });
    const std::string ways[] = {folder / "chunked.h5", folder / "gzip.h5", folder / "contiguous.h5"};
    Hdf5Writer(ways[0]).add("/inputs", {8192, 1024}, H5T_NATIVE_UINT8, bytes, {.chunk = {64, 1024}});
    Hdf5Writer(ways[1]).add("/inputs", {8192, 1024}, H5T_NATIVE_UINT8, bytes, {.chunk = {64, 1024}, .deflate = true});
    Hdf5Writer(ways[2]).add("/inputs", {8192, 1024}, H5T_NATIVE_UINT8, bytes);
    for (const auto& file : ways) {
        for (const std::size_t memory : {std::size_t{600} << 10, std::size_t{64} << 20}) {
            const auto set = SampleSet::open(file + ":/", {.targets = {}});
            const auto read_by = [&](int workers) {
                std::vector<std::unique_ptr<SampleStream>> streams;
                for (int i = 0; i < workers; ++i) {
                    streams.push_back(std::make_unique<SampleStream>(
                        set, SampleStream::Options{.shuffle = Shuffle::none, .memory_bytes = memory}));
                }
                const auto before = bytes_read_so_far();
                std::int64_t samples = 0;
                for (int i = 0; i < workers; ++i) {
                    streams[static_cast<std::size_t>(i)]->enter({.group_batch = 100, .part = i, .parts = workers});
                    while (const auto slice = streams[static_cast<std::size_t>(i)]->next()) {
                        samples += std::ssize(slice->samples);
                    }
                }
                CHECK(samples == 8192);
                streams.clear();  // what they read ahead counts too
                return static_cast<double>(bytes_read_so_far() - before);
            };
            const double alone = read_by(1);
            for (const int workers : {2, 4}) {
                CAPTURE(file);
                CAPTURE(memory);
                CAPTURE(workers);
                const double ahead = memory < bytes.size() ? static_cast<double>(memory) * workers : 0;
                CHECK(read_by(workers) <= 1.02 * alone + ahead);
            }
        }
    }
}

TEST_CASE("two windows never exceed the memory, and are evenly sized") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 101, 5));  // 21 chunks

    for (std::size_t memory = window_bytes(5); memory < resident_bytes(101); ++memory) {
        const auto shape = plan_windows(*set, {0, set->size()}, memory);
        CHECK(window_bytes(static_cast<std::size_t>(shape.window_chunks) * 5) <= memory);
    }
    CHECK(plan_windows(*set, {0, set->size()}, resident_bytes(101)).window_chunks == 21);
    // 10 chunks fit, which makes 3 windows: 7 chunks each, not 10, 10 and 1.
    CHECK(plan_windows(*set, {0, set->size()}, window_bytes(50)).window_chunks == 7);
    CHECK(plan_windows(*set, {0, set->size()}, window_bytes(5)).window_chunks == 1);
}

TEST_CASE("memory for less than two chunks is refused with the size it takes") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 101, 5));
    const auto complaint = complaint_of([&] { SampleStream(set, {.memory_bytes = window_bytes(5) - 1}); });

    CHECK(complaint == Contains("set.h5:/train: a chunk of 5 samples takes 110 bytes"));
    CHECK(complaint == Contains("219 bytes of data.memory"));
    CHECK(complaint == Contains("raise data.memory to 1 MiB or rewrite the file"));
}

TEST_CASE("what the reading thread throws arrives in next, and a later next reads on") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto set = SampleSet::open(write_counting_set(file, 1000, 10, /*deflate=*/true));
    const auto intact = read_bytes(file);
    auto damaged = intact;
    // All of zlib's streams, which begin with 78 5E at this level.
    const std::array magic{std::byte{0x78}, std::byte{0x5E}};
    for (auto at = damaged.begin();
         (at = std::search(at, damaged.end(), magic.begin(), magic.end())) != damaged.end();) {
        std::fill(at, at + 2, std::byte{0xFF});
    }
    SampleStream stream(set, {.memory_bytes = window_bytes(100)});

    write_unnoticed(file, damaged);
    stream.enter({.seed = 5, .group_batch = 100});
    CHECK_THROWS_WITH_AS(stream.next(), Contains("set.h5:/train/inputs: samples"), std::runtime_error);
    CHECK_THROWS_AS(stream.next(), std::runtime_error);
    CHECK(stream.position() == 0);

    write_unnoticed(file, intact);
    CHECK(sorted(rest_of_epoch(stream)) == counting(1000));
}

TEST_CASE("a stream can be let go at any moment") {
    const StreamedSet data;
    for (int steps = 0; steps < 20; ++steps) {
        SampleStream stream(data.set, data.options);
        stream.enter({.seed = 5, .group_batch = 7});
        for (int step = 0; step < steps; ++step) {
            stream.next();
        }
        stream.enter({.seed = 6, .group_batch = 7});
    }
    const SampleStream never_entered(data.set, data.options);
}
