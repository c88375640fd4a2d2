#include "datasets/sample_stream.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "datasets/window_reader.hpp"

namespace crescendo::datasets {
namespace {

/// ⌊part·n/parts⌋ for part <= parts, without overflow for any n.
std::int64_t share_of(std::int64_t n, std::int64_t part, std::int64_t parts) {
    return n / parts * part + n % parts * part / parts;
}

}  // namespace

class SampleStream::Impl {
  public:
    Impl(std::shared_ptr<const SampleSet> set, Options options)
        : set_(std::move(set)),
          reader_(set_, plan_windows(*set_, options.memory_bytes), options.shuffle, options.threads) {}

    const SampleSet& set() const { return *set_; }
    std::int64_t position() const { return position_; }

    void enter(const Share& share) {
        CRESCENDO_EXPECT(share.position >= 0 && share.position <= set_->size());
        CRESCENDO_EXPECT(share.group_batch >= 1 && share.rank >= 0 && share.rank < share.size);
        share_ = share;
        position_ = share.position;
        read_ahead();
    }

    std::optional<Slice> next() {
        CRESCENDO_EXPECT(share_.has_value());
        if (position_ == set_->size()) {
            return std::nullopt;
        }
        Slice slice = copy(extent_of_slice());
        position_ += slice.group_samples;
        read_ahead();
        return slice;
    }

  private:
    struct Extent {
        std::int64_t begin;  ///< positions of the epoch
        std::int64_t end;
        std::int64_t group_samples;
    };

    Extent extent_of_slice() const {
        const auto n = std::min(share_->group_batch, set_->size() - position_);
        return {position_ + share_of(n, share_->rank, share_->size),
                position_ + share_of(n, share_->rank + 1, share_->size), n};
    }

    WindowReader::Place place(std::int64_t position) const { return {share_->seed, share_->epoch, position}; }

    void read_ahead() {
        const auto begin = extent_of_slice().begin;
        reader_.seek(begin < set_->size() ? place(begin) : WindowReader::Place{share_->seed, share_->epoch + 1, 0});
    }

    Slice copy(const Extent& extent) {
        const auto count = static_cast<std::size_t>(extent.end - extent.begin);
        Slice slice{extent.begin, extent.group_samples, {}, {}, {}};
        slice.samples.reserve(count);
        slice.inputs.reserve(count * set_->inputs().sample_bytes());
        slice.targets.reserve(count * set_->targets().sample_bytes());
        for (auto position = extent.begin; position < extent.end;) {
            const auto& window = reader_.at(place(position));
            for (const auto end = std::min(extent.end, window.end_position()); position < end; ++position) {
                const auto sample = window.sample_at(position);
                const auto [input, target] = window.bytes_of(sample);
                slice.samples.push_back(sample);
                slice.inputs.insert(slice.inputs.end(), input.begin(), input.end());
                slice.targets.insert(slice.targets.end(), target.begin(), target.end());
            }
        }
        return slice;
    }

    std::shared_ptr<const SampleSet> set_;
    WindowReader reader_;
    std::optional<Share> share_;
    std::int64_t position_ = 0;
};

SampleStream::SampleStream(std::shared_ptr<const SampleSet> set, Options options)
    : impl_(std::make_unique<Impl>(std::move(set), options)) {}
SampleStream::~SampleStream() = default;

const SampleSet& SampleStream::set() const { return impl_->set(); }
void SampleStream::enter(const Share& share) { impl_->enter(share); }
std::optional<Slice> SampleStream::next() { return impl_->next(); }
std::int64_t SampleStream::position() const { return impl_->position(); }

}  // namespace crescendo::datasets
