#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/batch.hpp"

namespace crescendo::trainer {

/// A step's samples, and their batch on the device.
struct LoadedBatch {
    datasets::Slice slice;  ///< without its bytes, which became the batch
    Batch batch;
};

/// Takes a stream's samples to the device, one batch ahead of the one that is computed on: two at a time, never more.
///
/// Reading ahead of that is the stream's business.
class BatchLoader {
  public:
    using Seconds = std::chrono::duration<double>;

    /// All must outlive the loader.
    BatchLoader(datasets::SampleStream& stream, const Task& task, const Device& device)
        : stream_(stream), task_(task), device_(device) {}

    /// SampleStream::enter. What was fetched is dropped: the stream gives it anew where it is still to come.
    void enter(const datasets::SampleStream::Share& share);

    /// The next step's batch; nullopt when the epoch is over. Throws what the stream throws.
    std::optional<LoadedBatch> next();

    /// Fetches what `next` will give. To be called when the device has been given all its work of the present step and
    /// before anybody waits for it, so that a GPU computes meanwhile. Throws what the stream throws, then and again.
    void fetch();

    /// Time for which samples were waited for, since the last call; on a GPU at most that, since a wait during which it
    /// ran out of work counts whole.
    Seconds take_waited() { return std::exchange(waited_, {}); }

  private:
    datasets::SampleStream& stream_;
    const Task& task_;
    const Device& device_;
    std::optional<LoadedBatch> fetched_;
    Seconds waited_{};
};

}  // namespace crescendo::trainer
