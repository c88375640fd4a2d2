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

/// An allocator that leaves new elements uninitialized, instead of filling them with zeros.
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

/// What happens to a sample whose inputs or targets have a NaN or infinite number after conversion, or a missing class
/// (Conversion::convert).
enum class NonFinite {
    error,  ///< the step throws
    skip,   ///< the sample is left out of its slice
    keep,
};

inline constexpr Words non_finite_words{
    {std::pair{NonFinite::error, "error"}, {NonFinite::skip, "skip"}, {NonFinite::keep, "keep"}}};

/// Throws std::runtime_error about a number of `field` in sample `sample` that is not finite, or is a missing class.
[[noreturn]] void complain_of_number(const SampleSet& set, std::int64_t sample, const Field& field);

/// This worker's samples of one step, in the order of the epoch.
struct Slice {
    /// Number of samples of each member of the group in this step, including skipped ones. Mostly equal, or off by one.
    std::vector<std::int64_t> member_samples = {};
    std::vector<std::int64_t> samples;  ///< indices of the samples in the set; empty if the step has too few
    Bytes inputs;                       ///< the converted fields, sample by sample
    Bytes targets;

    /// Number of samples of the group in this step, including skipped ones: the batch, or fewer at the epoch's end.
    std::int64_t group_samples() const {
        return std::accumulate(member_samples.begin(), member_samples.end(), std::int64_t{0});
    }

    /// Number of samples that this worker, member `rank` of the group, skipped.
    std::int64_t left_out(int rank) const {
        return member_samples[static_cast<std::size_t>(rank)] - static_cast<std::int64_t>(samples.size());
    }
};

/// Reads one worker's samples ahead of its steps. Threads fetch whole chunks, window by window.
/// Step i of a group takes positions [i·B, (i+1)·B) of the epoch's order, counted from where the epoch was entered. The
/// order depends on the seed, the epoch, the file's chunks, the shuffle and the memory. All members of a group must use
/// the same shuffle and memory.
/// The members divide the shards of the order (SampleOrder) among them, and thereby the samples of every step. So
/// together they read the set once. If a group has more members than shards, or would divide the shards too unevenly
/// (num_teams), several members share shards (Team): each reads them, and takes every k-th sample. Without a shuffle
/// there is one shard, and every member reads the whole set.
/// Memory: two windows of at most `memory_bytes` together, 8 bytes per chunk of the file, and up to three chunks per
/// thread while it decodes. A set that fits as a whole is a single window, which is read once and kept over epochs and
/// seeds.
/// A stream may also read just one part of a set, so that several streams together read it once (Share::part).
/// Only one thread may use a stream at a time. The destructor waits for at most one read per thread: a few MiB, or one
/// chunk if that is larger.
class SampleStream {
  public:
    struct Options {
        Shuffle shuffle = Shuffle::windowed;
        std::size_t memory_bytes = std::size_t{256} << 20;
        int threads = 2;  ///< number of threads that read and decode; does not affect the samples
        /// One conversion per field, inputs first, then targets. Empty: all fields as stored.
        std::vector<Conversion> conversions = {};
        NonFinite non_finite = NonFinite::error;  ///< what happens to converted numbers that are not finite
        /// Shares the chunks of a compressed set that exceeds the memory among all processes of a node; may be null.
        std::shared_ptr<SharedChunks> shared = nullptr;
    };

    /// What this worker reads after enter().
    struct Share {
        OrderSeed seed = {};  ///< differs by trial: a stream serves one trial after another
        std::int64_t epoch = 0;
        std::int64_t position = 0;     ///< position in the epoch's order of the first sample not yet trained on
        std::int64_t group_batch = 1;  ///< B: samples per step, over all workers
        int rank = 0;
        int size = 1;
        /// Reads only part `part` of `parts`, a range of about equally many samples, instead of the whole set.
        /// Positions count from its first sample, and it may be empty. Parts have whole chunks unless that would make
        /// them unequal.
        int part = 0;
        int parts = 1;
        bool last_epoch = false;  ///< nothing is read ahead after this epoch's end
    };

    /// Throws InvalidInput if two windows of one chunk each would exceed `memory_bytes`.
    SampleStream(std::shared_ptr<const SampleSet> set, Options options);
    ~SampleStream();

    /// Enters an epoch, or changes batch or group within one. Keeps windows that were read and are still needed.
    /// Returns at once; reading starts in the background.
    void enter(const Share& share);

    /// Returns the next step's slice; nullopt when the epoch is over. Waits for the reading thread, and rethrows its
    /// exceptions. Throws std::runtime_error with data set and row for a number that is not finite. After an exception,
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
