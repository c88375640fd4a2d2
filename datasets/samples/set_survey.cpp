#include "datasets/samples/set_survey.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/field.hpp"
#include "datasets/samples/open_files.hpp"
#include "datasets/system/file_pattern.hpp"
#include "datasets/system/own_process.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {
namespace {

/// Maximum number of blocks in a set. An epoch's order has a number for each, so this bounds its memory for large
/// files.
constexpr std::int64_t most_blocks = std::int64_t{1} << 22;

}  // namespace

SetSurvey::SetSurvey(const std::string& location, const SetOptions& options, const std::function<void()>& opened)
    : location_(location), selection_(Selection::parse(location)), options_(options) {
    const auto [pattern, group] = Location::parse(selection_.group);
    const auto files = files_named(pattern);
    for (const auto& file : files) {
        look_at(SetFile::open({file, group}, options));
        if (opened) {
            opened();
        }
    }
    now_reading(pattern.string());
    expect_samples(files.size());
    chunk_samples = block_samples();
}

/// Number of samples in a block: whole chunks, or about 256 KiB if there are no chunks, and so many that there are at
/// most `most_blocks` blocks.
std::int64_t SetSurvey::block_samples() const {
    const auto sample_bytes = first_->columns().front().rows().sample_bytes();
    auto samples = chunk_rows_ > 0 ? chunk_rows_ : samples_per_block(sample_bytes);
    if (!selection_.list.empty() || selection_.step > 1) {
        const auto share = static_cast<double>(num_samples) / static_cast<double>(num_rows_);
        samples = static_cast<std::int64_t>(static_cast<double>(samples) * share);
    } else if (options_.window.length > 0) {
        // Windows that reach beyond a block are read twice: that is at most a quarter of it.
        samples = std::max(samples, 4 * options_.window.length) / options_.window.stride;
    }
    samples = std::max<std::int64_t>(1, samples);
    const auto num_blocks = (num_samples - 1) / samples + 1;
    const auto joined = (num_blocks - 1) / most_blocks + 1;
    const auto longest = std::max_element(parts.begin(), parts.end(), [](const SetPart& one, const SetPart& other) {
        return one.map.num_samples < other.map.num_samples;
    });
    return std::min(samples * joined, longest->map.num_samples);
}

void SetSurvey::look_at(const std::shared_ptr<SetFile>& file) {
    if (first_) {
        expect_alike(*file, *first_);
        unpacked.merge(packed_differently(*file, *first_));
    } else {
        first_ = file;
    }
    note_classes(*file);
    auto map = map_of(*file);
    num_rows_ += file->num_rows();
    if (map.num_samples == 0) {
        return;
    }
    num_samples += map.num_samples;
    SetPart part{.place = file->place(), .map = std::move(map), .version = file->version().of_closed()};
    for (const auto& column : file->columns()) {
        is_compressed = is_compressed || column.is_compressed();
        for (const auto& source : column.sources()) {
            std::error_code absent;
            if (!std::filesystem::equivalent(source, file->place().file, absent)) {
                part.sources.try_emplace(source.string(), source);
            }
        }
    }
    chunk_rows_ = std::max(chunk_rows_, file->columns().front().rows().chunk_samples);
    if (open.size() < OpenFiles::most()) {
        open.push_back(file);
    }
    parts.push_back(std::move(part));
}

/// Throws if files number the same classes differently: a number would mean several classes.
void SetSurvey::note_classes(const SetFile& file) {
    classes.resize(file.columns().size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const auto& column = file.columns()[i];
        const auto& names = column.rows().classes;
        const auto contradiction =
            contradiction_of_classes(names, column.name(), classes[i].names, classes[i].data_set);
        CRESCENDO_VALIDATE(contradiction.empty(), "",
                           "{}, so the same number means two classes; convert both from folders of the same "
                           "classes, or renumber the targets of one and correct its attribute {}",
                           contradiction, class_names_attribute);
        if (names.size() > classes[i].names.size()) {
            classes[i] = {names, column.name()};
        }
    }
}

/// The selected rows of the file. There may be none.
RowMap SetSurvey::map_of(const SetFile& file) const {
    const auto& window = options_.window;
    RowMap map{.window = window};
    if (!selection_.list.empty()) {
        CRESCENDO_VALIDATE(window.length == 0, "",
                           "{}: windows need neighbouring rows, which a list does not have; select a range", location_);
        map.list = file.listed_rows(selection_.list);
        map.num_samples = std::ssize(map.list);
        return map;
    }
    const auto step = selection_.step;
    CRESCENDO_VALIDATE(window.length == 0 || step == 1, "",
                       "{}: windows need neighbouring rows, which a step of {} leaves out; select all rows of the "
                       "range, and use data.window.stride",
                       location_, step);
    const auto before = std::max<std::int64_t>(0, num_rows_ - selection_.begin);  // rows of the range in earlier files
    map.first = std::max<std::int64_t>(0, selection_.begin - num_rows_) + (step - before % step) % step;
    map.step = step;
    const auto end = selection_.end.value_or(std::numeric_limits<std::int64_t>::max()) - num_rows_;
    const auto rows = std::max<std::int64_t>(0, std::min(file.num_rows(), end) - map.first);
    map.num_samples = ceil_div(rows, step);
    if (window.length > 0) {
        const auto reach = window.length + window.horizon;
        map.num_samples = map.num_samples < reach ? 0 : (map.num_samples - reach) / window.stride + 1;
    }
    return map;
}

void SetSurvey::expect_samples(std::size_t num_files) const {
    const auto end = selection_.end.value_or(num_rows_);
    CRESCENDO_VALIDATE(end <= num_rows_ && selection_.begin < end, "",
                       "{}: {}{} holds samples [0, {}), but [{}, {}) is not a part of them; choose BEGIN < END within",
                       location_, first_->columns().front().name(), num_files == 1 ? "" : " of all files", num_rows_,
                       selection_.begin, end);
    const auto room = num_files == 1 ? text("the {} selected rows", end - selection_.begin)
                                     : text("the rows of any of {} files", num_files);
    CRESCENDO_VALIDATE(num_samples > 0, "",
                       "{}: a window of {} rows with a horizon of {} does not fit in {}; make it shorter", location_,
                       options_.window.length, options_.window.horizon, room);
}

}  // namespace crescendo::datasets
