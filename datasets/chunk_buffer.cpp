#include "datasets/chunk_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// Neighbouring chunks are read at once up to this size, so that small ones cost few calls.
constexpr std::size_t read_bytes = std::size_t{4} << 20;

/// Length of the run of consecutive numbers at the front, at most `limit`.
std::size_t run_length(std::span<const std::int64_t> chunks, std::size_t limit) {
    std::size_t length = 1;
    while (length < std::min(limit, chunks.size()) && chunks[length] == chunks[length - 1] + 1) {
        ++length;
    }
    return length;
}

}  // namespace

ChunkBuffer::Memory::Memory(std::size_t bytes_each, std::int64_t capacity)
    : sample_bytes(bytes_each),
      pages(std::make_unique_for_overwrite<Page[]>(Page::needed_for(bytes_each * static_cast<std::size_t>(capacity)))) {
}

std::span<std::byte> ChunkBuffer::Memory::range(std::int64_t begin, std::int64_t count) {
    return {bytes() + static_cast<std::size_t>(begin) * sample_bytes, static_cast<std::size_t>(count) * sample_bytes};
}

std::span<const std::byte> ChunkBuffer::Memory::at(std::int64_t slot) const {
    return {bytes() + static_cast<std::size_t>(slot) * sample_bytes, sample_bytes};
}

ChunkBuffer::ChunkBuffer(const SampleSet& set, std::int64_t capacity_chunks)
    : set_(set),
      chunk_samples_(set.chunk_samples()),
      capacity_(std::min(capacity_chunks * set.chunk_samples(), set.size())),
      inputs_(set.inputs().sample_bytes(), capacity_),
      targets_(set.targets().sample_bytes(), capacity_) {}

std::vector<ChunkBuffer::Read> ChunkBuffer::plan_reads() const {
    const auto chunk_bytes = static_cast<std::size_t>(chunk_samples_) * (inputs_.sample_bytes + targets_.sample_bytes);
    const auto chunks_per_read = std::max<std::size_t>(1, read_bytes / chunk_bytes);

    std::vector<Read> reads;
    std::int64_t filled = 0;
    for (std::span<const std::int64_t> left = chunks_; !left.empty();) {
        const auto run = run_length(left, chunks_per_read);
        const auto begin = left.front() * chunk_samples_;
        const auto count = std::min(static_cast<std::int64_t>(run) * chunk_samples_, set_.size() - begin);
        reads.push_back({begin, count, filled});
        filled += count;
        left = left.subspan(run);
    }
    CRESCENDO_EXPECT(filled <= capacity_);
    return reads;
}

bool ChunkBuffer::load(std::vector<std::int64_t> chunks, TaskPool& pool, const std::function<bool()>& go_on) {
    chunks_ = std::move(chunks);
    const auto reads = plan_reads();
    std::atomic<bool> complete = true;
    pool.run(reads.size(), [&](std::size_t index) {
        if (!complete || !go_on()) {
            complete = false;
            return;
        }
        const auto& [begin, count, slot] = reads[index];
        set_.read(begin, count, inputs_.range(slot, count), targets_.range(slot, count));
    });
    return complete;
}

ChunkBuffer::Sample ChunkBuffer::at(std::int64_t sample) const {
    const auto chunk = sample / chunk_samples_;
    const auto place = std::lower_bound(chunks_.begin(), chunks_.end(), chunk) - chunks_.begin();
    const auto slot = place * chunk_samples_ + (sample - chunk * chunk_samples_);
    return {inputs_.at(slot), targets_.at(slot)};
}

}  // namespace crescendo::datasets
