#include "datasets/samples/sample_set.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/samples/open_files.hpp"
#include "datasets/samples/row_map.hpp"
#include "datasets/samples/set_file.hpp"
#include "datasets/samples/set_survey.hpp"
#include "datasets/system/file_version.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {
namespace {

/// A data set as it is shown, over all files.
struct View {
    Field field;
    std::int64_t offset = 0;  ///< rows from the first of a sample's inputs to those that are shown

    bool is_same_as(const View& other) const {
        return field.path == other.field.path && field.part == other.field.part && offset == other.offset &&
               field.window == other.field.window;
    }
};

/// Fills up the images of `rows`, which have their channels first, to the size of `pad`.
void fill_up(Field& rows, const Pad& pad, const std::string& location) {
    auto& height = rows.shape[rows.shape.size() - 2];
    auto& width = rows.shape.back();
    CRESCENDO_VALIDATE(height <= pad.size.height && width <= pad.size.width, "",
                       "{}: {} has images of {} x {}, which cannot be padded to {} x {}; pad to at least that, or crop",
                       location, rows.path, height, width, pad.size.height, pad.size.width);
    rows.padding = Padding{.top = (pad.size.height - height) / 2,
                           .left = (pad.size.width - width) / 2,
                           .height = height,
                           .width = width,
                           .with = pad.with};
    height = pad.size.height;
    width = pad.size.width;
}

/// `rows` as samples, which are windows of `length` rows unless that is 0.
Field shown(Field rows, std::int64_t num_samples, std::int64_t length, const SetOptions& options,
            const std::string& location) {
    if (options.layout == SampleLayout::hwc && rows.shape.size() >= 3) {
        rows.channels_last = true;
        std::rotate(rows.shape.begin(), rows.shape.end() - 1, rows.shape.end());
    }
    if (options.pad && rows.shape.size() >= 2) {
        fill_up(rows, *options.pad, location);
    }
    rows.num_samples = num_samples;
    rows.stride = options.window.stride;
    rows.window = length;
    if (length > 0) {
        rows.shape.insert(rows.shape.begin(), length);
    }
    return rows;
}

}  // namespace

class SampleSet::Impl {
  public:
    Impl(const std::string& location, const SetOptions& options, const std::function<void()>& opened)
        : Impl(location, options, SetSurvey(location, options, opened)) {}

    const std::string& location() const { return location_; }
    const Fields& inputs() const { return inputs_; }
    const Fields& targets() const { return targets_; }
    const ChunkMap& chunks() const { return chunks_; }
    bool is_compressed() const { return is_compressed_; }

    std::size_t first_alike(std::size_t field) const {
        const auto alike = [&](const View& view) { return view.is_same_as(views_[field]); };
        return static_cast<std::size_t>(std::find_if(views_.begin(), views_.end(), alike) - views_.begin());
    }

    std::size_t chunk_bytes(std::int64_t count) const {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < views_.size(); ++i) {
            bytes += first_alike(i) == i ? views_[i].field.chunk_bytes(count) : 0;
        }
        return bytes;
    }

    std::string common_place(const Impl& other) const {
        std::map<std::pair<std::string, std::string>, const SetPart*> theirs;  // by file and group
        for (const auto& part : other.parts_) {
            theirs[{part.version.identity(), part.place.group}] = &part;
        }
        for (const auto& part : parts_) {
            const auto same = theirs.find({part.version.identity(), part.place.group});
            const auto row = same == theirs.end() ? std::nullopt : RowMap::common_row(part.map, same->second->map);
            if (row) {
                return text("row {} of {}", *row, to_string(part.place));
            }
        }
        return {};
    }

    std::int64_t row_of(std::int64_t sample) const {
        const auto number = chunks_.file_of(sample);
        return parts_[number].map.row_of(sample - chunks_.samples_of_file(number).begin);
    }

    std::string place_of(std::int64_t sample) const {
        return parts_.size() == 1 ? location_ : to_string(parts_[chunks_.file_of(sample)].place);
    }

    void read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const {
        CRESCENDO_EXPECT(fields.size() == views_.size());
        for_each_file(begin, count, [&](std::size_t number, std::int64_t first, const Range& range) {
            const auto file = files_.get(number);
            for (std::size_t i = 0; i < views_.size(); ++i) {
                if (!fields[i].empty()) {
                    const auto& field = views_[i].field;
                    CRESCENDO_EXPECT(range.size() == count || field.sample_bytes() <= field.pitch_bytes());
                    const auto before = static_cast<std::size_t>(range.begin - begin) * field.pitch_bytes();
                    read(file->columns()[i].reader(), parts_[number].map, views_[i], first, range.size(),
                         fields[i].subspan(before, field.bytes_of(range.size())));
                }
            }
        });
    }

    void announce(std::int64_t begin, std::int64_t count) const {
        for_each_file(begin, count, [&](std::size_t number, std::int64_t first, const Range& range) {
            const auto file = files_.get(number);
            for (std::size_t i = 0; i < views_.size(); ++i) {
                if (first_alike(i) == i) {
                    const auto& reader = file->columns()[i].reader();
                    reader.announce_ranges(ranges_of(parts_[number].map, views_[i], first, range.size()));
                }
            }
        });
    }

    std::uint64_t identity() const {
        std::string words = location_;
        for (const auto& part : parts_) {
            words += text("|{} {}", part.version.identity(), part.map.num_samples);
            for (const auto& [name, version] : part.sources) {
                words += name + version.identity();
            }
        }
        for (const auto& [field, offset] : views_) {
            words += text("|{} {} {} {} {} {} {}", field.path, offset, field.window, field.stride, field.num_samples,
                          field.sample_bytes(), chunks_.chunk_samples());
            for (const auto& [begin, end] : field.part ? field.part->ranges : std::vector<Range>()) {
                words += text(" {}:{}", begin, end);
            }
        }
        return std::hash<std::string>()(words);
    }

    void expect_unchanged() const {
        for (std::size_t number = 0; number < parts_.size(); ++number) {
            expect_unchanged(number);
        }
    }

    void expect_unchanged(std::span<const std::int64_t> chunks) const {
        auto next = std::size_t{0};  // number of the first file not yet looked at
        for (const auto chunk : chunks) {
            const auto number = chunks_.file_of(chunks_.samples_of(chunk).begin);
            if (number >= next) {
                expect_unchanged(number);
                next = number + 1;
            }
        }
    }

  private:
    Impl(const std::string& location, const SetOptions& options, SetSurvey survey)
        : location_(location),
          options_(options),
          parts_(std::move(survey.parts)),
          chunks_(samples_of(parts_), survey.chunk_samples),
          is_compressed_(survey.is_compressed),
          unpacked_(std::move(survey.unpacked)),
          memory_(std::make_shared<DecodeMemory>(options.inputs.size() + options.targets.size())),
          files_(parts_.size(), prepared(survey.open), [this](std::size_t number) { return reopen(number); }) {
        std::vector<Field> fields;
        const auto file = files_.get(0);
        for (const auto& column : file->columns()) {
            const bool is_target = views_.size() >= options.inputs.size();
            const auto& window = options.window;
            const bool is_ahead = is_target && window.length > 0;
            views_.push_back(
                {shown(column.rows(), chunks_.num_samples(), is_target ? 0 : window.length, options, location),
                 is_ahead ? window.length - 1 + window.horizon : 0});
            views_.back().field.classes = std::move(survey.classes[views_.size() - 1].names);
            fields.push_back(views_.back().field);
        }
        const auto first_target = fields.begin() + static_cast<std::ptrdiff_t>(options.inputs.size());
        inputs_ = Fields({fields.begin(), first_target});
        targets_ = Fields({first_target, fields.end()});
        for (auto number = survey.open.size(); number < parts_.size(); ++number) {
            files_.get(number);  // finds now what its readers lack
        }
    }

    static std::vector<std::int64_t> samples_of(const std::vector<SetPart>& parts) {
        std::vector<std::int64_t> samples;
        for (const auto& part : parts) {
            samples.push_back(part.map.num_samples);
        }
        return samples;
    }

    std::vector<std::shared_ptr<const SetFile>> prepared(const std::vector<std::shared_ptr<SetFile>>& files) const {
        for (const auto& file : files) {
            prepare(*file);
        }
        return {files.begin(), files.end()};
    }

    void prepare(SetFile& file) const {
        file.expect_reads_of(std::max(chunks_.chunk_samples() * options_.window.stride, options_.window.length),
                             options_.routes, unpacked_, memory_);
    }

    std::unique_ptr<SetFile> reopen(std::size_t number) const {
        const auto& part = parts_[number];
        auto file = SetFile::open(part.place, options_);
        if (!file->version().is(part.version)) {
            part.version.expect_unchanged(to_string(part.place));
            throw std::runtime_error(text("{} changed while it was opened; begin anew", to_string(part.place)));
        }
        prepare(*file);
        return file;
    }

    void expect_unchanged(std::size_t number) const {
        const auto& part = parts_[number];
        const auto file = files_.if_open(number);
        (file ? file->version() : part.version).expect_unchanged(to_string(part.place));
        for (const auto& [name, version] : part.sources) {
            version.expect_unchanged(name);
        }
    }

    /// Calls visit(number, first, range) for each file that has some of the samples [begin, begin + count): `range` of
    /// them, of which the first is sample `first` of the file.
    template <class Visit>
    void for_each_file(std::int64_t begin, std::int64_t count, Visit&& visit) const {
        CRESCENDO_EXPECT(begin >= 0 && count >= 1 && count <= chunks_.num_samples() - begin);
        for (auto next = begin; next < begin + count;) {
            const auto number = chunks_.file_of(next);
            const auto of_file = chunks_.samples_of_file(number);
            const Range range{next, std::min(begin + count, of_file.end)};
            visit(number, next - of_file.begin, range);
            next = range.end;
        }
    }

    static void read(const SampleReader& reader, const RowMap& map, const View& view, std::int64_t begin,
                     std::int64_t count, std::span<std::byte> out) {
        reader.read_ranges(ranges_of(map, view, begin, count), out);
    }

    /// The rows that samples [begin, begin + count) of a view are made of.
    static std::vector<Range> ranges_of(const RowMap& map, const View& view, std::int64_t begin, std::int64_t count) {
        std::vector<Range> ranges;
        map.for_each_run(view.offset, view.field.window, begin, count, [&](std::int64_t first, std::int64_t rows) {
            ranges.push_back({first, first + rows});
        });
        return ranges;
    }

    std::string location_;
    SetOptions options_;
    std::vector<SetPart> parts_;  ///< one for each file
    ChunkMap chunks_;
    bool is_compressed_;
    std::set<std::size_t> unpacked_;  ///< columns whose numbers are read as what they mean
    std::shared_ptr<DecodeMemory> memory_;  ///< for the readers of all files
    mutable OpenFiles files_;
    std::vector<View> views_;  ///< of the inputs, then of the targets
    Fields inputs_;
    Fields targets_;
};

std::shared_ptr<SampleSet> SampleSet::open(const std::string& location, const Options& options,
                                           const std::function<void()>& opened) {
    CRESCENDO_EXPECT(!options.inputs.empty() && options.window.length >= 0 && options.window.stride >= 1);
    return std::shared_ptr<SampleSet>(new SampleSet(std::make_unique<Impl>(location, options, opened)));
}

SampleSet::SampleSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SampleSet::~SampleSet() = default;

const std::string& SampleSet::location() const { return impl_->location(); }
std::int64_t SampleSet::size() const { return impl_->chunks().num_samples(); }
const Fields& SampleSet::inputs() const { return impl_->inputs(); }
const Fields& SampleSet::targets() const { return impl_->targets(); }
const ChunkMap& SampleSet::chunks() const { return impl_->chunks(); }
std::size_t SampleSet::first_alike(std::size_t field) const { return impl_->first_alike(field); }
std::size_t SampleSet::chunk_bytes(std::int64_t count) const { return impl_->chunk_bytes(count); }
bool SampleSet::is_compressed() const { return impl_->is_compressed(); }
std::uint64_t SampleSet::identity() const { return impl_->identity(); }
std::string SampleSet::common_place(const SampleSet& other) const { return impl_->common_place(*other.impl_); }
std::int64_t SampleSet::row_of(std::int64_t sample) const { return impl_->row_of(sample); }
std::string SampleSet::place_of(std::int64_t sample) const { return impl_->place_of(sample); }

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const {
    impl_->read(begin, count, fields);
}

void SampleSet::expect_unchanged() const { impl_->expect_unchanged(); }
void SampleSet::expect_unchanged(std::span<const std::int64_t> chunks) const { impl_->expect_unchanged(chunks); }

void SampleSet::announce(std::int64_t begin, std::int64_t count) const { impl_->announce(begin, count); }

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs,
                     std::span<std::byte> targets) const {
    CRESCENDO_EXPECT(inputs.size() == this->inputs().bytes_of(count));
    CRESCENDO_EXPECT(targets.size() == this->targets().bytes_of(count));
    std::vector<std::span<std::byte>> fields;
    const auto cut = [&](const Fields& side, std::span<std::byte> bytes) {
        for (const auto& field : side) {
            fields.push_back(bytes.first(field.bytes_of(count)));
            bytes = bytes.subspan(field.bytes_of(count));
        }
    };
    cut(this->inputs(), inputs);
    cut(this->targets(), targets);
    impl_->read(begin, count, fields);
    impl_->expect_unchanged();
}

}  // namespace crescendo::datasets
