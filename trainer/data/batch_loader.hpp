#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/batch.hpp"

namespace crescendo::trainer {

/// A step's samples, and their batch on the device.
struct LoadedBatch {
    datasets::Slice slice;  ///< the step's slice; its bytes have moved to the batch
    Batch batch;
};

/// Moves a stream's samples to the device, one batch ahead of the computation. In a group, at most two batches exist at
/// a time; a lone worker's GPU may be several steps behind.
///
/// The stream itself reads further ahead than one batch.
class BatchLoader {
  public:
    using Seconds = std::chrono::duration<double>;

    /// Calls `beat`, which may be null, about once a second while the loader waits and some samples still arrive. The
    /// other arguments must outlive the loader.
    BatchLoader(datasets::SampleStream& stream, const Task& task, const Device& device, std::function<void()> beat = {})
        : stream_(stream), task_(task), device_(device), waiting_{.beat = std::move(beat)} {}

    /// Calls SampleStream::enter. Drops the fetched batch; the stream delivers its samples again if they are still due.
    void enter(const datasets::SampleStream::Share& share);

    /// Returns the next step's batch; nullopt when the epoch is over. Throws what the stream throws.
    std::optional<LoadedBatch> next();

    /// Fetches the batch that next() will return. Call it once all work of the present step is queued on the device and
    /// before anything waits for that work, so that a GPU computes meanwhile. Throws what the stream throws, now and at
    /// the next call.
    void fetch();

    /// Returns the time spent waiting for samples since the last call, and resets it. On a GPU this is an upper bound:
    /// a wait counts in full even if the GPU ran out of work only during it.
    Seconds take_waited() { return std::exchange(waited_, {}); }
    /// Time spent waiting for samples since the last take_waited(), which this does not reset.
    Seconds waited() const { return waited_; }

  private:
    datasets::SampleStream& stream_;
    const Task& task_;
    const Device& device_;
    const datasets::Waiting waiting_;
    std::optional<LoadedBatch> fetched_;
    Seconds waited_{};
};

}  // namespace crescendo::trainer
