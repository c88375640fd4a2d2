#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_order.hpp"
#include "datasets/samples/sample_set.hpp"

namespace crescendo::datasets {

/// Memory that is not filled with zeros before it is written.
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

/// What becomes of a sample with a number, in its inputs or targets, that is NaN or infinite once it is converted.
enum class NonFinite {
    error,  ///< the step throws
    skip,   ///< it is left out of its slice
    keep,
};

/// This worker's samples of one step, in the order of the epoch.
struct Slice {
    std::int64_t first_position = 0;    ///< of the slice, in the epoch's order
    std::int64_t group_samples = 0;     ///< of the whole group in this step: less than the batch at the epoch's end.
                                        ///< Those that are skipped count
    std::vector<std::int64_t> samples;  ///< their numbers in the set; empty where the step has less than one a worker
    Bytes inputs;                       ///< sample by sample, of each its converted fields one after the other
    Bytes targets;
};

/// Reads the samples of one worker ahead of its steps: threads fetch whole chunks, window by window.
///
/// Step i of a group takes the positions [i·B, (i+1)·B) of the epoch's order (from where the epoch was entered) and
/// rank r of W the slice [⌊r·n/W⌋, ⌊(r+1)·n/W⌋) of these n. The order is a function of the seed, the epoch, how the
/// file is chunked, the shuffle and the memory: all members of a group must use the same two.
///
/// Memory: two windows, at most `memory_bytes` together, 8 bytes for each chunk of the file, and while a thread decodes
/// up to three chunks of its own. A set that fits as a whole is one window, read once and kept over epochs and seeds.
/// Each member of a group reads every window that its slices touch.
///
/// One thread uses a stream at a time. The destructor waits for at most one read of each thread: a few MiB, or one
/// chunk if larger.
class SampleStream {
  public:
    struct Options {
        Shuffle shuffle = Shuffle::windowed;
        std::size_t memory_bytes = std::size_t{256} << 20;
        int threads = 2;  ///< that read and decode; they change nothing else
        /// For each field of the inputs, then of the targets. None: all as stored.
        std::vector<Conversion> conversions = {};
        NonFinite non_finite = NonFinite::error;  ///< of converted numbers
    };

    /// What this worker reads from now on.
    struct Share {
        std::uint64_t seed = 0;  ///< of the trial: a stream serves one trial after another
        std::int64_t epoch = 0;
        std::int64_t position = 0;     ///< first sample of the epoch's order not yet trained on
        std::int64_t group_batch = 1;  ///< B, samples of all workers in a step
        int rank = 0;
        int size = 1;
    };

    /// Throws InvalidInput where two windows of one chunk each exceed `memory_bytes`.
    SampleStream(std::shared_ptr<const SampleSet> set, Options options);
    ~SampleStream();

    const SampleSet& set() const;

    /// Enter an epoch, or change batch or group within one. Windows already read and still needed are kept.
    /// Returns at once; reading starts in the background.
    void enter(const Share& share);

    /// The next step's slice; nullopt when the epoch is over. Waits for the reading thread; what it threw is
    /// thrown here, and so is std::runtime_error that names the data set and the row of a number that is not finite;
    /// the next call tries the same step again. `memory` is what the slice's bytes are in, and must outlive them.
    std::optional<Slice> next(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource());

    /// First position of the epoch's order that no `next` has covered yet.
    std::int64_t position() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace crescendo::datasets
