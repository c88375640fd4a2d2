#include "datasets/inspection/bench.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <vector>

#include "core/check.hpp"
#include "core/median.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/samples/chunk_buffer.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_pattern.hpp"
#include "datasets/system/raw_file.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {
namespace {

constexpr std::uint64_t window_bytes = std::uint64_t{64} << 20;

constexpr int num_turns = 3;

double bytes_per_second(const std::function<std::uint64_t()>& read) {
    const auto begin = std::chrono::steady_clock::now();
    const auto bytes = read();
    return static_cast<double>(bytes) / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Reads the set's first chunks, window by window, as a stream without a shuffle does.
class Windows {
  public:
    Windows(const SampleSet& set, std::uint64_t bytes)
        : set_(set),
          sample_bytes_(set.inputs().sample_bytes() + set.targets().sample_bytes()),
          window_chunks_(chunks_of(window_bytes)),
          num_chunks_(std::min(chunks_of(bytes), set.chunks().num_chunks())),
          buffer_(set, window_chunks_) {}

    /// Returns the number of bytes of the elements.
    std::uint64_t read(TaskPool& pool) {
        for (std::int64_t begin = 0; begin < num_chunks_; begin += window_chunks_) {
            std::vector<std::int64_t> chunks(static_cast<std::size_t>(std::min(window_chunks_, num_chunks_ - begin)));
            std::iota(chunks.begin(), chunks.end(), begin);
            buffer_.load(std::move(chunks), pool, [] { return true; });
        }
        return static_cast<std::uint64_t>(set_.chunks().samples_of(num_chunks_ - 1).end) * sample_bytes_;
    }

  private:
    std::int64_t chunks_of(std::uint64_t bytes) const {
        const auto chunk_bytes = static_cast<std::uint64_t>(set_.chunk_samples()) * sample_bytes_;
        return static_cast<std::int64_t>(std::max<std::uint64_t>(1, bytes / chunk_bytes));
    }

    const SampleSet& set_;
    std::uint64_t sample_bytes_;
    std::int64_t window_chunks_;
    std::int64_t num_chunks_;
    ChunkBuffer buffer_;
};

}  // namespace

std::vector<Throughput> bench(const std::string& location, const std::vector<int>& threads, std::uint64_t bytes,
                              const std::vector<std::string>& data_sets, MissingSources missing) {
    const auto set = SampleSet::open(location, SetOptions::of(data_sets, missing));
    RawFile file(files_named(Location::parse(Selection::parse(location).group).file));
    Windows windows(*set, bytes);
    std::vector<Throughput> results;
    for (const int count : threads) {
        CRESCENDO_VALIDATE(count >= 1, "", "{} threads cannot read; use 1 or more", count);
        TaskPool pool(count);
        for (const auto cache : {Throughput::Cache::cold, Throughput::Cache::warm}) {
            const auto timed = [&](const std::function<std::uint64_t()>& read) {
                cache == Throughput::Cache::cold ? file.forget() : static_cast<void>(read());
                return bytes_per_second(read);
            };
            std::vector<double> elements;
            std::vector<double> raw;
            for (int turn = 0; turn < num_turns; ++turn) {
                elements.push_back(timed([&] { return windows.read(pool); }));
                raw.push_back(timed([&] { return file.read(bytes, pool); }));
            }
            results.push_back({count, cache, median(elements), median(raw)});
        }
    }
    return results;
}

}  // namespace crescendo::datasets
