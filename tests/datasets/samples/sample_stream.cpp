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
#include "datasets/system/file_pattern.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/sanitized.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

// A counting sample takes 14 bytes and 9 for its place in the order, 18 if the whole set is held.
constexpr std::size_t window_bytes(std::size_t samples) { return 2 * samples * 23; }
constexpr std::size_t resident_bytes(std::size_t samples) { return samples * 32; }

/// 101 samples in chunks of 5, two shards; memory for two windows of four chunks each. In one file, or in several whose
/// last chunks are shorter.
struct StreamedSet {
    TemporaryFolder folder;
    std::string location;
    std::shared_ptr<const SampleSet> set;
    SampleStream::Options options{.memory_bytes = window_bytes(20)};

    explicit StreamedSet(int num_files = 1)
        : location(num_files == 1 ? write_counting_set(folder / "set.h5", 101, 5)
                                  : write_counting_files(folder.path(), {23, 40, 2, 36}, 5)),
          set(SampleSet::open(location)) {}
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

/// Appends the samples of the next slice and checks its bytes. Returns false at the end of the epoch.
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

    /// One step of all workers. Returns their samples; empty at the end of the epoch.
    std::vector<std::int64_t> step() {
        std::vector<std::int64_t> samples;
        for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
            const auto slice = streams_[rank]->next();
            if (!slice) {
                continue;
            }
            CHECK(are_counting_samples(slice->samples, slice->inputs, slice->targets));
            CHECK(slice->member_samples.size() == streams_.size());
            CHECK(slice->member_samples[rank] == std::ssize(slice->samples));
            samples.insert(samples.end(), slice->samples.begin(), slice->samples.end());
            group_samples_ = slice->group_samples();
        }
        CHECK((samples.empty() || std::ssize(samples) == group_samples_));
        return samples;
    }

    std::int64_t position() const { return streams_[0]->position(); }

  private:
    std::vector<std::unique_ptr<SampleStream>> streams_;
    std::int64_t group_samples_ = 0;
};

/// Writes other bytes to the file and restores its modification time.
void write_unnoticed(const std::filesystem::path& file, std::span<const std::byte> bytes) {
    const auto time = std::filesystem::last_write_time(file);
    write_bytes(file, bytes);
    std::filesystem::last_write_time(file, time);
}

void overwrite(const std::filesystem::path& file) {
    write_unnoticed(file, std::vector<std::byte>(std::filesystem::file_size(file), std::byte{0xFF}));
}

/// The same file, but none of its chunks can be decompressed.
std::vector<std::byte> without_streams(std::vector<std::byte> bytes) {
    // All of zlib's streams, which begin with 78 5E at this level.
    const std::array magic{std::byte{0x78}, std::byte{0x5E}};
    for (auto at = bytes.begin(); (at = std::search(at, bytes.end(), magic.begin(), magic.end())) != bytes.end();) {
        std::fill(at, at + 2, std::byte{0xFF});
    }
    return bytes;
}

}  // namespace

TEST_CASE("a group of any size sees every sample once an epoch, in the same steps") {
    for (const auto& [num_files, size] :
         {std::pair{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 7}, {4, 1}, {4, 2}, {4, 3}, {4, 7}}) {
        const StreamedSet data(num_files);
        SampleStream alone(data.set, data.options);
        WholeGroup group(data, size);
        // Less than one sample per worker; uneven; one window; more than two windows; more than the set.
        for (const std::int64_t batch : {2, 8, 20, 47, 1000}) {
            CAPTURE(num_files);
            CAPTURE(size);
            CAPTURE(batch);
            alone.enter({.seed = 5, .epoch = batch, .group_batch = batch});
            group.enter({.seed = 5, .epoch = batch, .group_batch = batch});
            std::vector<std::int64_t> samples;

            for (auto step = group.step(); !step.empty(); step = group.step()) {
                std::vector<std::int64_t> same_step;
                take(alone, same_step);
                CHECK(sorted(step) == sorted(same_step));
                samples.insert(samples.end(), step.begin(), step.end());
            }

            CHECK(sorted(samples) == counting(101));
            CHECK(rest_of_epoch(alone).empty());
        }
    }
}

TEST_CASE("an epoch whose workers and batch size change halfway sees every sample once") {
    const StreamedSet data;
    SampleStream alone(data.set, data.options);
    alone.enter({.seed = 5, .group_batch = 101});
    const auto order = rest_of_epoch(alone);
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
            const auto expected = order.begin() + std::ssize(samples);
            CHECK(sorted(step) == sorted({expected, expected + std::ssize(step)}));
            samples.insert(samples.end(), step.begin(), step.end());
        }
        share.position = groups.back()->position();
    }

    CHECK(sorted(samples) == counting(101));
}

TEST_CASE("a survivor continues in the same stream with another share") {
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
    // Then the samples of the second shard: 10 of the 21 chunks.
    std::vector<std::int64_t> own;
    std::copy_if(expected.begin() + 30, expected.begin() + 90, std::back_inserter(own),
                 [](std::int64_t sample) { return sample >= 55; });
    CHECK(std::equal(samples.begin() + 30, samples.end(), own.begin(), own.end()));

    // The group loses the step it was in: back to 30.
    samples.clear();
    stream.enter({.seed = 5, .position = 30, .group_batch = 30});
    take(stream, samples);
    CHECK(std::equal(samples.begin(), samples.end(), expected.begin() + 30, expected.begin() + 60));
}

TEST_CASE("a step with fewer samples than workers gives some workers an empty slice") {
    const StreamedSet data;
    SampleStream stream(data.set, data.options);

    stream.enter({.seed = 5, .position = 100, .group_batch = 16, .rank = 0, .size = 2});
    const auto slice = stream.next();

    REQUIRE(slice.has_value());
    CHECK(slice->group_samples() == 1);
    CHECK(std::ssize(slice->samples) == slice->member_samples[0]);
    CHECK(slice->member_samples[0] + slice->member_samples[1] == 1);
    CHECK_FALSE(stream.next().has_value());
}

TEST_CASE("a finished epoch stays finished until another one is entered") {
    const StreamedSet data;
    SampleStream stream(data.set, data.options);
    stream.enter({.seed = 5, .position = 101, .group_batch = 16});

    CHECK_FALSE(stream.next().has_value());
    CHECK_FALSE(stream.next().has_value());

    stream.enter({.seed = 5, .epoch = 1, .group_batch = 16});
    CHECK(sorted(rest_of_epoch(stream)) == counting(101));
}

TEST_CASE("an epoch announced as the last ends like any other, and another may follow") {
    for (const auto shuffle : {Shuffle::none, Shuffle::windowed}) {
        StreamedSet data;
        data.options.shuffle = shuffle;
        SampleStream stream(data.set, data.options);
        for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
            stream.enter({.seed = 5, .epoch = epoch, .group_batch = 16, .last_epoch = true});
            CHECK(sorted(rest_of_epoch(stream)) == counting(101));
            CHECK_FALSE(stream.next().has_value());
        }
        stream.enter({.seed = 5, .epoch = 2, .position = 101, .group_batch = 16, .last_epoch = true});
        CHECK_FALSE(stream.next().has_value());
    }
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

TEST_CASE("a set that was read completely is refused after another file replaces it") {
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
    stream.enter(
        {.seed = 6, .group_batch = 101});  // the thread may still fail to read for seed 5; that does not matter

    const auto slice = stream.next();
    REQUIRE(slice.has_value());
    CHECK_FALSE(are_counting_samples(slice->samples, slice->inputs, slice->targets));
}

TEST_CASE("a window is refused if the file changed while it was read, or before") {
    for (const auto shuffle : {Shuffle::none, Shuffle::windowed}) {
        StreamedSet data;
        data.options.shuffle = shuffle;
        SampleStream stream(data.set, data.options);
        stream.enter({.seed = 5, .group_batch = 10});
        CHECK(stream.next().has_value());

        write_bytes(data.folder / "set.h5", read_bytes(data.folder / "set.h5"));
        stream.enter({.seed = 6, .position = 90, .group_batch = 10});

        CHECK_THROWS_WITH_AS(stream.next(), Contains("set.h5:/train was written to"), std::runtime_error);
    }
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
    CHECK(samples.size() >= 14);
}

TEST_CASE("the parts of a set together have each sample once, in the order of the set") {
    for (const auto& [num_files, memory] :
         {std::pair{1, window_bytes(5)}, {1, window_bytes(20)}, {1, resident_bytes(110)}, {4, window_bytes(20)}}) {
        const StreamedSet data(num_files);
        SampleStream stream(data.set, {.shuffle = Shuffle::none, .memory_bytes = memory});
        for (const int parts : {1, 2, 5, 6, 30, 101, 130}) {  // some of several chunks, some inside one, some empty
            std::vector<std::int64_t> samples;
            for (int part = 0; part < parts; ++part) {
                stream.enter({.seed = 5, .group_batch = 8, .part = part, .parts = parts});
                const auto own = rest_of_epoch(stream);
                const double equal = 101.0 / parts;
                // Parts of less than four chunks are equal in size, even if several read the same chunk.
                CHECK(static_cast<double>(own.size()) <= (parts <= 5 ? std::max(equal + 5, equal * 1.25) : equal + 1));
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
    CHECK(epochs[0].size() == 51);  // 11 of the 21 chunks, the last of which has one sample
}

TEST_CASE("if a set fits in memory, a survivor reads what it lacks and then keeps the whole set") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 101, 5));
    SampleStream stream(set, {.memory_bytes = resident_bytes(101)});
    for (const int rank : {0, 1, 0, 1}) {
        stream.enter({.seed = 5, .group_batch = 10, .rank = rank, .size = 2});
        const auto samples = rest_of_epoch(stream);
        CHECK(std::abs(std::ssize(samples) - 50) < 10);
    }
    overwrite(folder / "set.h5");

    stream.enter({.seed = 6, .group_batch = 10});
    CHECK(sorted(rest_of_epoch(stream)) == counting(101));
}

TEST_CASE("if a set fits in memory, a survivor does not use samples that it failed to read") {
    for (const std::uint64_t seed : {5, 6}) {
        CAPTURE(seed);
        const TemporaryFolder folder;
        const auto file = folder / "set.h5";
        const auto set = SampleSet::open(write_counting_set(file, 101, 5, /*deflate=*/true));
        const auto intact = read_bytes(file);
        SampleStream stream(set, {.memory_bytes = resident_bytes(101)});
        stream.enter({.seed = 5, .group_batch = 10, .rank = 1, .size = 2});
        const auto share = rest_of_epoch(stream);

        write_unnoticed(file, without_streams(intact));
        stream.enter({.seed = 5, .group_batch = 10});
        CHECK_THROWS_AS(stream.next(), std::runtime_error);
        write_unnoticed(file, intact);
        stream.enter({.seed = seed, .group_batch = 10, .rank = 1, .size = 2});

        CHECK(std::ssize(rest_of_epoch(stream)) == std::ssize(share));
    }
}

TEST_CASE("workers of a group read the set once together, in an evaluation and in an epoch of training") {
    const TemporaryFolder folder;
    constexpr std::size_t num_samples = 4096;  // contiguous, they are 16 chunks
    std::vector<std::byte> bytes(num_samples * 1024);
    crescendo::CounterRandom random(1, 0);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random.below(256)); });
    constexpr std::int64_t num_epochs = 4;
    const std::string ways[] = {folder / "chunked.h5", folder / "gzip.h5", folder / "contiguous.h5",
                                folder / "part-*.h5"};
    Hdf5Writer(ways[0]).add("/inputs", {num_samples, 1024}, H5T_NATIVE_UINT8, bytes, {.chunk = {32, 1024}});
    Hdf5Writer(ways[1]).add("/inputs", {num_samples, 1024}, H5T_NATIVE_UINT8, bytes,
                            {.chunk = {32, 1024}, .deflate = true});
    Hdf5Writer(ways[2]).add("/inputs", {num_samples, 1024}, H5T_NATIVE_UINT8, bytes);
    for (std::size_t i = 0; i < 16; ++i) {
        Hdf5Writer(folder / ("part-" + std::to_string(10 + i) + ".h5"))
            .add("/inputs", {num_samples / 16, 1024}, H5T_NATIVE_UINT8, bytes.data() + bytes.size() / 16 * i,
                 {.chunk = {30, 1024}, .deflate = i % 2 == 0});
    }
    for (const auto& file : ways) {
        for (const std::size_t memory : {std::size_t{3} << 20, std::size_t{32} << 20}) {
            for (const auto shuffle : {Shuffle::none, Shuffle::windowed}) {
                const auto set = SampleSet::open(file + ":/", {.targets = {}});
                const auto read_by = [&](int workers) {
                    std::vector<std::unique_ptr<SampleStream>> streams;
                    const auto before = bytes_read_so_far();
                    std::int64_t samples = 0;
                    for (int i = 0; i < workers; ++i) {
                        streams.push_back(std::make_unique<SampleStream>(
                            set, SampleStream::Options{.shuffle = shuffle, .memory_bytes = memory}));
                        SampleStream::Share share{.group_batch = 64};
                        (shuffle == Shuffle::none ? share.part : share.rank) = i;
                        (shuffle == Shuffle::none ? share.parts : share.size) = workers;
                        for (share.epoch = 0; share.epoch < num_epochs; ++share.epoch) {
                            share.last_epoch = share.epoch + 1 == num_epochs;
                            streams.back()->enter(share);
                            while (const auto slice = streams.back()->next()) {
                                samples += std::ssize(slice->samples);
                            }
                        }
                    }
                    CHECK(samples == num_epochs * static_cast<std::int64_t>(num_samples));
                    streams.clear();  // what they read ahead counts too
                    return static_cast<double>(bytes_read_so_far() - before);
                };
                double file_bytes = 0;
                for (const auto& name : files_named(file)) {
                    file_bytes += static_cast<double>(std::filesystem::file_size(name));
                }
                for (const int workers : is_sanitized ? std::vector{2} : std::vector{1, 2, 4}) {
                    CAPTURE(file);
                    CAPTURE(memory);
                    CAPTURE(workers);
                    const bool resident = memory > bytes.size();
                    CHECK(read_by(workers) <= 1.05 * (resident ? 1 : static_cast<double>(num_epochs)) * file_bytes);
                }
            }
        }
    }
}

TEST_CASE("two windows never exceed the memory, and are evenly sized") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 101, 5));  // 21 chunks

    for (std::size_t memory = window_bytes(5); memory < resident_bytes(101); ++memory) {
        const auto shape = plan_windows(*set, {0, set->size()}, Shuffle::windowed, memory);
        CHECK((shape.num_windows == 1 || window_bytes(static_cast<std::size_t>(shape.window_chunks()) * 5) <= memory));
        CHECK(2 * shape.num_windows * shape.window_chunks() < 3 * 21);
    }
    const auto windows = [&](std::size_t memory) {
        return plan_windows(*set, {0, set->size()}, Shuffle::none, memory);
    };
    CHECK(windows(resident_bytes(101)).window_chunks() == 21);
    // 10 chunks fit, which makes 3 windows: 7 chunks each, not 10, 10 and 1.
    CHECK(windows(window_bytes(50)).num_windows == 3);
    CHECK(windows(window_bytes(50)).window_chunks() == 7);
    CHECK(windows(window_bytes(5)).window_chunks() == 1);
}

TEST_CASE("the number of shards is a power of two that the chunks and the memory allow") {
    const TemporaryFolder folder;
    const auto shards = [&](std::int64_t num_samples, std::size_t memory) {
        const auto file = folder / (std::to_string(num_samples) + ".h5");
        const auto set = SampleSet::open(write_counting_set(file, num_samples, 5));
        return plan_windows(*set, {0, num_samples}, Shuffle::windowed, memory).num_shards;
    };

    CHECK(shards(35, resident_bytes(1000)) == 1);  // 7 chunks: shards have at least four
    CHECK(shards(80, resident_bytes(1000)) == 4);
    CHECK(shards(80, window_bytes(3 * 5)) == 2);
    CHECK(shards(5000, resident_bytes(5000)) == 64);
    CHECK(shards(5000, window_bytes(5)) == 1);

    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 5000, 5));
    CHECK(plan_windows(*set, {0, 5000}, Shuffle::none, resident_bytes(5000)).num_shards == 1);
}

TEST_CASE("memory for less than two chunks is refused with the size that is needed") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 101, 5));
    const auto complaint = complaint_of([&] { SampleStream(set, {.memory_bytes = window_bytes(5) - 1}); });

    CHECK(complaint == Contains("set.h5:/train: a chunk of 5 samples takes 115 bytes"));
    CHECK(complaint == Contains("229 bytes of data.memory"));
    CHECK(complaint == Contains("raise data.memory to 1 MiB or rewrite the file"));
}

TEST_CASE("next() rethrows an error of the reading thread, and a later call continues reading") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto set = SampleSet::open(write_counting_set(file, 1000, 10, /*deflate=*/true));
    const auto intact = read_bytes(file);
    SampleStream stream(set, {.memory_bytes = window_bytes(100)});

    write_unnoticed(file, without_streams(intact));
    stream.enter({.seed = 5, .group_batch = 100});
    CHECK_THROWS_WITH_AS(stream.next(), Contains("set.h5:/train/inputs: samples"), std::runtime_error);
    CHECK_THROWS_AS(stream.next(), std::runtime_error);
    CHECK(stream.position() == 0);

    write_unnoticed(file, intact);
    CHECK(sorted(rest_of_epoch(stream)) == counting(1000));
}

TEST_CASE("a window that cannot be planned causes an error in the thread that waits for it") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 10, 5));
    // No vector can hold the order of this many chunks.
    const ChunkMap too_many(std::int64_t{1} << 61, /*chunk_samples=*/1);
    const SampleOrder::Shape shape{.chunks = too_many, .num_windows = too_many.num_chunks() / 2};
    WindowReader reader(set, shape, Shuffle::windowed, /*num_threads=*/1, nullptr);

    CHECK_THROWS_AS(reader.at({}, {}), std::length_error);
    CHECK_THROWS_AS(reader.at({}, {}), std::length_error);
}

TEST_CASE("a stream can be destroyed at any moment") {
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
