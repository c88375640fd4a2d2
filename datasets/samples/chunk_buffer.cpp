#include "datasets/samples/chunk_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// Size in bytes up to which neighbouring chunks are read in one call, so that small chunks cost few calls.
constexpr std::size_t read_bytes = std::size_t{4} << 20;

/// Number of reads to announce ahead of the present one. More gained nothing (docs/decisions/read-ahead.md).
constexpr std::size_t reads_ahead = 4;

}  // namespace

ChunkBuffer::Memory::Memory(const Field& field, std::int64_t chunk_samples, std::int64_t num_chunks)
    : field_(field),
      sample_bytes_(field.sample_bytes()),
      pitch_bytes_(field.pitch_bytes()),
      chunk_bytes_(field.chunk_bytes(chunk_samples)),
      pages_(std::make_unique_for_overwrite<Page[]>(
          Page::needed_for(chunk_bytes_ * static_cast<std::size_t>(num_chunks)))) {}

std::span<std::byte> ChunkBuffer::Memory::range(std::int64_t place, std::int64_t count) {
    return {bytes() + static_cast<std::size_t>(place) * chunk_bytes_, field_.bytes_of(count)};
}

std::span<const std::byte> ChunkBuffer::Memory::at(Place place) const {
    const auto chunk = bytes() + static_cast<std::size_t>(place.chunk) * chunk_bytes_;
    return {chunk + static_cast<std::size_t>(place.sample) * pitch_bytes_, sample_bytes_};
}

ChunkBuffer::ChunkBuffer(const SampleSet& set, std::int64_t capacity_chunks, std::shared_ptr<SharedChunks> shared)
    : set_(set),
      shared_(std::move(shared)),
      identity_(shared_ ? set.identity() : 0),
      map_(set.chunks()),
      chunk_samples_(set.chunk_samples()),
      capacity_chunks_(capacity_chunks),
      overlap_(false) {
    for (const auto* side : {&set.inputs(), &set.targets()}) {
        for (const auto& field : *side) {
            owner_.push_back(set.first_alike(memory_.size()));
            memory_.emplace_back(field, chunk_samples_, owner_.back() == memory_.size() ? capacity_chunks : 0);
            overlap_ = overlap_ || field.sample_bytes() > field.pitch_bytes();
        }
    }
}

/// Number of leading chunks that are consecutive in the file, and so in memory: only the last may be short.
std::size_t ChunkBuffer::run_length(std::span<const std::int64_t> chunks, std::size_t limit) const {
    std::size_t length = 1;
    while (length < std::min(limit, chunks.size()) && chunks[length] == chunks[length - 1] + 1 &&
           map_.samples_of(chunks[length - 1]).size() == chunk_samples_) {
        ++length;
    }
    return length;
}

std::vector<ChunkBuffer::Read> ChunkBuffer::plan_reads() const {
    CRESCENDO_EXPECT(std::ssize(chunks_) <= capacity_chunks_);
    const auto chunk_bytes = set_.chunk_bytes(chunk_samples_);
    const auto chunks_per_read = overlap_ ? 1 : std::max<std::size_t>(1, read_bytes / chunk_bytes);

    std::vector<Read> reads;
    std::int64_t place = 0;
    for (std::span<const std::int64_t> left = chunks_; !left.empty();) {
        const auto run = run_length(left, chunks_per_read);
        const auto begin = map_.samples_of(left.front()).begin;
        const auto end = map_.samples_of(left[run - 1]).end;
        reads.push_back({begin, end - begin, place});
        place += static_cast<std::int64_t>(run);
        left = left.subspan(run);
    }
    return reads;
}

bool ChunkBuffer::load(std::vector<std::int64_t> chunks, TaskPool& pool, const std::function<bool()>& go_on) {
    chunks_ = std::move(chunks);
    const auto reads = plan_reads();
    // The system reads ahead consecutive bytes by itself.
    const auto announce = [&](std::size_t index) {
        if (index < reads.size() && reads[index].begin != reads[index - 1].begin + reads[index - 1].count) {
            set_.announce(reads[index].begin, reads[index].count);
        }
    };
    for (std::size_t index = 1; index < reads_ahead; ++index) {
        announce(index);
    }
    std::atomic<bool> complete = true;
    std::mutex mutex;
    std::vector<Read> others;  // chunks that other processes were reading
    pool.run(reads.size(), [&](std::size_t index) {
        if (!complete || !go_on()) {
            complete = false;
            return;
        }
        announce(index + reads_ahead);
        if (!shared_) {
            return read(reads[index]);
        }
        const auto more = read_for_all(reads[index]);
        const std::lock_guard lock(mutex);
        others.insert(others.end(), more.begin(), more.end());
    });
    pool.run(others.size(), [&](std::size_t index) {
        if (!complete || !wait_for(others[index], go_on)) {
            complete = false;
        }
    });
    if (complete) {
        set_.expect_unchanged(chunks_);
    }
    return complete;
}

/// The memory of `read`, for each field that has its own.
std::vector<std::span<std::byte>> ChunkBuffer::fields_of(const Read& read) {
    std::vector<std::span<std::byte>> fields;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        fields.push_back(owner_[i] == i ? memory_[i].range(read.place, read.count) : std::span<std::byte>());
    }
    return fields;
}

void ChunkBuffer::read(const Read& read) {
    const auto began = std::chrono::steady_clock::now();
    set_.read(read.begin, read.count, fields_of(read));
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    if (took > longest_read_.load()) {
        longest_read_ = took;  // a race between threads is harmless: both values are estimates
    }
}

/// Reads chunks that no process has read, and copies those that others have. Returns the chunks that others are
/// reading.
std::vector<ChunkBuffer::Read> ChunkBuffer::read_for_all(const Read& run) {
    std::vector<Read> others;
    std::vector<std::pair<SharedChunks::Lease, Read>> claimed;
    Read own{run.begin, 0, run.place};
    const auto read_own = [&] {
        if (own.count > 0) {
            read(own);
        }
        for (auto& [lease, chunk] : claimed) {
            publish(std::move(lease), chunk);
        }
        claimed.clear();
    };
    for (Read chunk = run; chunk.begin < run.begin + run.count; chunk.begin += chunk_samples_, ++chunk.place) {
        chunk.count = std::min(chunk_samples_, run.begin + run.count - chunk.begin);
        auto lease = acquire(chunk);
        if (lease.state() == SharedChunks::State::claimed || lease.state() == SharedChunks::State::absent) {
            own.count += chunk.count;
            claimed.emplace_back(std::move(lease), chunk);
            continue;
        }
        read_own();
        own = {chunk.begin + chunk.count, 0, chunk.place + 1};
        if (lease.state() == SharedChunks::State::reading) {
            others.push_back(chunk);
        } else {
            copy_from(lease.bytes(), chunk);
        }
    }
    read_own();
    return others;
}

/// Waits for a chunk that another process is reading, but no longer than a read takes. Returns false if `go_on` does.
bool ChunkBuffer::wait_for(const Read& chunk, const GoOn& go_on) {
    const auto patience = std::max<std::chrono::nanoseconds>(std::chrono::milliseconds(500), 4 * longest_read_.load());
    for (;;) {
        auto lease = acquire(chunk);
        if (lease.state() == SharedChunks::State::ready) {
            copy_from(lease.bytes(), chunk);
            return true;
        }
        if (lease.state() != SharedChunks::State::reading || lease.age() > patience) {
            read(chunk);
            publish(std::move(lease), chunk);
            return true;
        }
        if (!go_on()) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

SharedChunks::Lease ChunkBuffer::acquire(const Read& chunk) {
    std::size_t bytes = 0;
    for (const auto& field : fields_of(chunk)) {
        bytes += field.size();
    }
    return shared_->acquire({identity_, map_.chunk_of(chunk.begin)}, bytes);
}

void ChunkBuffer::copy_from(std::span<const std::byte> shared, const Read& chunk) {
    for (const auto& field : fields_of(chunk)) {
        std::copy_n(shared.begin(), field.size(), field.begin());
        shared = shared.subspan(field.size());
    }
}

/// Publishes a chunk that was read, if `lease` has claimed it.
void ChunkBuffer::publish(SharedChunks::Lease lease, const Read& chunk) {
    if (lease.state() != SharedChunks::State::claimed) {
        return;
    }
    auto shared = lease.bytes();
    for (const auto& field : fields_of(chunk)) {
        std::copy(field.begin(), field.end(), shared.begin());
        shared = shared.subspan(field.size());
    }
    lease.publish();
}

ChunkBuffer::Place ChunkBuffer::find(std::int64_t sample) const {
    const auto [chunk, in_chunk] = map_.find(sample);
    const auto held = std::lower_bound(chunks_.begin(), chunks_.end(), chunk) - chunks_.begin();
    return {held, in_chunk};
}

}  // namespace crescendo::datasets
