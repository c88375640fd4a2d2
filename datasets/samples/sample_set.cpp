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
#include "datasets/system/range.hpp"

namespace crescendo::datasets {
namespace {

/// Pads the images of `rows`, which have their channels first, to the size of `pad`.
void fill_up(Field& rows, const Pad& pad, const std::string& location) {
    auto& height = rows.shape[rows.shape.size() - 2];
    auto& width = rows.shape.back();
    CRESCENDO_VALIDATE(
        height <= pad.size.height && width <= pad.size.width, "",
        "{}: {} has images of {} x {}, too large to be padded to {} x {}; pad to at least their size, or crop",
        location, rows.path, height, width, pad.size.height, pad.size.width);
    rows.padding = Padding{.top = (pad.size.height - height) / 2,
                           .left = (pad.size.width - width) / 2,
                           .height = height,
                           .width = width,
                           .with = pad.with};
    height = pad.size.height;
    width = pad.size.width;
}

/// Makes samples of `rows`: windows of `length` rows, unless that is 0.
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

/// Number of samples in each file.
std::vector<std::int64_t> samples_of(const std::vector<SetPart>& parts) {
    std::vector<std::int64_t> samples;
    for (const auto& part : parts) {
        samples.push_back(part.map.num_samples);
    }
    return samples;
}

}  // namespace

/// The files that samples are read from.
class SampleSet::Files {
  public:
    std::vector<SetPart> parts;  ///< one for each file

    Files(const SetOptions& options, SetSurvey& survey, const ChunkMap& chunks)
        : parts(std::move(survey.parts)),
          options_(options),
          chunks_(chunks),
          unpacked_(std::move(survey.unpacked)),
          memory_(std::make_shared<DecodeMemory>(options.inputs.size() + options.targets.size())),
          open_(parts.size(), prepared(survey.open), [this](std::size_t number) { return reopen(number); }) {}

    std::shared_ptr<const SetFile> get(std::size_t number) { return open_.get(number); }

    /// Distance in rows from a sample's first input row to the column's first row.
    std::int64_t offset_of(std::size_t column) const {
        const auto& window = options_.window;
        const bool is_ahead = column >= options_.inputs.size() && window.length > 0;
        return is_ahead ? window.length - 1 + window.horizon : 0;
    }

    /// Calls visit(number, first, range) for each file with some of the samples [begin, begin + count). `range` are
    /// these samples, and `first` is the first one's index in the file.
    template <class Visit>
    void for_each(std::int64_t begin, std::int64_t count, Visit&& visit) const {
        CRESCENDO_EXPECT(begin >= 0 && count >= 1 && count <= chunks_.num_samples() - begin);
        for (auto next = begin; next < begin + count;) {
            const auto number = chunks_.file_of(next);
            const auto of_file = chunks_.samples_of_file(number);
            const Range range{next, std::min(begin + count, of_file.end)};
            visit(number, next - of_file.begin, range);
            next = range.end;
        }
    }

    void expect_unchanged(std::size_t number) {
        const auto& part = parts[number];
        const auto file = open_.if_open(number);
        (file ? file->version() : part.version).expect_unchanged(to_string(part.place));
        for (const auto& [name, version] : part.sources) {
            version.expect_unchanged(name);
        }
    }

  private:
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
        const auto& part = parts[number];
        auto file = SetFile::open(part.place, options_);
        if (!file->version().is(part.version)) {
            part.version.expect_unchanged(to_string(part.place));
            throw std::runtime_error(text("{} changed while it was opened; start again", to_string(part.place)));
        }
        prepare(*file);
        return file;
    }

    const SetOptions options_;
    const ChunkMap& chunks_;
    const std::set<std::size_t> unpacked_;        ///< columns whose numbers are read unpacked
    const std::shared_ptr<DecodeMemory> memory_;  ///< shared by the readers of all files
    OpenFiles open_;
};

std::shared_ptr<SampleSet> SampleSet::open(const std::string& location, const Options& options,
                                           const std::function<void()>& opened) {
    CRESCENDO_EXPECT(!options.inputs.empty() && options.window.length >= 0 && options.window.stride >= 1);
    SetSurvey survey(location, options, opened);
    return std::shared_ptr<SampleSet>(new SampleSet(location, options, survey));
}

SampleSet::SampleSet(const std::string& location, const Options& options, SetSurvey& survey)
    : location_(location),
      chunks_(samples_of(survey.parts), survey.chunk_samples),
      is_compressed_(survey.is_compressed),
      files_(std::make_unique<Files>(options, survey, chunks_)) {
    std::vector<Field> inputs;
    std::vector<Field> targets;
    const auto file = files_->get(0);
    for (const auto& column : file->columns()) {
        const bool is_target = inputs.size() == options.inputs.size();
        auto& side = is_target ? targets : inputs;
        side.push_back(shown(column.rows(), size(), is_target ? 0 : options.window.length, options, location));
        side.back().classes = std::move(survey.classes[inputs.size() + targets.size() - 1].names);
    }
    inputs_ = Fields(std::move(inputs));
    targets_ = Fields(std::move(targets));
    for (auto number = survey.open.size(); number < files_->parts.size(); ++number) {
        files_->get(number);  // throws now if its readers lack a filter
    }
}

SampleSet::~SampleSet() = default;

const Field& SampleSet::field(std::size_t number) const {
    return number < inputs_.size() ? inputs_[number] : targets_[number - inputs_.size()];
}

std::size_t SampleSet::first_alike(std::size_t number) const {
    const auto& one = field(number);
    const auto is_alike = [&](const Field& other) {
        return one.path == other.path && one.part == other.part && one.window == other.window;
    };
    std::size_t first = 0;
    while (!is_alike(field(first))) {
        ++first;
    }
    return first;
}

std::size_t SampleSet::chunk_bytes(std::int64_t count) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < num_fields(); ++i) {
        bytes += first_alike(i) == i ? field(i).chunk_bytes(count) : 0;
    }
    return bytes;
}

std::uint64_t SampleSet::identity() const {
    std::string words = location_;
    for (const auto& part : files_->parts) {
        words += text("|{} {}", part.version.identity(), part.map.num_samples);
        for (const auto& [name, version] : part.sources) {
            words += name + version.identity();
        }
    }
    for (std::size_t i = 0; i < num_fields(); ++i) {
        const auto& of = field(i);
        words += text("|{} {} {} {} {} {} {}", of.path, files_->offset_of(i), of.window, of.stride, of.num_samples,
                      of.sample_bytes(), chunks_.chunk_samples());
        for (const auto& [begin, end] : of.part ? of.part->ranges : std::vector<Range>()) {
            words += text(" {}:{}", begin, end);
        }
    }
    return std::hash<std::string>()(words);
}

std::string SampleSet::common_place(const SampleSet& other) const {
    std::map<std::pair<std::string, std::string>, const SetPart*> theirs;  // by file and group
    for (const auto& part : other.files_->parts) {
        theirs[{part.version.identity(), part.place.group}] = &part;
    }
    for (const auto& part : files_->parts) {
        const auto same = theirs.find({part.version.identity(), part.place.group});
        const auto row = same == theirs.end() ? std::nullopt : RowMap::common_row(part.map, same->second->map);
        if (row) {
            return text("row {} of {}", *row, to_string(part.place));
        }
    }
    return {};
}

std::int64_t SampleSet::row_of(std::int64_t sample) const {
    const auto number = chunks_.file_of(sample);
    return files_->parts[number].map.row_of(sample - chunks_.samples_of_file(number).begin);
}

std::string SampleSet::place_of(std::int64_t sample) const {
    const auto& parts = files_->parts;
    return parts.size() == 1 ? location_ : to_string(parts[chunks_.file_of(sample)].place);
}

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const {
    CRESCENDO_EXPECT(fields.size() == num_fields());
    files_->for_each(begin, count, [&](std::size_t number, std::int64_t first, const Range& range) {
        const auto file = files_->get(number);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (!fields[i].empty()) {
                const auto& of = field(i);
                CRESCENDO_EXPECT(range.size() == count || of.sample_bytes() <= of.pitch_bytes());
                const auto before = static_cast<std::size_t>(range.begin - begin) * of.pitch_bytes();
                file->columns()[i].reader().read_ranges(
                    files_->parts[number].map.ranges_of(files_->offset_of(i), of.window, first, range.size()),
                    fields[i].subspan(before, of.bytes_of(range.size())));
            }
        }
    });
}

void SampleSet::announce(std::int64_t begin, std::int64_t count) const {
    files_->for_each(begin, count, [&](std::size_t number, std::int64_t first, const Range& range) {
        const auto file = files_->get(number);
        for (std::size_t i = 0; i < num_fields(); ++i) {
            if (first_alike(i) == i) {
                file->columns()[i].reader().announce_ranges(
                    files_->parts[number].map.ranges_of(files_->offset_of(i), field(i).window, first, range.size()));
            }
        }
    });
}

void SampleSet::expect_unchanged() const {
    for (std::size_t number = 0; number < files_->parts.size(); ++number) {
        files_->expect_unchanged(number);
    }
}

void SampleSet::expect_unchanged(std::span<const std::int64_t> chunks) const {
    auto next = std::size_t{0};  // first file not checked yet
    for (const auto chunk : chunks) {
        const auto number = chunks_.file_of(chunks_.samples_of(chunk).begin);
        if (number >= next) {
            files_->expect_unchanged(number);
            next = number + 1;
        }
    }
}

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs,
                     std::span<std::byte> targets) const {
    CRESCENDO_EXPECT(inputs.size() == inputs_.bytes_of(count));
    CRESCENDO_EXPECT(targets.size() == targets_.bytes_of(count));
    std::vector<std::span<std::byte>> fields;
    const auto cut = [&](const Fields& side, std::span<std::byte> bytes) {
        for (const auto& field : side) {
            fields.push_back(bytes.first(field.bytes_of(count)));
            bytes = bytes.subspan(field.bytes_of(count));
        }
    };
    cut(inputs_, inputs);
    cut(targets_, targets);
    read(begin, count, fields);
    expect_unchanged();
}

}  // namespace crescendo::datasets
