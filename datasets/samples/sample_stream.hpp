#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_order.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/shared_chunks.hpp"
#include "datasets/samples/waiting.hpp"

namespace crescendo::datasets {

/// An allocator whose memory is not filled with zeros before it is written.
template <class T>
struct UninitializedAllocator : std::pmr::polymorphic_allocator<T> {
    using std::pmr::polymorphic_allocator<T>::polymorphic_allocator;
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Args>
    void construct(U* place, Args&&... args) {
        ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }
};
using Bytes = std::vector<std::byte, UninitializedAllocator<std::byte>>;

/// What happens to a sample that has, in its inputs or targets, a number that is NaN or infinite after conversion, or a
/// class that is missing (Conversion::convert).
enum class NonFinite {
    error,  ///< the step throws
    skip,   ///< the sample is left out of its slice
    keep,
};

inline constexpr Words non_finite_words{
    {std::pair{NonFinite::error, "error"}, {NonFinite::skip, "skip"}, {NonFinite::keep, "keep"}}};

/// Throws std::runtime_error about such a number, which is in `field` of sample `sample`.
[[noreturn]] void complain_of_number(const SampleSet& set, std::int64_t sample, const Field& field);

/// This worker's samples of one step, in the order of the epoch.
struct Slice {
    /// Samples of each member of the group in this step, with those skipped: mostly equally many, or one more or less.
    std::vector<std::int64_t> member_samples = {};
    std::vector<std::int64_t> samples;  ///< numbers of the samples in the set; empty if the step has too few
    Bytes inputs;                       ///< the converted fields, sample by sample
    Bytes targets;

    /// Samples of the group in this step, with those skipped: the batch, or fewer at the epoch's end.
    std::int64_t group_samples() const {
        return std::accumulate(member_samples.begin(), member_samples.end(), std::int64_t{0});
    }

    /// Samples that were skipped, of this worker, which is member `rank` of the group.
    std::int64_t left_out(int rank) const {
        return member_samples[static_cast<std::size_t>(rank)] - static_cast<std::int64_t>(samples.size());
    }
};

/// Reads the samples of one worker ahead of its steps. Threads fetch whole chunks, window by window.
///
/// Step i of a group takes the positions [i·B, (i+1)·B) of the epoch's order, counted from where the epoch was entered.
/// The order depends on the seed, the epoch, the chunks of the file, the shuffle and the memory. All members of a group
/// must use the same shuffle and memory.
///
/// The members divide the shards of the order (SampleOrder) among them, and with these the samples of every step. So
/// together they read the set once. In a group that has more members than there are shards, or where the shards would
/// divide too unevenly (num_teams), several members share theirs (Team): each reads them, and takes every k-th sample.
/// Without a shuffle there is one shard, and every member reads the set.
///
/// Memory: two windows of at most `memory_bytes` together, 8 bytes for each chunk of the file, and up to three chunks
/// for each thread while it decodes. A set that fits as a whole is one window, which is read once and kept over epochs
/// and seeds.
///
/// A stream may also be one part of a set, so that several together read it once (Share::part).
///
/// One thread uses a stream at a time. The destructor waits for at most one read of each thread: a few MiB, or one
/// chunk if larger.
class SampleStream {
  public:
    struct Options {
        Shuffle shuffle = Shuffle::windowed;
        std::size_t memory_bytes = std::size_t{256} << 20;
        int threads = 2;  ///< threads that read and decode; the samples do not depend on them
        /// A conversion for each field of the inputs, then of the targets. None: all fields as stored.
        std::vector<Conversion> conversions = {};
        NonFinite non_finite = NonFinite::error;  ///< what happens to converted numbers that are not finite
        /// Where chunks of a compressed set that exceeds the memory are read for all processes of a node; may be null.
        std::shared_ptr<SharedChunks> shared = nullptr;
    };

    /// What this worker reads from now on.
    struct Share {
        OrderSeed seed = {};  ///< a stream serves one trial after another
        std::int64_t epoch = 0;
        std::int64_t position = 0;     ///< first sample of the epoch's order not yet trained on
        std::int64_t group_batch = 1;  ///< B, samples of all workers in a step
        int rank = 0;
        int size = 1;
        /// This part of `parts` takes the place of the set: a range of about equally many samples. Positions count from
        /// its first sample, and it may have none. Parts have whole chunks unless that would make them unequal.
        int part = 0;
        int parts = 1;
        bool last_epoch = false;  ///< nothing is read ahead behind this epoch's end
    };

    /// Throws InvalidInput if two windows of one chunk each exceed `memory_bytes`.
    SampleStream(std::shared_ptr<const SampleSet> set, Options options);
    ~SampleStream();

    /// Enters an epoch, or changes batch or group within one. Windows that were read and are still needed are kept.
    /// Returns at once; reading starts in the background.
    void enter(const Share& share);

    /// The next step's slice; nullopt when the epoch is over. Waits for the reading thread, and throws what that thread
    /// threw. Throws std::runtime_error that names data set and row of a number that is not finite. After an exception,
    /// the next call tries the same step again. The slice's bytes are allocated from `memory`, which must outlive them.
    std::optional<Slice> next(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource(),
                              const Waiting& waiting = {});

    /// First position of the epoch's order that no `next` has covered yet.
    std::int64_t position() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace crescendo::datasets
