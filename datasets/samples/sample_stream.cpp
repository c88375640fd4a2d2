#include "datasets/samples/sample_stream.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "datasets/samples/window_reader.hpp"

namespace crescendo::datasets {
namespace {

/// ⌊part·n/parts⌋ for part <= parts, without overflow for any n.
std::int64_t share_of(std::int64_t n, std::int64_t part, std::int64_t parts) {
    return n / parts * part + n % parts * part / parts;
}

/// The samples of part `part` of `parts`. Where each has several chunks, none of them is divided: two would read it.
Range range_of(const SampleSet& set, int part, int parts) {
    constexpr std::int64_t few_chunks = 4;
    const auto samples = set.size();
    const auto chunk = set.chunk_samples();
    const auto num_chunks = (samples - 1) / chunk + 1;
    const auto unit = num_chunks >= few_chunks * parts ? chunk : 1;
    const auto num_units = (samples - 1) / unit + 1;
    return {std::min(samples, unit * share_of(num_units, part, parts)),
            std::min(samples, unit * share_of(num_units, part + 1, parts))};
}

/// The inputs, or the targets, on their way from a window to a slice.
class Side {
  public:
    std::size_t sample_bytes = 0;  ///< converted

    Side(const SampleSet& set, const Fields& fields, std::size_t first_field, std::span<const Conversion> conversions,
         NonFinite non_finite)
        : set_(set), fields_(fields), first_field_(first_field), non_finite_(non_finite) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
            conversions_.push_back(conversions.empty() ? Conversion::as_stored(fields[i])
                                                       : conversions[first_field + i]);
            sample_bytes += conversions_.back().sample_bytes();
        }
    }

    /// Returns whether the sample is to be trained on.
    bool convert(const ChunkBuffer& chunks, ChunkBuffer::Place place, std::int64_t sample, std::byte* out) const {
        for (std::size_t i = 0; i < conversions_.size(); ++i) {
            const bool finite = conversions_[i].convert(chunks.at(first_field_ + i, place), out);
            if (!finite && non_finite_ == NonFinite::error) {
                throw std::runtime_error(
                    text("{}: sample {} of {} has a number that is NaN or infinite as float32; trainer.data.nan: skip "
                         "leaves such samples out, keep trains on them",
                         set_.location(), set_.row_of(sample), fields_[i].path));
            }
            if (!finite && non_finite_ == NonFinite::skip) {
                return false;
            }
            out += conversions_[i].sample_bytes();
        }
        return true;
    }

  private:
    const SampleSet& set_;
    const Fields& fields_;
    std::size_t first_field_;  ///< in the windows
    NonFinite non_finite_;
    std::vector<Conversion> conversions_;
};

}  // namespace

class SampleStream::Impl {
  public:
    Impl(std::shared_ptr<const SampleSet> set, const Options& options)
        : set_(std::move(set)),
          inputs_(*set_, set_->inputs(), 0, options.conversions, options.non_finite),
          targets_(*set_, set_->targets(), set_->inputs().size(), options.conversions, options.non_finite),
          memory_bytes_(options.memory_bytes),
          shuffle_(options.shuffle),
          threads_(options.threads) {
        read({0, set_->size()});
    }

    const SampleSet& set() const { return *set_; }
    std::int64_t position() const { return position_; }

    void enter(const Share& share) {
        CRESCENDO_EXPECT(share.group_batch >= 1 && share.rank >= 0 && share.rank < share.size);
        CRESCENDO_EXPECT(share.part >= 0 && share.part < share.parts);
        read(range_of(*set_, share.part, share.parts));
        CRESCENDO_EXPECT(share.position >= 0 && share.position <= size());
        share_ = share;
        position_ = share.position;
        read_ahead();
    }

    std::optional<Slice> next(std::pmr::memory_resource& memory) {
        CRESCENDO_EXPECT(share_.has_value());
        if (position_ == size()) {
            return std::nullopt;
        }
        Slice slice = copy(extent_of_slice(), memory);
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

    /// Number of samples in the range that is read.
    std::int64_t size() const { return range_.end - range_.begin; }

    /// From now on the samples of `range` are read.
    void read(Range range) {
        if (range == range_) {
            return;
        }
        reader_.reset();  // its memory first
        if (range.begin < range.end) {
            reader_.emplace(set_, plan_windows(*set_, range, memory_bytes_), shuffle_, threads_);
        }
        range_ = range;
    }

    Extent extent_of_slice() const {
        const auto n = std::min(share_->group_batch, size() - position_);
        return {position_ + share_of(n, share_->rank, share_->size),
                position_ + share_of(n, share_->rank + 1, share_->size), n};
    }

    WindowReader::Place place(std::int64_t position) const { return {share_->seed, share_->epoch, position}; }

    void read_ahead() {
        const auto begin = extent_of_slice().begin;
        if (reader_) {
            reader_->seek(begin < size() ? place(begin) : WindowReader::Place{share_->seed, share_->epoch + 1, 0});
        }
    }

    Slice copy(const Extent& extent, std::pmr::memory_resource& memory) {
        const auto count = static_cast<std::size_t>(extent.end - extent.begin);
        Slice slice{extent.begin,
                    extent.group_samples,
                    {},
                    Bytes(count * inputs_.sample_bytes, &memory),
                    Bytes(count * targets_.sample_bytes, &memory)};
        slice.samples.reserve(count);
        for (auto position = extent.begin; position < extent.end;) {
            const auto& window = reader_->at(place(position));
            for (const auto end = std::min(extent.end, window.end_position()); position < end; ++position) {
                const auto sample = window.sample_at(position);
                const auto held = window.chunks().find(sample);
                const auto at = slice.samples.size();
                const bool good =
                    inputs_.convert(window.chunks(), held, sample, slice.inputs.data() + at * inputs_.sample_bytes) &&
                    targets_.convert(window.chunks(), held, sample, slice.targets.data() + at * targets_.sample_bytes);
                if (good) {
                    slice.samples.push_back(sample);
                }
            }
        }
        slice.inputs.resize(slice.samples.size() * inputs_.sample_bytes);
        slice.targets.resize(slice.samples.size() * targets_.sample_bytes);
        return slice;
    }

    std::shared_ptr<const SampleSet> set_;
    Side inputs_;
    Side targets_;
    std::size_t memory_bytes_;
    Shuffle shuffle_;
    int threads_;
    Range range_;                         ///< of the samples that are read
    std::optional<WindowReader> reader_;  ///< none where that is empty
    std::optional<Share> share_;
    std::int64_t position_ = 0;
};

SampleStream::SampleStream(std::shared_ptr<const SampleSet> set, Options options)
    : impl_(std::make_unique<Impl>(std::move(set), options)) {}
SampleStream::~SampleStream() = default;

const SampleSet& SampleStream::set() const { return impl_->set(); }
void SampleStream::enter(const Share& share) { impl_->enter(share); }
std::optional<Slice> SampleStream::next(std::pmr::memory_resource& memory) { return impl_->next(memory); }
std::int64_t SampleStream::position() const { return impl_->position(); }

}  // namespace crescendo::datasets
