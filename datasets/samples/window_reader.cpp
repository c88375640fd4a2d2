#include "datasets/samples/window_reader.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

std::size_t mebibytes(std::size_t bytes) { return (bytes + (std::size_t{1} << 20) - 1) >> 20; }

/// The window's chunks that the team reads, in ascending order.
std::vector<std::int64_t> chunks_of(const SampleOrder::Window& window, const Team& team) {
    std::vector<std::int64_t> chunks;
    for (auto shard = team.index; shard < std::ssize(window.chunks); shard += team.count) {
        const auto& own = window.chunks[static_cast<std::size_t>(shard)];
        chunks.insert(chunks.end(), own.begin(), own.end());
    }
    return chunks;
}

}  // namespace

SampleOrder::Shape plan_windows(const SampleSet& set, Range range, Shuffle shuffle, std::size_t memory_bytes) {
    CRESCENDO_EXPECT(range.begin >= 0 && range.begin < range.end && range.end <= set.size());
    SampleOrder::Shape shape{.chunks = set.chunks(), .samples = range};
    const auto order_bytes = sizeof(std::int64_t) + sizeof(std::uint8_t);  // a sample's number and its shard
    const auto num_chunks = shape.num_chunks();
    const auto last_chunk = shape.chunks.samples_of(shape.first_chunk() + num_chunks - 1);  // whole chunks are held
    const auto range_bytes = static_cast<std::size_t>(num_chunks - 1) * set.chunk_bytes(set.chunk_samples()) +
                             set.chunk_bytes(last_chunk.size());
    const bool resident = range_bytes + static_cast<std::size_t>(range.size()) * 2 * order_bytes <= memory_bytes;

    const auto chunk_bytes =
        set.chunk_bytes(set.chunk_samples()) + static_cast<std::size_t>(set.chunk_samples()) * order_bytes;
    const auto most_chunks =
        resident ? num_chunks : static_cast<std::int64_t>(memory_bytes / 2 / chunk_bytes);  // chunks per window
    CRESCENDO_VALIDATE(most_chunks >= 1, "",
                       "{}: a chunk of {} samples takes {} bytes, and two of them exceed the {} bytes of data.memory; "
                       "raise data.memory to {} MiB or rewrite the file with smaller chunks",
                       set.location(), set.chunk_samples(), chunk_bytes, memory_bytes, mebibytes(2 * chunk_bytes));

    if (shuffle != Shuffle::none) {
        const auto most_shards = std::min({SampleOrder::most_shards, num_chunks / fewest_chunks, most_chunks});
        shape.num_shards = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most_shards)));
        shape.num_shards = std::max<std::int64_t>(1, shape.num_shards);
    }
    const auto with_windows = [&](std::int64_t count) {
        shape.num_windows = count;
        return shape.window_chunks();
    };
    while (with_windows(num_chunks / shape.num_shards) > most_chunks) {
        shape.num_shards /= 2;
    }
    auto num_windows = ceil_div(num_chunks, most_chunks);
    while (with_windows(num_windows) > most_chunks) {
        ++num_windows;
    }
    return shape;
}

bool WindowReader::Window::covers(const Place& place) const {
    return place.seed == place_.seed && place.epoch == place_.epoch && place.position >= order_.first_position &&
           place.position < end_position() && place_.team.covers(place.team);
}

WindowReader::WindowReader(std::shared_ptr<const SampleSet> set, SampleOrder::Shape shape, Shuffle shuffle,
                           int num_threads, std::shared_ptr<SharedChunks> shared)
    : set_(std::move(set)), shape_(std::move(shape)), shuffle_(shuffle), pool_(num_threads) {
    if (shape_.num_windows == 1) {
        windows_[0].chunks_ = std::make_shared<ChunkBuffer>(*set_, shape_.window_chunks());
        windows_[1].chunks_ = windows_[0].chunks_;
    } else {
        // Sharing pays only for decoding: without it, the system's page cache already shares the file.
        const auto useful = set_->is_compressed() ? shared : nullptr;
        for (auto& window : windows_) {
            window.chunks_ = std::make_shared<ChunkBuffer>(*set_, shape_.window_chunks(), useful);
        }
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void WindowReader::seek(const Place& place) {
    const std::lock_guard lock(mutex_);
    want(place);
}

const WindowReader::Window& WindowReader::at(const Place& place, const Waiting& waiting) {
    std::unique_lock lock(mutex_);
    want(place);
    auto num_reads = num_reads_.load();
    while (!changed_.wait_for(lock, waiting.period, [this] { return held(*wanted_) != nullptr || failure_; })) {
        if (waiting.beat && num_reads_ != num_reads) {
            num_reads = num_reads_;
            lock.unlock();
            waiting.beat();
            lock.lock();
        }
    }
    if (const Window* window = held(*wanted_)) {
        return *window;
    }
    std::rethrow_exception(failure_);
}

void WindowReader::want(const Place& place) {
    // Without a shuffle all epochs are one.
    wanted_ = place;
    if (shuffle_ == Shuffle::none) {
        wanted_->seed = {};
        wanted_->epoch = 0;
    }
    if (!held(*wanted_)) {
        failure_ = nullptr;  // retries a read that failed ahead of time
    }
    if (missing()) {
        changed_.notify_all();
    }
}

const WindowReader::Window* WindowReader::held(const Place& place) const {
    for (const auto& window : windows_) {
        if (window.covers(place)) {
            return &window;
        }
    }
    return nullptr;
}

/// The place after the window; none at the end of the last epoch.
std::optional<WindowReader::Place> WindowReader::after(const Window& window) const {
    Place place = *wanted_;
    place.position = window.end_position();
    if (place.position == shape_.num_samples()) {
        if (place.last_epoch) {
            return std::nullopt;
        }
        place.position = 0;
        place.epoch += shuffle_ == Shuffle::none ? 0 : 1;
    }
    return place;
}

/// Place of the window that the thread must read next; none if all are read.
std::optional<WindowReader::Place> WindowReader::missing() const {
    if (!wanted_) {
        return std::nullopt;
    }
    const Window* current = held(*wanted_);
    const auto place = current ? after(*current) : wanted_;
    return place && !held(*place) ? place : std::nullopt;
}

/// The window that the consumer does not use.
WindowReader::Window& WindowReader::spare() { return windows_[windows_[0].covers(*wanted_) ? 1 : 0]; }

void WindowReader::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, stop, [this] { return !failure_ && missing(); });
        if (stop.stop_requested()) {
            return;
        }
        const Place place = *missing();
        Window& slot = spare();
        slot.order_ = {};
        Window window;
        window.place_ = place;
        if (resident_ && !resident_->covers(place.team)) {
            forget_resident();
            window.place_.team = Team();  // reads all shards: the next trial's team may differ again
        }
        window.chunks_ = slot.chunks_;

        lock.unlock();
        bool complete = false;
        std::exception_ptr failure;
        try {
            complete = fill(window, stop);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();

        if (complete) {
            slot = std::move(window);
        }
        const auto next = missing();
        failure_ = next == place ? failure : nullptr;  // drops failures of reads that are no longer wanted
        changed_.notify_all();
    }
}

/// Reads the window at its place. Gives up and returns false if it is no longer wanted.
bool WindowReader::fill(Window& window, const std::stop_token& stop) {
    const auto& order = order_of(window.place_);
    window.order_ = order.window(order.window_at(window.place_.position));
    const bool whole_set = order.num_windows() == 1;
    if (whole_set && resident_) {
        set_->expect_unchanged();  // workers that open a changed set now would train on other samples
        window.place_.team = *resident_;
        return true;
    }
    const auto go_on = [&] {
        ++num_reads_;
        if (stop.stop_requested() || whole_set) {  // the whole set serves every place
            return !stop.stop_requested();
        }
        const std::lock_guard lock(mutex_);
        const auto next = missing();
        return next && window.covers(*next);
    };
    const bool complete = window.chunks_->load(chunks_of(window.order_, window.place_.team), pool_, go_on);
    if (complete && whole_set) {
        resident_ = window.place_.team;
    }
    return complete;
}

/// Forgets the set's only window, before its memory is filled again. The caller must have held the mutex since it found
/// the window missing, so that nobody gets that window meanwhile.
void WindowReader::forget_resident() {
    resident_.reset();
    for (auto& window : windows_) {
        window.order_ = {};
    }
}

const SampleOrder& WindowReader::order_of(const Place& place) {
    if (!order_ || order_place_.seed != place.seed || order_place_.epoch != place.epoch) {
        order_.emplace(shape_, shuffle_, place.seed, place.epoch);
        order_place_ = place;
    }
    return *order_;
}

}  // namespace crescendo::datasets
