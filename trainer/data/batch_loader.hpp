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
    datasets::Slice slice;  ///< the step's slice, without its bytes, which became the batch
    Batch batch;
};

/// Takes a stream's samples to the device, one batch ahead of the one that is computed on. Of a group there are
/// never more than two; a lone worker's GPU may be steps behind.
///
/// The stream itself reads further ahead.
class BatchLoader {
  public:
    using Seconds = std::chrono::duration<double>;

    /// Calls `beat`, which may be null, about every second while it waits for samples of which some arrive. The other
    /// arguments must outlive the loader.
    BatchLoader(datasets::SampleStream& stream, const Task& task, const Device& device, std::function<void()> beat = {})
        : stream_(stream), task_(task), device_(device), waiting_{.beat = std::move(beat)} {}

    /// Calls SampleStream::enter. Drops what was fetched; the stream gives it again if it is still to come.
    void enter(const datasets::SampleStream::Share& share);

    /// The next step's batch; nullopt when the epoch is over. Throws what the stream throws.
    std::optional<LoadedBatch> next();

    /// Fetches what `next` will give. Call it after the device got all its work of the present step and before anything
    /// waits for it, so that a GPU computes meanwhile. Throws what the stream throws, now and at the next call.
    void fetch();

    /// Time spent waiting for samples since the last call. On a GPU this is an upper bound, because a wait during which
    /// it ran out of work counts in full.
    Seconds take_waited() { return std::exchange(waited_, {}); }
    /// The same, without beginning anew.
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
