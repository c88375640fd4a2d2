#include "datasets/samples/window_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

std::size_t mebibytes(std::size_t bytes) { return (bytes + (std::size_t{1} << 20) - 1) >> 20; }

}  // namespace

SampleOrder::Shape plan_windows(const SampleSet& set, Range range, std::size_t memory_bytes) {
    CRESCENDO_EXPECT(range.begin >= 0 && range.begin < range.end && range.end <= set.size());
    SampleOrder::Shape shape{range.end - range.begin, set.chunk_samples(), 1, range.begin};
    const auto order_bytes = sizeof(std::int64_t);  // a sample's number
    const auto end_of_chunks =
        std::min(set.size(), (shape.first_chunk() + shape.num_chunks()) * shape.chunk_samples);
    const auto held = end_of_chunks - shape.first_chunk() * shape.chunk_samples;  // whole chunks are held
    const auto range_bytes =
        static_cast<std::size_t>(held / shape.chunk_samples) * set.chunk_bytes(set.chunk_samples()) +
        set.chunk_bytes(held % shape.chunk_samples);
    if (range_bytes + static_cast<std::size_t>(shape.num_samples) * 2 * order_bytes <= memory_bytes) {
        shape.window_chunks = shape.num_chunks();
        return shape;
    }

    const auto chunk_bytes =
        set.chunk_bytes(set.chunk_samples()) + static_cast<std::size_t>(set.chunk_samples()) * order_bytes;
    const auto most_chunks = static_cast<std::int64_t>(memory_bytes / 2 / chunk_bytes);
    CRESCENDO_VALIDATE(most_chunks >= 1, "",
                       "{}: a chunk of {} samples takes {} bytes, and two of them exceed the {} bytes of data.memory; "
                       "raise data.memory to {} MiB or rewrite the file with smaller chunks",
                       set.location(), set.chunk_samples(), chunk_bytes, memory_bytes, mebibytes(2 * chunk_bytes));
    shape.window_chunks = most_chunks;
    const auto num_windows = shape.num_windows();
    shape.window_chunks = (shape.num_chunks() + num_windows - 1) / num_windows;
    return shape;
}

bool WindowReader::Window::covers(const Place& place) const {
    return place.seed == place_.seed && place.epoch == place_.epoch && place.position >= order_.first_position &&
           place.position < end_position();
}

WindowReader::WindowReader(std::shared_ptr<const SampleSet> set, SampleOrder::Shape shape, Shuffle shuffle,
                           int num_threads)
    : set_(std::move(set)), shape_(shape), shuffle_(shuffle), pool_(num_threads) {
    windows_[0].chunks_ = std::make_shared<ChunkBuffer>(*set_, shape_.window_chunks);
    windows_[1].chunks_ =
        shape_.num_windows() == 1 ? windows_[0].chunks_ : std::make_shared<ChunkBuffer>(*set_, shape_.window_chunks);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void WindowReader::seek(const Place& place) {
    const std::lock_guard lock(mutex_);
    want(place);
}

const WindowReader::Window& WindowReader::at(const Place& place) {
    std::unique_lock lock(mutex_);
    want(place);
    changed_.wait(lock, [this] { return held(*wanted_) != nullptr || failure_; });
    if (const Window* window = held(*wanted_)) {
        return *window;
    }
    std::rethrow_exception(failure_);
}

void WindowReader::want(const Place& place) {
    // Without a shuffle all epochs are one.
    wanted_ = shuffle_ == Shuffle::none ? Place{0, 0, place.position} : place;
    if (!held(*wanted_)) {
        failure_ = nullptr;  // try again what may have failed ahead of need
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

WindowReader::Place WindowReader::after(const Window& window) const {
    const auto [seed, epoch, position] = window.place_;
    if (window.end_position() < shape_.num_samples) {
        return {seed, epoch, window.end_position()};
    }
    return {seed, shuffle_ == Shuffle::none ? epoch : epoch + 1, 0};
}

/// The window that the thread must read next.
std::optional<WindowReader::Place> WindowReader::missing() const {
    if (!wanted_) {
        return std::nullopt;
    }
    const Window* current = held(*wanted_);
    const Place place = current ? after(*current) : *wanted_;
    return held(place) ? std::nullopt : std::optional(place);
}

/// The window that the consumer does not look at.
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
        window.chunks_ = slot.chunks_;

        lock.unlock();
        bool complete = false;
        std::exception_ptr failure;
        try {
            complete = fill(window, place, stop);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();

        if (complete) {
            slot = std::move(window);
        }
        const auto next = missing();
        failure_ = next && window.covers(*next) ? failure : nullptr;  // not of samples that are no longer wanted
        changed_.notify_all();
    }
}

/// Reads the window at `place`. Gives up and returns false when it is no longer wanted.
bool WindowReader::fill(Window& window, const Place& place, const std::stop_token& stop) {
    const auto& order = order_of(place);
    window.place_ = place;
    window.order_ = order.window(order.window_at(place.position));
    const bool whole_set = order.num_windows() == 1;
    if (whole_set && whole_set_read_) {
        set_->expect_unchanged();  // workers that open it now would train on other samples
        return true;
    }
    const auto go_on = [&] {
        if (stop.stop_requested() || whole_set) {  // the whole set serves every place
            return !stop.stop_requested();
        }
        const std::lock_guard lock(mutex_);
        const auto next = missing();
        return next && window.covers(*next);
    };
    const bool complete = window.chunks_->load(window.order_.chunks, pool_, go_on);
    whole_set_read_ = complete && whole_set;
    return complete;
}

const SampleOrder& WindowReader::order_of(const Place& place) {
    if (!order_ || order_place_.seed != place.seed || order_place_.epoch != place.epoch) {
        order_.emplace(shape_, shuffle_, place.seed, place.epoch);
        order_place_ = place;
    }
    return *order_;
}

}  // namespace crescendo::datasets
