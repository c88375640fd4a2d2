// Compares the reader's throughput with the least work that reading the same bytes takes, in turn in one process.
//
//   hdf5_streaming load FILE:/GROUP THREADS     windows of samples, ours and the bare work, in MB/s of elements
//   hdf5_streaming cold FILE:/GROUP THREADS     the same from the disk, next to pread: in file order, and shuffled
//   hdf5_streaming copy FILE:/GROUP 1           inputs normalised and checked for NaN, and copied unchanged
//   hdf5_streaming stream FILE:/GROUP THREADS   one shuffled epoch in batches of 128, in samples/s
//   hdf5_streaming begin FILE:/GROUP THREADS    time to open, and to the 100th shuffled batch of 128; peak memory
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/hdf5/finding_driver.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/readers/file_bytes.hpp"
#include "datasets/readers/filter_pipeline.hpp"
#include "datasets/samples/chunk_buffer.hpp"
#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "datasets/system/raw_file.hpp"
#include "datasets/system/task_pool.hpp"

namespace {

using namespace crescendo::datasets;

constexpr std::size_t window_bytes = std::size_t{64} << 20;
constexpr int num_turns = 7;

double seconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
    return values[values.size() / 2];
}

std::size_t bytes_of(const SampleSet& set) {
    return static_cast<std::size_t>(set.size()) * (set.inputs().sample_bytes() + set.targets().sample_bytes());
}

std::int64_t chunks_in_window(const SampleSet& set) {
    const auto chunk_bytes = static_cast<std::size_t>(set.chunk_samples()) * set.inputs().sample_bytes();
    return static_cast<std::int64_t>(std::max<std::size_t>(1, window_bytes / chunk_bytes));
}

/// The set's chunks in file order.
std::vector<std::int64_t> in_order(const SampleSet& set) {
    std::vector<std::int64_t> chunks(static_cast<std::size_t>((set.size() - 1) / set.chunk_samples() + 1));
    std::iota(chunks.begin(), chunks.end(), 0);
    return chunks;
}

/// Calls `visit` with the chunks of each window in turn, ascending.
void for_each_window(const SampleSet& set, std::span<const std::int64_t> order,
                     const std::function<void(std::vector<std::int64_t>)>& visit) {
    const auto window = static_cast<std::size_t>(chunks_in_window(set));
    for (; !order.empty(); order = order.subspan(std::min(window, order.size()))) {
        const auto part = order.first(std::min(window, order.size()));
        std::vector<std::int64_t> chunks(part.begin(), part.end());
        std::sort(chunks.begin(), chunks.end());
        visit(std::move(chunks));
    }
}

/// Reads the whole set with the reader, window by window.
void load(const SampleSet& set, std::span<const std::int64_t> order, ChunkBuffer& buffer, TaskPool& pool) {
    for_each_window(set, order, [&](std::vector<std::int64_t> chunks) {
        buffer.load(std::move(chunks), pool, [] { return true; });
    });
}

RawFile file_of(const SampleSet& set) { return RawFile(Location::parse(set.location()).file); }

/// The stored chunks of the inputs, which hold whole samples.
class StoredChunks {
  public:
    explicit StoredChunks(const SampleSet& set)
        : num_chunks_(static_cast<std::size_t>((set.size() - 1) / set.inputs()[0].chunk_samples + 1)),
          rank_(1 + set.inputs()[0].shape.size()),
          chunk_samples_(set.inputs()[0].chunk_samples),
          chunk_bytes_(static_cast<std::size_t>(chunk_samples_) * set.inputs().sample_bytes()) {
        const hdf5::Session session;
        const auto location = Location::parse(set.location());
        file_ = hdf5::open_file(location.file, hdf5::Access::read);
        data_set_ = hdf5::open_data_set(file_.get(), set.inputs()[0].path, location.file.string());
        std::vector<FilterPipeline::Stage> stages;
        for (const auto& filter : hdf5::filters(data_set_.get())) {
            stages.push_back({filter.id, filter.parameters});
        }
        pipeline_ = FilterPipeline::make(std::move(stages), chunk_bytes_);
        window_.resize(std::max<std::size_t>(1, window_bytes / chunk_bytes_) * chunk_bytes_);
    }

    bool filtered() const { return !pipeline_->empty(); }

    /// Reads all chunks with H5Dread_chunk, in one thread.
    std::size_t read() {
        for (std::size_t chunk = 0; chunk < num_chunks_; ++chunk) {
            fetch(chunk, place(chunk));
        }
        return num_chunks_ * chunk_bytes_;
    }

    void keep_in_memory() {
        for (std::size_t chunk = 0; chunk < num_chunks_; ++chunk) {
            hsize_t size = 0;
            const auto at = offset(chunk);
            hdf5::check(H5Dget_chunk_storage_size(data_set_.get(), at.data(), &size), "no size");
            stored_.emplace_back(size);
            fetch(chunk, stored_.back());
        }
    }

    /// Only decompresses the chunks, which are kept in memory.
    std::size_t decode(TaskPool& pool, int num_threads) {
        const auto parts = static_cast<std::size_t>(num_threads) * 16;
        pool.run(parts, [&](std::size_t part) {
            FilterPipeline::Scratch scratch;
            for (auto chunk = num_chunks_ * part / parts; chunk < num_chunks_ * (part + 1) / parts; ++chunk) {
                pipeline_->decode(stored_[chunk], 0, place(chunk), scratch);
            }
        });
        return num_chunks_ * chunk_bytes_;
    }

  private:
    std::vector<hsize_t> offset(std::size_t chunk) const {
        std::vector<hsize_t> first(rank_, 0);
        first[0] = chunk * static_cast<std::size_t>(chunk_samples_);
        return first;
    }
    std::span<std::byte> place(std::size_t chunk) {
        return std::span(window_).subspan(chunk * chunk_bytes_ % window_.size(), chunk_bytes_);
    }
    void fetch(std::size_t chunk, std::span<std::byte> out) {
        std::uint32_t mask = 0;
        hdf5::check(H5Dread_chunk(data_set_.get(), H5P_DEFAULT, offset(chunk).data(), &mask, out.data()), "no chunk");
    }

    std::size_t num_chunks_;
    std::size_t rank_;
    std::int64_t chunk_samples_;
    std::size_t chunk_bytes_;
    hdf5::Handle file_;
    hdf5::Handle data_set_;
    std::optional<FilterPipeline> pipeline_;
    std::vector<std::byte> window_;
    std::vector<std::vector<std::byte>> stored_;
};

/// How the set is read.
struct Way {
    std::vector<std::int64_t> chunks;  ///< in reading order, but ascending within a window
    int threads = 1;
    std::function<void()> prepare = [] {};  ///< called before each timed part
};

/// Times ours and `bare` in turn, after a warm-up round. `bare` returns the bytes that it moved.
void compare(const SampleSet& set, const Way& way, const char* what,
             const std::function<std::size_t(TaskPool&)>& bare) {
    TaskPool pool(way.threads);
    ChunkBuffer buffer(set, chunks_in_window(set));
    load(set, way.chunks, buffer, pool);
    bare(pool);
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratios;
    for (int turn = 0; turn < num_turns; ++turn) {
        way.prepare();
        const auto our_time = seconds([&] { load(set, way.chunks, buffer, pool); });
        ours.push_back(static_cast<double>(bytes_of(set)) / 1e6 / our_time);
        way.prepare();
        std::size_t bytes = 0;
        const auto time = seconds([&] { bytes = bare(pool); });
        theirs.push_back(static_cast<double>(bytes) / 1e6 / time);
        ratios.push_back(ours.back() / theirs.back());
    }
    std::printf("%-8s %d %-14s %8.0f %8.0f %6.2f\n", to_string(set.inputs()[0].route), way.threads, what, median(ours),
                median(theirs), median(ratios));
}

void compare_load(const SampleSet& set, int threads) {
    const Way way{.chunks = in_order(set), .threads = threads};
    if (set.inputs()[0].route == Route::pread) {
        auto raw = file_of(set);
        compare(set, way, "pread", [&](TaskPool& pool) { return raw.read(bytes_of(set), pool); });
        return;
    }
    StoredChunks chunks(set);
    if (!chunks.filtered()) {
        compare(set, way, "H5Dread_chunk", [&](TaskPool&) { return chunks.read(); });
        return;
    }
    chunks.keep_in_memory();
    compare(set, way, "decompression", [&](TaskPool& pool) { return chunks.decode(pool, threads); });
}

/// Where the inputs' chunks are in the file.
class Places {
  public:
    explicit Places(const SampleSet& set) : field_(set.inputs()[0]), chunk_samples_(set.chunk_samples()) {
        const hdf5::Session session;
        const auto location = Location::parse(set.location());
        file_ = hdf5::open_file(location.file, hdf5::Access::find);
        data_set_ = hdf5::open_data_set(file_.get(), field_.path, location.file.string());
    }
    ~Places() {
        const hdf5::Session session;
        data_set_.reset();
        file_.reset();
    }

    int descriptor() const { return hdf5::descriptor(file_.get()); }

    hdf5::Finder::Piece of(std::int64_t chunk) const {
        const auto first = chunk * chunk_samples_;
        if (field_.route == Route::pread) {
            const auto count = std::min(chunk_samples_, field_.num_samples - first);
            return {H5Dget_offset(data_set_.get()) + static_cast<std::size_t>(first) * field_.sample_bytes(),
                    static_cast<std::size_t>(count) * field_.sample_bytes()};
        }
        const hdf5::Finder finder;
        std::vector<hsize_t> offset(1 + field_.shape.size(), 0);
        offset[0] = static_cast<hsize_t>(first);
        std::uint32_t mask = 0;
        std::byte nowhere{};
        hdf5::check(H5Dread_chunk(data_set_.get(), H5P_DEFAULT, offset.data(), &mask, &nowhere), "no chunk");
        return finder.piece().value();
    }

  private:
    Field field_;
    std::int64_t chunk_samples_;
    hdf5::Handle file_;
    hdf5::Handle data_set_;
};

/// Reads from the disk: the chunks in file order, next to all of the file's bytes; and in random order, next to preads
/// of the same chunks in the same order.
void compare_cold(const SampleSet& set, int threads) {
    auto raw = file_of(set);
    Way way{.chunks = in_order(set), .threads = threads, .prepare = [&] { raw.forget(); }};
    compare(set, way, "cold pread", [&](TaskPool& pool) { return raw.read(bytes_of(set), pool); });

    std::shuffle(way.chunks.begin(), way.chunks.end(), std::mt19937_64(1));
    const Places places(set);
    std::vector<hdf5::Finder::Piece> pieces;
    for_each_window(set, way.chunks, [&](const std::vector<std::int64_t>& chunks) {
        for (const auto chunk : chunks) {
            pieces.push_back(places.of(chunk));
        }
    });
    std::vector<std::byte> memory(window_bytes);
    compare(set, way, "shuffled, cold", [&](TaskPool& pool) {
        std::atomic<std::size_t> bytes = 0;
        pool.run(pieces.size(), [&](std::size_t index) {
            const auto& piece = pieces[index];
            const auto place = index * pieces.front().bytes % (window_bytes - piece.bytes + 1);
            read_bytes(places.descriptor(), piece.offset, std::span(memory).subspan(place, piece.bytes));
            bytes += piece.bytes;
        });
        return bytes.load();
    });
}

/// Puts a window's inputs, sample by sample in random order, into batches of 128: converted, and only copied.
void compare_copy(const SampleSet& set) {
    TaskPool pool(1);
    ChunkBuffer buffer(set, chunks_in_window(set));
    auto chunks = in_order(set);
    chunks.resize(std::min(chunks.size(), static_cast<std::size_t>(chunks_in_window(set))));
    std::vector<std::int64_t> samples(
        std::min(chunks.size() * static_cast<std::size_t>(set.chunk_samples()), static_cast<std::size_t>(set.size())));
    std::iota(samples.begin(), samples.end(), 0);
    std::shuffle(samples.begin(), samples.end(), std::mt19937_64(1));
    buffer.load(std::move(chunks), pool, [] { return true; });

    const auto& field = set.inputs()[0];
    std::vector<std::byte> batch(128 * sizeof(float) * static_cast<std::size_t>(field.sample_elements()));
    const auto rate = [&](const Conversion& conversion) {
        const auto time = seconds([&] {
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const auto out = batch.data() + i % 128 * conversion.sample_bytes();
                if (!conversion.convert(buffer.at(0, buffer.find(samples[i])), out)) {
                    throw std::runtime_error("a number is not finite");
                }
            }
        });
        return static_cast<double>(samples.size() * field.sample_bytes()) / 1e6 / time;
    };
    const auto normalised = Conversion::to_float32(field, {.mean = {0.5}, .std = {2}});
    const auto as_stored = Conversion::as_stored(field);
    std::vector<double> ours;
    std::vector<double> plain;
    std::vector<double> ratios;
    for (int turn = 0; turn < num_turns; ++turn) {
        ours.push_back(rate(normalised));
        plain.push_back(rate(as_stored));
        ratios.push_back(ours.back() / plain.back());
    }
    std::printf("%-8s %d %-14s %8.0f %8.0f %6.2f\n", "memory", 1, "copy", median(ours), median(plain), median(ratios));
}

void stream(const std::shared_ptr<SampleSet>& set, int threads) {
    std::vector<double> rates;
    for (int turn = 0; turn < 3; ++turn) {
        const auto time = seconds([&] {
            SampleStream samples(set, {.threads = threads});
            samples.enter({.seed = 1, .group_batch = 128});
            while (samples.next()) {}
        });
        rates.push_back(static_cast<double>(set->size()) / time);
    }
    std::printf("%.0f\n", median(rates));
}

/// Not from getrusage, which includes the process before its exec of this program.
long peak_kilobytes() {
    std::ifstream status("/proc/self/status");
    long peak = 0;
    for (std::string word; status >> word;) {
        if (word == "VmHWM:") {
            status >> peak;
        }
    }
    return peak;
}

void begin(const char* location, int threads) {
    std::shared_ptr<SampleSet> set;
    const auto opening = seconds([&] { set = SampleSet::open(location); });
    const auto batches = seconds([&] {
        SampleStream samples(set, {.threads = threads});
        samples.enter({.seed = 1, .group_batch = 128});
        for (int batch = 0; batch < 100; ++batch) {
            samples.next();
        }
    });
    std::printf("%lld samples: opened in %.3f s, 100 batches in %.1f s, at most %ld MB of memory\n",
                static_cast<long long>(set->size()), opening, batches, peak_kilobytes() / 1024);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: hdf5_streaming load|cold|copy|stream|begin FILE:/GROUP THREADS\n");
        return 2;
    }
    const int threads = std::atoi(argv[3]);
    if (std::string(argv[1]) == "begin") {
        begin(argv[2], threads);
        return 0;
    }
    const auto set = SampleSet::open(argv[2]);
    if (std::string(argv[1]) == "stream") {
        stream(set, threads);
    } else if (std::string(argv[1]) == "cold") {
        compare_cold(*set, threads);
    } else if (std::string(argv[1]) == "copy") {
        compare_copy(*set);
    } else {
        compare_load(*set, threads);
    }
}
