#include "datasets/samples/sample_set.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/hdf5/source_files.hpp"
#include "datasets/readers/sample_reader.hpp"
#include "datasets/samples/conversion.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_version.hpp"
#include "datasets/system/own_process.hpp"

namespace crescendo::datasets {
namespace {

/// Throws InvalidInput unless `data_set` is made of samples that can be read.
Field field_of(hid_t data_set, const std::string& path, const std::string& name) {
    const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto element = hdf5::element_type(type.get());
    CRESCENDO_VALIDATE(element.has_value(), "", "{} is of type {}; samples are integers of 8 to 64 bits or {}", name,
                       hdf5::type_name(type.get()), "floats of 16 to 64 bits: convert it");

    const auto extent = hdf5::extent(data_set);
    CRESCENDO_VALIDATE(!extent.empty(), "", "{} is a scalar; its first axis must count the samples", name);
    CRESCENDO_VALIDATE(extent[0] > 0, "", "{} holds no samples", name);
    std::int64_t bytes = static_cast<std::int64_t>(size_of(*element));
    const bool fits = std::none_of(extent.begin(), extent.end(), [&](std::int64_t length) {
        return length < 0 || __builtin_mul_overflow(bytes, length, &bytes) || bytes > std::int64_t{1} << 60;
    });
    CRESCENDO_VALIDATE(fits, "", "{} says to hold more than 2^60 bytes: the file is damaged", name);
    CRESCENDO_VALIDATE(bytes > 0, "", "{} has samples without elements: one of its axes has length 0", name);

    const auto chunk = hdf5::chunk_shape(data_set);
    return {.path = path,
            .type = *element,
            .num_samples = extent[0],
            .shape = {extent.begin() + 1, extent.end()},
            .chunk_samples = chunk.empty() ? 0 : chunk[0],
            .packing = hdf5::packing_of(data_set, *element, name)};
}

/// Which rows make which sample.
struct RowMap {
    std::int64_t num_samples = 0;
    std::int64_t first = 0;               ///< row of sample 0
    TimeWindow window = {};               ///< length 0: a sample is a row
    std::vector<std::int64_t> list = {};  ///< rows in ascending order where these, and no range, are selected

    std::int64_t row_of(std::int64_t sample) const {
        return list.empty() ? first + sample * window.stride : list[static_cast<std::size_t>(sample)];
    }
};

/// One data set of the group.
class Column {
  public:
    Column(hid_t file, const std::string& path, const std::string& file_name, MissingSources missing)
        : name_(file_name + ":" + path) {
        hdf5::naming(name_, [&] {
            const auto data_set = hdf5::open_data_set(file, path, file_name);
            rows_ = field_of(data_set.get(), path, name_);
            sources_ = source_files(data_set.get(), name_, missing);
            is_compressed_ = !hdf5::filters(data_set.get()).empty() || !sources_.empty();
        });
    }

    const std::string& name() const { return name_; }
    const Field& rows() const { return rows_; }
    const SampleReader& reader() const { return *reader_; }
    const std::vector<std::filesystem::path>& sources() const { return sources_; }
    bool is_compressed() const { return is_compressed_; }

    /// From now on reads are of `rows` neighbours.
    void expect_reads_of(std::int64_t rows, hid_t file, Routes allowed) {
        hdf5::naming(name_, [&] { reader_ = make_reader(file, rows_, name_, rows, allowed); });
    }

    /// A sample of it is `length` rows from `first` on, where it is a window; 0: the row `first`.
    void show(const RowMap& map, std::int64_t first, std::int64_t length, SampleLayout layout) {
        first_ = first;
        field_ = rows_;
        if (layout == SampleLayout::hwc && field_.shape.size() >= 3) {
            field_.channels_last = true;
            std::rotate(field_.shape.begin(), field_.shape.end() - 1, field_.shape.end());
        }
        field_.num_samples = map.num_samples;
        field_.stride = map.window.stride;
        field_.window = length;
        if (length > 0) {
            field_.shape.insert(field_.shape.begin(), length);
        }
    }

    const Field& field() const { return field_; }
    std::int64_t first() const { return first_; }  ///< row of the first sample

    bool shows_the_same_as(const Column& other) const {
        return rows_.path == other.rows_.path && first_ == other.first_ && field_.window == other.field_.window;
    }

    void read(const RowMap& map, std::int64_t begin, std::int64_t count, std::span<std::byte> out) const {
        CRESCENDO_EXPECT(out.size() == field_.bytes_of(count));
        for_each_run(map, begin, count, [&](std::int64_t first, std::int64_t rows) {
            const auto bytes = static_cast<std::size_t>(rows) * rows_.sample_bytes();
            reader_->read(first, rows, out.first(bytes));
            out = out.subspan(bytes);
        });
    }

    void announce(const RowMap& map, std::int64_t begin, std::int64_t count) const {
        for_each_run(map, begin, count, [&](std::int64_t first, std::int64_t rows) { reader_->announce(first, rows); });
    }

  private:
    /// Calls visit(first, rows) for the neighbouring rows that samples [begin, begin + count) are made of.
    template <class Visit>
    void for_each_run(const RowMap& map, std::int64_t begin, std::int64_t count, Visit&& visit) const {
        if (map.list.empty()) {
            visit(first_ + begin * field_.stride,
                  (count - 1) * field_.stride + std::max<std::int64_t>(1, field_.window));
            return;
        }
        for (std::span<const std::int64_t> left = std::span(map.list).subspan(begin, count); !left.empty();) {
            std::size_t run = 1;
            while (run < left.size() && left[run] == left[run - 1] + 1) {
                ++run;
            }
            visit(left.front(), static_cast<std::int64_t>(run));
            left = left.subspan(run);
        }
    }

    std::string name_;
    Field rows_;   ///< a sample is a row
    Field field_;  ///< as it is shown
    std::int64_t first_ = 0;
    std::unique_ptr<SampleReader> reader_;
    std::vector<std::filesystem::path> sources_;
    bool is_compressed_ = false;
};

/// The rows that the integer data set at `path` lists, ascending.
std::vector<std::int64_t> listed_rows(hid_t file, const std::string& path, const std::string& file_name,
                                      const Field& rows) {
    Column column(file, path, file_name, MissingSources::error);
    const auto& field = column.rows();
    CRESCENDO_VALIDATE(!is_floating(field.type) && field.shape.empty(), "",
                       "{} lists no samples: it is to be one axis of whole numbers", column.name());
    column.expect_reads_of(field.num_samples, file, Routes::fastest);
    std::vector<std::byte> bytes(field.bytes_of(field.num_samples));
    column.reader().read(0, field.num_samples, bytes);
    std::vector<std::int64_t> list(static_cast<std::size_t>(field.num_samples));
    Conversion::to_int64(field).convert(bytes, reinterpret_cast<std::byte*>(list.data()));
    std::sort(list.begin(), list.end());
    CRESCENDO_VALIDATE(list.front() >= 0 && list.back() < rows.num_samples, "",
                       "{} lists sample {}, but {} holds samples 0 to {}", column.name(),
                       list.front() < 0 ? list.front() : list.back(), rows.path, rows.num_samples - 1);
    const auto twice = std::adjacent_find(list.begin(), list.end());
    CRESCENDO_VALIDATE(twice == list.end(), "", "{} lists sample {} twice; an epoch has every sample once",
                       column.name(), *twice);
    return list;
}

/// Blocks of a set: an epoch's order has a number for each, so that memory does not grow with the file.
constexpr std::int64_t most_blocks = std::int64_t{1} << 22;

/// Samples that make whole chunks, or about 256 KiB where there are none, and at most `most_blocks` such blocks.
std::int64_t block_samples(const Field& rows, const RowMap& map) {
    auto samples = rows.chunk_samples > 0 ? rows.chunk_samples : samples_per_block(rows.sample_bytes());
    if (!map.list.empty()) {
        const auto share = static_cast<double>(map.num_samples) / static_cast<double>(rows.num_samples);
        samples = static_cast<std::int64_t>(static_cast<double>(samples) * share);
    } else if (map.window.length > 0) {
        // Windows that reach beyond a block are read twice: at most a quarter of it.
        samples = std::max(samples, 4 * map.window.length) / map.window.stride;
    }
    samples = std::max<std::int64_t>(1, samples);
    const auto num_blocks = (map.num_samples - 1) / samples + 1;
    const auto joined = (num_blocks - 1) / most_blocks + 1;
    return std::min(samples * joined, map.num_samples);
}

}  // namespace

class SampleSet::Impl {
  public:
    Impl(const std::string& text, const Options& options) : location_(text) {
        CRESCENDO_EXPECT(!options.inputs.empty() && options.window.length >= 0 && options.window.stride >= 1);
        const auto selection = Selection::parse(text);
        const auto location = Location::parse(selection.group);
        const auto file_name = location.file.string();
        file_ = hdf5::open_file(location.file, hdf5::Access::read);
        version_.emplace(hdf5::descriptor(file_.get()), location.file);
        hdf5::open_group(file_.get(), location.group, file_name);
        num_inputs_ = options.inputs.size();
        const bool none = options.targets == Options().targets &&
                          !hdf5::exists(file_.get(), location.member(options.targets.front()));
        const auto targets = none ? std::vector<std::string>() : options.targets;
        for (const auto* names : {&options.inputs, &targets}) {
            for (const auto& name : *names) {
                columns_.emplace_back(file_.get(), location.member(name), file_name, options.missing_sources);
            }
        }
        const auto& rows = columns_.front().rows();
        for (const auto& column : columns_) {
            CRESCENDO_VALIDATE(column.rows().num_samples == rows.num_samples, "",
                               "{} holds {} samples but {} {}; every input needs its target", columns_.front().name(),
                               rows.num_samples, column.name(), column.rows().num_samples);
        }
        map_ = map_of(selection, rows, options.window, file_name);
        chunk_samples_ = block_samples(rows, map_);
        show_fields(options);
        watch_sources(location.file);
        now_reading(file_name);
    }

    ~Impl() {
        const hdf5::Session session;
        columns_.clear();
        file_.reset();
    }

    const std::string& location() const { return location_; }
    const RowMap& map() const { return map_; }
    const Fields& inputs() const { return inputs_; }
    const Fields& targets() const { return targets_; }
    std::int64_t chunk_samples() const { return chunk_samples_; }

    std::size_t first_alike(std::size_t field) const {
        const auto alike = [&](const Column& column) { return column.shows_the_same_as(columns_[field]); };
        return static_cast<std::size_t>(std::find_if(columns_.begin(), columns_.end(), alike) - columns_.begin());
    }

    std::size_t chunk_bytes(std::int64_t count) const {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            bytes += first_alike(i) == i ? columns_[i].field().chunk_bytes(count) : 0;
        }
        return bytes;
    }

    void read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const {
        CRESCENDO_EXPECT(begin >= 0 && count >= 1 && count <= map_.num_samples - begin);
        CRESCENDO_EXPECT(fields.size() == columns_.size());
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!fields[i].empty()) {
                columns_[i].read(map_, begin, count, fields[i]);
            }
        }
    }

    bool is_compressed() const {
        return std::any_of(columns_.begin(), columns_.end(), [](const Column& each) { return each.is_compressed(); });
    }

    std::uint64_t identity() const {
        std::string words = location_ + version_->identity();
        for (const auto& [name, version] : source_versions_) {
            words += name + version.identity();
        }
        for (const auto& column : columns_) {
            const auto& field = column.field();
            words += text("|{} {} {} {} {} {} {}", column.name(), column.first(), field.window, field.stride,
                          field.num_samples, field.sample_bytes(), chunk_samples_);
        }
        return std::hash<std::string>()(words);
    }

    void expect_unchanged() const {
        version_->expect_unchanged(location_);
        for (const auto& [name, version] : source_versions_) {
            version.expect_unchanged(name);
        }
    }

    void announce(std::int64_t begin, std::int64_t count) const {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (first_alike(i) == i) {
                columns_[i].announce(map_, begin, count);
            }
        }
    }

  private:
    RowMap map_of(const Selection& selection, const Field& rows, const TimeWindow& window,
                  const std::string& file_name) const {
        RowMap map{.first = selection.begin, .window = window};
        if (!selection.list.empty()) {
            CRESCENDO_VALIDATE(window.length == 0, "",
                               "{}: windows are made of neighbours, which a list does not have; select a range",
                               location_);
            map.list = listed_rows(file_.get(), selection.list, file_name, rows);
            map.num_samples = std::ssize(map.list);
            return map;
        }
        const auto end = selection.end.value_or(rows.num_samples);
        CRESCENDO_VALIDATE(end <= rows.num_samples && selection.begin < end, "",
                           "{}: {}:{} holds samples [0, {}), and of these [{}, {}) are none; choose BEGIN < END within",
                           location_, file_name, rows.path, rows.num_samples, selection.begin, end);
        map.num_samples = end - selection.begin;
        if (window.length > 0) {
            const auto reach = window.length + window.horizon;
            CRESCENDO_VALIDATE(reach <= map.num_samples, "",
                               "{}: a window of {} rows with a horizon of {} does not fit in the {} rows there are; "
                               "make it shorter",
                               location_, window.length, window.horizon, map.num_samples);
            map.num_samples = (map.num_samples - reach) / window.stride + 1;
        }
        return map;
    }

    void watch_sources(const std::filesystem::path& own) {
        for (const auto& column : columns_) {
            for (const auto& source : column.sources()) {
                std::error_code absent;
                if (!std::filesystem::equivalent(source, own, absent)) {
                    source_versions_.try_emplace(source.string(), source);
                }
            }
        }
    }

    void show_fields(const Options& options) {
        std::vector<Field> shown;
        const auto rows_per_read = std::max(chunk_samples_ * map_.window.stride, map_.window.length);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool is_target = i >= num_inputs_;
            columns_[i].expect_reads_of(rows_per_read, file_.get(), options.routes);
            if (is_target && map_.window.length > 0) {
                columns_[i].show(map_, map_.first + map_.window.length - 1 + map_.window.horizon, 0, options.layout);
            } else {
                columns_[i].show(map_, map_.first, map_.window.length, options.layout);
            }
            shown.push_back(columns_[i].field());
        }
        const auto first_target = shown.begin() + static_cast<std::ptrdiff_t>(num_inputs_);
        inputs_ = Fields({shown.begin(), first_target});
        targets_ = Fields({first_target, shown.end()});
    }

    std::string location_;
    hdf5::Handle file_;
    std::optional<FileVersion> version_;
    std::map<std::string, FileVersion> source_versions_;  ///< of virtual data sets, by path
    std::vector<Column> columns_;                         ///< of the inputs, then of the targets
    std::size_t num_inputs_ = 0;
    RowMap map_;
    Fields inputs_;
    Fields targets_;
    std::int64_t chunk_samples_ = 0;
};

std::shared_ptr<SampleSet> SampleSet::open(const std::string& location, const Options& options) {
    const hdf5::Session session;
    return hdf5::naming(Location::parse(Selection::parse(location).group).file.string(), [&] {
        return std::shared_ptr<SampleSet>(new SampleSet(std::make_unique<Impl>(location, options)));
    });
}

SampleSet::SampleSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SampleSet::~SampleSet() = default;

const std::string& SampleSet::location() const { return impl_->location(); }
std::int64_t SampleSet::size() const { return impl_->map().num_samples; }
const Fields& SampleSet::inputs() const { return impl_->inputs(); }
const Fields& SampleSet::targets() const { return impl_->targets(); }
std::int64_t SampleSet::chunk_samples() const { return impl_->chunk_samples(); }
std::size_t SampleSet::first_alike(std::size_t field) const { return impl_->first_alike(field); }
std::size_t SampleSet::chunk_bytes(std::int64_t count) const { return impl_->chunk_bytes(count); }
bool SampleSet::is_compressed() const { return impl_->is_compressed(); }
std::uint64_t SampleSet::identity() const { return impl_->identity(); }
std::int64_t SampleSet::row_of(std::int64_t sample) const { return impl_->map().row_of(sample); }

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<const std::span<std::byte>> fields) const {
    impl_->read(begin, count, fields);
}

void SampleSet::expect_unchanged() const { impl_->expect_unchanged(); }

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
