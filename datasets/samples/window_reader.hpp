#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "datasets/samples/chunk_buffer.hpp"
#include "datasets/samples/sample_order.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/team.hpp"
#include "datasets/samples/waiting.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {

/// Minimum number of chunks in a shard, or in a part of a set, if there are several. They may differ by one chunk.
inline constexpr std::int64_t fewest_chunks = 4;

/// Plans the shards and windows of a non-empty range. Two windows fit in `memory_bytes`, and all have about the same
/// size. If the whole range fits, one window has all chunks. There are as many shards as a window has chunks, up to
/// SampleOrder::most_shards, but none with fewer than `fewest_chunks`. Without a shuffle, there is one shard. Throws
/// InvalidInput if two windows of one chunk each do not fit.
SampleOrder::Shape plan_windows(const SampleSet& set, Range range, Shuffle shuffle, std::size_t memory_bytes);

/// Holds the window of samples that is consumed now, while threads read the next one.
/// After an epoch's last window comes the next epoch's first, unless it is the last epoch. A set, or range, with a
/// single window is read once; its epochs differ only in their order.
/// Reads only the chunks of one team's shards in each window.
class WindowReader {
  public:
    /// A position in the order of one epoch, and the team that reads.
    struct Place {
        OrderSeed seed = {};
        std::int64_t epoch = 0;
        std::int64_t position = 0;
        Team team = {};
        bool last_epoch = false;  ///< whether to read nothing ahead after this epoch

        friend bool operator==(const Place&, const Place&) = default;
    };

    class Window {
      public:
        bool covers(const Place& place) const;
        std::int64_t end_position() const { return order_.first_position + std::ssize(order_.samples); }
        /// Index in the set of the sample at `position` of the epoch.
        std::int64_t sample_at(std::int64_t position) const { return order_.samples[position - order_.first_position]; }
        std::int64_t shard_at(std::int64_t position) const { return order_.shards[position - order_.first_position]; }
        /// The chunks of the team's shards.
        const ChunkBuffer& chunks() const { return *chunks_; }

      private:
        friend WindowReader;
        Place place_;
        SampleOrder::Window order_;  ///< empty until the window is filled
        std::shared_ptr<ChunkBuffer> chunks_;
    };

    /// Reads `set` with `num_threads` threads, at least 1. With `shared`, which may be null, windows of a compressed
    /// set are read for all processes that share it, unless there is only one window.
    WindowReader(std::shared_ptr<const SampleSet> set, SampleOrder::Shape shape, Shuffle shuffle, int num_threads,
                 std::shared_ptr<SharedChunks> shared);

    /// Sets the next place: reads its window and the one after, and gives up other reads.
    void seek(const Place& place);

    /// Returns the window at `place`, valid until the next call of `at` or `seek`. Waits for the reading thread, and
    /// rethrows its exceptions. After an exception, the next call reads again.
    const Window& at(const Place& place, const Waiting& waiting);

  private:
    void want(const Place& place);
    const Window* held(const Place& place) const;
    std::optional<Place> after(const Window& window) const;
    std::optional<Place> missing() const;
    Window& spare();
    void forget_resident();

    void run(const std::stop_token& stop);
    bool fill(Window& window, const std::stop_token& stop);
    const SampleOrder& order_of(const Place& place);

    const std::shared_ptr<const SampleSet> set_;
    const SampleOrder::Shape shape_;
    const Shuffle shuffle_;

    std::mutex mutex_;  ///< guards the next four members, but not a window's bytes during filling or use
    std::condition_variable_any changed_;
    std::array<Window, 2> windows_;
    std::optional<Place> wanted_;
    std::exception_ptr failure_;

    std::atomic<std::int64_t> num_reads_ = 0;  ///< reads begun, and checks of other processes' reads

    std::optional<SampleOrder> order_;  ///< for the epoch at `order_place_`; these four are the reading thread's
    Place order_place_;
    std::optional<Team> resident_;  ///< team whose shards are kept, if the set has a single window
    TaskPool pool_;

    std::jthread thread_;  ///< the last member, because it uses all others
};

}  // namespace crescendo::datasets
