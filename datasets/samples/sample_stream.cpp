#include "datasets/samples/sample_stream.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "datasets/samples/window_reader.hpp"

namespace crescendo::datasets {
namespace {

/// The samples of part `part` of `parts`. If parts have several chunks each, no chunk is divided: two parts would read
/// it.
Range range_of(const SampleSet& set, int part, int parts) {
    const auto& chunks = set.chunks();
    const auto begin_of = [&](int number) {
        if (chunks.num_chunks() < fewest_chunks * parts) {
            return share_of(set.size(), number, parts);
        }
        return number == parts ? set.size() : chunks.samples_of(share_of(chunks.num_chunks(), number, parts)).begin;
    };
    return {begin_of(part), begin_of(part + 1)};
}

/// Copies the inputs, or the targets, from a window to a slice.
class Side {
  public:
    std::size_t sample_bytes = 0;  ///< after conversion

    Side(const SampleSet& set, const Fields& fields, std::size_t first_field, std::span<const Conversion> conversions,
         NonFinite non_finite)
        : set_(set), fields_(fields), first_field_(first_field), non_finite_(non_finite) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
            conversions_.push_back(conversions.empty() ? Conversion::as_stored(fields[i])
                                                       : conversions[first_field + i]);
            sample_bytes += conversions_.back().sample_bytes();
        }
    }

    /// Returns whether to train on the sample.
    bool convert(const ChunkBuffer& chunks, ChunkBuffer::Place place, std::int64_t sample, std::byte* out) const {
        for (std::size_t i = 0; i < conversions_.size(); ++i) {
            const bool finite = conversions_[i].convert(chunks.at(first_field_ + i, place), out);
            if (!finite && non_finite_ == NonFinite::error) {
                complain_of_number(set_, sample, fields_[i]);
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

void complain_of_number(const SampleSet& set, std::int64_t sample, const Field& field) {
    const bool is_missing = !field.is_real() && field.packing;  // other integers are finite
    throw std::runtime_error(
        text("{}: sample {} of {} has a number that is {}; trainer.data.nan: skip leaves such samples out, keep trains "
             "on them",
             set.place_of(sample), set.row_of(sample), field.path,
             is_missing ? text("missing, as its attributes say ({})", to_string(*field.packing))
                        : "NaN or infinite as float32"));
}

class SampleStream::Impl {
  public:
    Impl(std::shared_ptr<const SampleSet> set, Options options)
        : set_(std::move(set)),
          options_(std::move(options)),
          inputs_(*set_, set_->inputs(), 0, options_.conversions, options_.non_finite),
          targets_(*set_, set_->targets(), set_->inputs().size(), options_.conversions, options_.non_finite) {
        read({0, set_->size()});
    }

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

    std::optional<Slice> next(std::pmr::memory_resource& memory, const Waiting& waiting) {
        CRESCENDO_EXPECT(share_.has_value());
        if (position_ == size()) {
            return std::nullopt;
        }
        Slice slice = copy(std::min(share_->group_batch, size() - position_), memory, waiting);
        position_ += slice.group_samples();
        read_ahead();
        return slice;
    }

  private:
    /// Number of samples in the range that is read.
    std::int64_t size() const { return range_.size(); }

    /// Changes the range of samples that are read.
    void read(Range range) {
        if (range == range_) {
            return;
        }
        reader_.reset();  // frees its memory first
        range_ = {};
        if (range.size() > 0) {
            const auto shape = plan_windows(*set_, range, options_.shuffle, options_.memory_bytes);
            num_shards_ = shape.num_shards;
            reader_.emplace(set_, shape, options_.shuffle, options_.threads, options_.shared);
        }
        range_ = range;
    }

    Team team() const {
        const auto count = num_teams(num_shards_, share_->size);
        return {share_->rank % count, count};
    }

    WindowReader::Place place(std::int64_t position) const {
        return {share_->seed, share_->epoch, position, team(), share_->last_epoch};
    }

    void read_ahead() {
        const bool is_over = position_ == size();
        if (!reader_ || (is_over && share_->last_epoch)) {
            return;
        }
        auto next = place(position_);
        if (is_over) {
            next.position = 0;
            ++next.epoch;
        }
        reader_->seek(next);
    }

    /// Copies this worker's part of the next `count` positions.
    Slice copy(std::int64_t count, std::pmr::memory_resource& memory, const Waiting& waiting) {
        Slice slice{{}, {}, Bytes(&memory), Bytes(&memory)};
        const Team own_team = team();
        std::vector<std::int64_t> of_teams(static_cast<std::size_t>(own_team.count));  // samples of this step
        std::vector<std::int64_t> own;                                                 // positions in a window
        const auto end = position_ + count;
        for (auto position = position_; position < end;) {
            const auto& window = reader_->at(place(position), waiting);
            const auto end_here = std::min(end, window.end_position());
            own.clear();
            for (; position < end_here; ++position) {
                if (is_own(own_team, window.shard_at(position), of_teams)) {
                    own.push_back(position);
                }
            }
            take(window, own, slice);
        }
        slice.member_samples = samples_of_members(of_teams);
        return slice;
    }

    /// Whether the step's next position, which belongs to `shard`, is this worker's. The members of its team take
    /// turns.
    bool is_own(const Team& team, std::int64_t shard, std::vector<std::int64_t>& of_teams) const {
        const auto turn = of_teams[static_cast<std::size_t>(shard % team.count)]++;
        return team.reads(shard) && turn % (share_->size / team.count) == share_->rank / team.count;
    }

    /// Appends the samples at these positions, except skipped ones.
    void take(const WindowReader::Window& window, const std::vector<std::int64_t>& positions, Slice& slice) const {
        const auto before = slice.samples.size();
        slice.samples.reserve(before + positions.size());
        slice.inputs.resize((before + positions.size()) * inputs_.sample_bytes);
        slice.targets.resize((before + positions.size()) * targets_.sample_bytes);
        for (const auto position : positions) {
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
        slice.inputs.resize(slice.samples.size() * inputs_.sample_bytes);
        slice.targets.resize(slice.samples.size() * targets_.sample_bytes);
    }

    std::vector<std::int64_t> samples_of_members(const std::vector<std::int64_t>& of_teams) const {
        const auto count = std::ssize(of_teams);
        const auto team_size = share_->size / count;
        std::vector<std::int64_t> samples;
        for (std::int64_t rank = 0; rank < share_->size; ++rank) {
            const auto of_team = of_teams[static_cast<std::size_t>(rank % count)];
            samples.push_back((of_team + team_size - 1 - rank / count) / team_size);
        }
        return samples;
    }

    std::shared_ptr<const SampleSet> set_;
    const Options options_;
    Side inputs_;
    Side targets_;
    Range range_;                         ///< samples that are read
    std::optional<WindowReader> reader_;  ///< none if range_ is empty
    std::int64_t num_shards_ = 1;         ///< number of shards of its order
    std::optional<Share> share_;
    std::int64_t position_ = 0;
};

SampleStream::SampleStream(std::shared_ptr<const SampleSet> set, Options options)
    : impl_(std::make_unique<Impl>(std::move(set), std::move(options))) {}
SampleStream::~SampleStream() = default;

void SampleStream::enter(const Share& share) { impl_->enter(share); }
std::optional<Slice> SampleStream::next(std::pmr::memory_resource& memory, const Waiting& waiting) {
    return impl_->next(memory, waiting);
}
std::int64_t SampleStream::position() const { return impl_->position(); }

}  // namespace crescendo::datasets
