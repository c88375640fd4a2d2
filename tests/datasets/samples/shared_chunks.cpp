#include "datasets/samples/shared_chunks.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "core/files/memory_file.hpp"
#include "core/random.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/sanitized.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;
using State = SharedChunks::State;

/// ThreadSanitizer does not see that a timed lock of a dead process's mutex succeeds (EOWNERDEAD), and reports the
/// unlock after it as an error.
extern "C" const char* __tsan_default_suppressions() { return "mutex:SharedChunks::Memory::lock\n"; }

namespace {

constexpr std::size_t chunk_bytes = 1000;
constexpr std::size_t page = 4096;  // the smallest shared memory: four chunks

/// Fills in bytes that identify the chunk.
void fill(std::span<std::byte> bytes, const SharedChunks::Key& key) {
    const auto number = CounterRandom(key.set, static_cast<std::uint64_t>(key.chunk)).next();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>((number >> 8 * (i % 8)) + i);
    }
}

bool is_filled(std::span<const std::byte> bytes, const SharedChunks::Key& key) {
    std::vector<std::byte> expected(bytes.size());
    fill(expected, key);
    return std::equal(bytes.begin(), bytes.end(), expected.begin());
}

/// Claims the chunk, which no process has, and publishes it.
void give(SharedChunks& chunks, const SharedChunks::Key& key) {
    auto lease = chunks.acquire(key, chunk_bytes);
    REQUIRE(lease.state() == State::claimed);
    fill(lease.bytes(), key);
    lease.publish();
}

bool has(SharedChunks& chunks, const SharedChunks::Key& key) {
    const auto lease = chunks.acquire(key, chunk_bytes);
    CHECK((lease.state() != State::ready || is_filled(lease.bytes(), key)));
    return lease.state() == State::ready;
}

/// Two users of the same shared memory.
struct Two {
    explicit Two(std::size_t bytes = std::size_t{1} << 20) : one(memory.path(), bytes), other(memory.path(), bytes) {}

    MemoryFile memory{"test"};
    SharedChunks one;
    SharedChunks other;
};

/// Another process, which does `work` and then waits to be killed.
class OtherProcess {
  public:
    template <class Work>
    explicit OtherProcess(Work&& work) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        process_ = ::fork();
        REQUIRE(process_ >= 0);
        if (process_ == 0) {
            const auto done = work();  // what it returns is held until the process is killed
            (void)!::write(ends[1], "d", 1);
            ::pause();
        }
        char word = 0;
        REQUIRE(::read(ends[0], &word, 1) == 1);
        ::close(ends[0]);
        ::close(ends[1]);
    }

    ~OtherProcess() { kill(); }

    void kill() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
            process_ = -1;
        }
    }

  private:
    pid_t process_ = -1;
};

}  // namespace

TEST_CASE("a chunk that one process has read is available to the others") {
    Two two;

    give(two.one, {1, 7});

    CHECK(has(two.other, {1, 7}));
    CHECK(has(two.one, {1, 7}));
    CHECK_FALSE(has(two.other, {2, 7}));                                       // of another set
    CHECK(two.one.acquire({1, 7}, chunk_bytes + 1).state() == State::absent);  // it cannot be the same
}

TEST_CASE("the first process to ask for a chunk reads it, and if it gives up, the next one does") {
    Two two;
    {
        const auto claimed = two.one.acquire({1, 7}, chunk_bytes);
        REQUIRE(claimed.state() == State::claimed);
        const auto waiting = two.other.acquire({1, 7}, chunk_bytes);
        CHECK(waiting.state() == State::reading);
        CHECK(two.other.acquire({1, 7}, chunk_bytes).age() >= waiting.age());
    }

    give(two.other, {1, 7});

    CHECK(has(two.one, {1, 7}));
}

TEST_CASE("a single process keeps nothing, since no other process would use it") {
    const MemoryFile memory("test");
    SharedChunks alone(memory.path(), page);
    CHECK(alone.acquire({1, 7}, chunk_bytes).state() == State::absent);

    std::optional<SharedChunks> other(std::in_place, memory.path(), page);
    give(alone, {1, 7});
    CHECK(has(*other, {1, 7}));
    other.reset();

    CHECK(alone.acquire({1, 7}, chunk_bytes).state() == State::absent);
}

TEST_CASE("new chunks replace the oldest chunks but not chunks in use") {
    Two two(page);
    for (int chunk = 0; chunk < 4; ++chunk) {
        give(two.one, {1, chunk});
    }
    give(two.one, {1, 4});
    CHECK_FALSE(has(two.other, {1, 0}));  // and by asking, it has claimed and freed the place of chunk 1
    CHECK(has(two.other, {1, 4}));

    {
        std::vector<SharedChunks::Lease> held;
        for (int chunk = 10; chunk < 14; ++chunk) {
            held.push_back(two.one.acquire({1, chunk}, chunk_bytes));
        }
        CHECK(two.other.acquire({1, 20}, chunk_bytes).state() == State::absent);
        for (auto& lease : held) {
            lease.publish();
        }
        held.clear();
        held.push_back(two.one.acquire({1, 10}, chunk_bytes));  // the oldest is being copied
        CHECK(two.other.acquire({1, 20}, chunk_bytes).state() == State::absent);
    }
    give(two.other, {1, 20});
    CHECK_FALSE(two.other.acquire({1, 21}, 2 * page).state() == State::claimed);  // larger than all of it
}

TEST_CASE("small chunks that outnumber the places for chunks also replace the oldest ones") {
    Two two;  // 1,024 places
    constexpr std::size_t few_bytes = 8;
    for (int chunk = 0; chunk < 3000; ++chunk) {
        auto lease = two.one.acquire({1, chunk}, few_bytes);
        REQUIRE(lease.state() == State::claimed);
        fill(lease.bytes(), {1, chunk});
        lease.publish();
    }

    for (int chunk = 2999; chunk > 2999 - 1024; --chunk) {
        const auto lease = two.other.acquire({1, chunk}, few_bytes);
        REQUIRE(lease.state() == State::ready);
        REQUIRE(is_filled(lease.bytes(), {1, chunk}));
    }
    CHECK(two.other.acquire({1, 2999 - 1024}, few_bytes).state() == State::claimed);
}

TEST_CASE("a process copies a limited number of chunks at a time") {
    Two two(page);
    give(two.one, {1, 7});
    std::vector<SharedChunks::Lease> held;
    for (std::size_t i = 0; i < SharedChunks::most_readers; ++i) {
        held.push_back(two.other.acquire({1, 7}, chunk_bytes));
        CHECK(held.back().state() == State::ready);
    }

    CHECK(two.other.acquire({1, 7}, chunk_bytes).state() == State::absent);
    CHECK(has(two.one, {1, 7}));
    held.pop_back();
    CHECK(has(two.other, {1, 7}));
    held.clear();
    for (int chunk = 10; chunk < 14; ++chunk) {
        give(two.one, {1, chunk});  // the last one takes the place of chunk 7
    }
}

TEST_CASE("threads always get the chunks that they asked for, with chunks of many sizes") {
    Two two(16 * page);
    std::atomic<int> num_ready = 0;
    const auto work = [&](SharedChunks& chunks, std::uint64_t seed) {
        CounterRandom random(99, seed);
        for (int i = 0; i < (is_sanitized ? 600 : 3000); ++i) {
            const SharedChunks::Key key{1 + random.below(2), static_cast<std::int64_t>(random.below(40))};
            const auto bytes = 1 + static_cast<std::size_t>(key.chunk) * 137;
            auto lease = chunks.acquire(key, bytes);
            if (lease.state() == State::ready) {
                ++num_ready;
                if (!is_filled(lease.bytes(), key)) {
                    FAIL_CHECK("chunk " << key.chunk << " has other bytes");
                }
            } else if (lease.state() == State::claimed && random.below(10) > 0) {
                fill(lease.bytes(), key);
                lease.publish();
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] { work(i % 2 == 0 ? two.one : two.other, i); });
        }
    }

    CHECK(num_ready > 0);
    CHECK(two.one.acquire({9, 9}, 15 * page).state() == State::claimed);  // nothing is in use any more
}

TEST_CASE("chunks that a dead process was reading or copying become free") {
    const MemoryFile memory("test");
    const auto path = memory.path();  // of this process
    SharedChunks own(path, page);
    {
        SharedChunks helper(path, page);
        give(helper, {1, 1});
    }
    OtherProcess other([&] {
        auto chunks = std::make_unique<SharedChunks>(path, page);
        auto held = std::make_unique<std::vector<SharedChunks::Lease>>();
        held->push_back(chunks->acquire({1, 1}, chunk_bytes));
        held->push_back(chunks->acquire({1, 2}, chunk_bytes));
        chunks.release();  // NOLINT: it is to be killed with all that it holds
        return held;
    });
    CHECK(own.acquire({1, 2}, chunk_bytes).state() == State::reading);
    CHECK(own.acquire({1, 3}, 3 * chunk_bytes).state() == State::absent);  // the place of chunk 1 is in use

    other.kill();
    const SharedChunks third(path, page);  // it gets the dead process's number

    give(own, {1, 2});
    CHECK(own.acquire({1, 3}, 3 * chunk_bytes).state() == State::claimed);
}

TEST_CASE("processes killed at any moment leave the shared memory either working or out of use") {
    const MemoryFile memory("test");
    const auto path = memory.path();
    SharedChunks own(path, 4 * page);
    const SharedChunks companion(path, 4 * page);
    CounterRandom random(5, 0);
    for (int round = 0; round < 30; ++round) {
        const auto busy = ::fork();
        REQUIRE(busy >= 0);
        if (busy == 0) {
            SharedChunks chunks(path, 4 * page);
            for (std::int64_t i = 0;; ++i) {
                const SharedChunks::Key key{1, i % 20};
                auto lease = chunks.acquire(key, chunk_bytes);
                if (lease.state() == State::claimed) {
                    fill(lease.bytes(), key);
                    lease.publish();
                }
            }
        }
        for (int i = 0, steps = static_cast<int>(random.below(200)); i < steps; ++i) {
            has(own, {1, i % 20});
        }
        ::kill(busy, SIGKILL);
        ::waitpid(busy, nullptr, 0);
        for (int i = 0; i < 40; ++i) {
            has(own, {1, i % 20});
        }
    }

    for (int i = 0; i < 10; ++i) {
        const auto state = own.acquire({2, i}, chunk_bytes).state();
        CHECK((state == State::claimed || state == State::absent));
    }
}

TEST_CASE("memory that cannot be shared is refused with its path") {
    const MemoryFile unprepared("test");  // as if a process had died before it wrote anything
    std::filesystem::resize_file(unprepared.path(), std::size_t{1} << 20);
    CHECK_THROWS_WITH(SharedChunks(unprepared.path(), page), Contains("is incomplete: the process that prepared it"));
    CHECK_THROWS_WITH(SharedChunks("/nonexistent/memory", page), Contains("/nonexistent/memory"));
}

namespace {

constexpr std::uint64_t sweep_seed = 11;

/// 2,048 compressed samples of 1 KiB in chunks of 32. A window of 256 KiB holds an eighth of them.
struct CompressedSet {
    TemporaryFolder folder;
    std::size_t file_bytes = 0;
    std::shared_ptr<const SampleSet> set;

    /// In one file, or in several.
    explicit CompressedSet(std::size_t num_files = 1) {
        std::vector<std::uint8_t> bytes(2048 * 1024);
        CounterRandom random(7, 0);
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random.below(64)); });
        const std::size_t rows = 2048 / num_files;
        for (std::size_t i = 0; i < num_files; ++i) {
            const auto file = folder / ("part-" + std::to_string(i) + ".h5");
            Hdf5Writer(file).add("/inputs", {rows, 1024}, H5T_NATIVE_UINT8, bytes.data() + i * rows * 1024,
                                 {.chunk = {32, 1024}, .deflate = true});
            file_bytes += std::filesystem::file_size(file);
        }
        set = SampleSet::open((folder / "*.h5").string() + ":/", {.targets = {}});
    }

    std::unique_ptr<SampleStream> stream(std::shared_ptr<SharedChunks> shared) const {
        return std::make_unique<SampleStream>(
            set, SampleStream::Options{.memory_bytes = std::size_t{512} << 10, .shared = std::move(shared)});
    }

    /// The steps of an epoch of a trial that runs alone.
    std::vector<Slice> epoch_of(std::uint64_t trial, std::int64_t epoch) const {
        const auto alone = stream(nullptr);
        alone->enter({.seed = {sweep_seed, trial}, .epoch = epoch, .group_batch = 64});
        std::vector<Slice> steps;
        while (auto slice = alone->next()) {
            steps.push_back(std::move(*slice));
        }
        return steps;
    }
};

}  // namespace

TEST_CASE("concurrent trials read a compressed set once together, and each gets the same samples as alone") {
    for (const std::size_t num_files : is_sanitized ? std::vector<std::size_t>{4} : std::vector<std::size_t>{1, 4}) {
        const CompressedSet data(num_files);
        constexpr std::size_t num_trials = 4;
        const MemoryFile memory("test");
        std::vector<std::unique_ptr<SampleStream>> trials;
        for (std::size_t trial = 0; trial < num_trials; ++trial) {
            trials.push_back(data.stream(std::make_shared<SharedChunks>(memory.path(), std::size_t{512} << 10)));
        }
        std::size_t bytes_read = 0;
        for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
            std::vector<std::vector<Slice>> alone;
            for (std::size_t trial = 0; trial < num_trials; ++trial) {
                alone.push_back(data.epoch_of(trial, epoch));
            }
            CHECK(alone[0][0].samples != alone[1][0].samples);  // each trial has its own order in a window
            const auto before = bytes_read_so_far();
            for (std::size_t trial = 0; trial < num_trials; ++trial) {
                trials[trial]->enter({.seed = {sweep_seed, trial}, .epoch = epoch, .group_batch = 64});
            }
            for (std::size_t step = 0; step < alone[0].size(); ++step) {
                for (std::size_t trial = 0; trial < num_trials; ++trial) {
                    const auto slice = trials[trial]->next();
                    REQUIRE(slice);
                    CHECK(slice->samples == alone[trial][step].samples);
                    CHECK(slice->inputs == alone[trial][step].inputs);
                }
            }
            bytes_read += bytes_read_so_far() - before;
        }

        // Two epochs, and two of the eight windows of the next epoch, which are read ahead.
        const auto expected = 2.25 * static_cast<double>(data.file_bytes);
        CHECK(static_cast<double>(bytes_read) <= 1.3 * expected);
    }
}

TEST_CASE("a stream that waits for samples signals that some arrive") {
    const CompressedSet data(1);
    const MemoryFile memory("test");
    const auto other = std::make_shared<SharedChunks>(memory.path(), std::size_t{4} << 20);
    const auto waiting = data.stream(std::make_shared<SharedChunks>(memory.path(), std::size_t{4} << 20));
    // Another process has claimed all chunks and never publishes one: the stream waits, and then reads them itself.
    std::vector<SharedChunks::Lease> claimed;
    const auto bytes = data.set->chunk_bytes(data.set->chunk_samples());
    for (std::int64_t chunk = 0; chunk < data.set->chunks().num_chunks(); ++chunk) {
        claimed.push_back(other->acquire({data.set->identity(), chunk}, bytes));
    }
    int num_beats = 0;

    waiting->enter({.group_batch = 64});
    const auto slice = waiting->next(*std::pmr::new_delete_resource(),
                                     {.beat = [&] { ++num_beats; }, .period = std::chrono::milliseconds(10)});

    CHECK(slice);
    CHECK(num_beats > 0);
}

TEST_CASE("a trial far ahead in another epoch reads for itself and does not disturb the other trial") {
    const CompressedSet data;
    const MemoryFile memory("test");
    auto near = data.stream(std::make_shared<SharedChunks>(memory.path(), std::size_t{64} << 10));
    auto far = data.stream(std::make_shared<SharedChunks>(memory.path(), std::size_t{64} << 10));
    near->enter({.seed = {sweep_seed, 1}, .group_batch = 64});
    far->enter({.seed = {sweep_seed, 2}, .epoch = 3, .position = 1024, .group_batch = 64});

    std::vector<std::int64_t> samples;
    while (const auto slice = near->next()) {
        samples.insert(samples.end(), slice->samples.begin(), slice->samples.end());
        far->next();
    }

    std::sort(samples.begin(), samples.end());
    CHECK(samples.size() == 2048);
    CHECK(std::adjacent_find(samples.begin(), samples.end()) == samples.end());
}
