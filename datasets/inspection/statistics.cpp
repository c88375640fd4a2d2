#include "datasets/inspection/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "datasets/hdf5/data_set_name.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_links.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/hdf5/numbers.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_pattern.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {
namespace {

/// Statistics of a part of a channel's numbers. Parts can be merged.
struct Part {
    std::int64_t count = 0;
    std::int64_t nan = 0;
    std::int64_t infinite = 0;
    double mean = 0;
    double squares = 0;  ///< Σ(x - mean)²
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();

    void join(const Part& other) {
        nan += other.nan;
        infinite += other.infinite;
        if (other.count == 0) {
            return;
        }
        const auto total = static_cast<double>(count + other.count);
        const auto delta = other.mean - mean;
        const auto share = static_cast<double>(other.count) / total;
        squares += other.squares + delta * delta * static_cast<double>(count) * share;
        mean += delta * share;
        count += other.count;
        min = std::min(min, other.min);
        max = std::max(max, other.max);
    }

    ChannelStatistics result() const {
        ChannelStatistics channel{.count = count, .nan = nan, .infinite = infinite};
        if (count > 0) {
            channel.mean = min == max ? min : mean;  // exact: a rounded sum could miss it
            channel.std = std::sqrt(squares / static_cast<double>(count));
            channel.min = min;
            channel.max = max;
            channel.std = channel.is_constant() ? 0 : channel.std;
        }
        return channel;
    }
};

/// Calls visit(number, channel) for each number of whole rows, after unpacking.
template <class T, class Visit>
void for_each_number(std::span<const std::byte> rows, const Field& field, Visit&& visit) {
    const auto channels = field.channels();
    const auto run = field.channels_last ? 1 : channels.run;
    const auto elements = rows.size() / sizeof(T);
    std::array<double, 256> numbers;
    std::int64_t channel = 0;
    std::int64_t place = 0;  // position in the channel's run
    for (std::size_t at = 0; at < elements; at += numbers.size()) {
        const auto part = std::span(numbers).first(std::min(numbers.size(), elements - at));
        for (std::size_t i = 0; i < part.size(); ++i) {
            part[i] = static_cast<double>(element<T>(rows.data(), at + i));
        }
        if (field.packing) {
            field.packing->decode(part);
        }
        for (const double number : part) {
            visit(number, static_cast<std::size_t>(channel));
            if (++place == run) {
                place = 0;
                channel = channel + 1 == channels.count ? 0 : channel + 1;
            }
        }
    }
}

template <class T>
std::vector<Part> parts_of(std::span<const std::byte> rows, const Field& field) {
    std::vector<Part> parts(static_cast<std::size_t>(field.channels().count));
    for_each_number<T>(rows, field, [&](double value, std::size_t channel) {
        Part& part = parts[channel];
        if (!std::isfinite(value)) {
            ++(std::isnan(value) ? part.nan : part.infinite);
            return;
        }
        ++part.count;
        part.mean += value;  // holds the sum for now
        part.min = std::min(part.min, value);
        part.max = std::max(part.max, value);
    });
    for (auto& part : parts) {
        part.mean /= static_cast<double>(std::max<std::int64_t>(1, part.count));
    }
    std::vector<double> distances(parts.size());  // sums of x - mean, to correct the mean's rounding
    for_each_number<T>(rows, field, [&](double value, std::size_t channel) {
        if (std::isfinite(value)) {
            const auto distance = value - parts[channel].mean;
            distances[channel] += distance;
            parts[channel].squares += distance * distance;
        }
    });
    for (std::size_t channel = 0; channel < parts.size(); ++channel) {
        Part& part = parts[channel];
        const auto error = distances[channel] / static_cast<double>(std::max<std::int64_t>(1, part.count));
        part.mean += error;
        part.squares = std::max(0.0, part.squares - distances[channel] * error);
    }
    return parts;
}

/// Computes the statistics of one data set, block by block.
class Survey {
  public:
    Survey(const std::string& location, const std::string& name, const StatisticsOptions& options)
        : set_(SampleSet::open(location, {.inputs = {name},
                                          .targets = {},
                                          .layout = options.layout.value_or(SampleLayout::chw),
                                          .missing_sources = options.missing_sources})),
          field_(set_->inputs()[0]),
          whole_(static_cast<std::size_t>(field_.channels().count)) {
        CRESCENDO_VALIDATE(options.layout || !field_.looks_channels_last(), "",
                           "{}: {} looks like height x width x channels, and each channel needs its own mean; use "
                           "--layout hwc if so, or --layout chw if the channels come first",
                           location, field_.path);
    }

    std::int64_t size() const { return set_->size(); }

    void expect_unchanged() const { set_->expect_unchanged(); }

    /// Calls `advance` with the number of samples in each round of blocks.
    void run(TaskPool& pool, int threads, const std::function<void(std::int64_t)>& advance) {
        // A round has a few blocks per thread: parts are merged in order, and no thread waits long.
        const auto round = static_cast<std::int64_t>(threads) * 16;
        const auto num_blocks = set_->chunks().num_chunks();
        for (std::int64_t first = 0; first < num_blocks; first += round) {
            std::vector<std::int64_t> blocks(static_cast<std::size_t>(std::min(round, num_blocks - first)));
            std::iota(blocks.begin(), blocks.end(), first);
            std::vector<std::vector<Part>> parts(blocks.size());
            pool.run(parts.size(), [&](std::size_t index) { parts[index] = read(blocks[index]); });
            set_->expect_unchanged(blocks);
            for (const auto& of_block : parts) {
                for (std::size_t channel = 0; channel < whole_.size(); ++channel) {
                    whole_[channel].join(of_block[channel]);
                }
            }
            advance(set_->chunks().samples_of(blocks.back()).end - set_->chunks().samples_of(first).begin);
        }
    }

    std::vector<ChannelStatistics> result() const {
        std::vector<ChannelStatistics> channels;
        for (const auto& part : whole_) {
            channels.push_back(part.result());
        }
        return channels;
    }

  private:
    std::vector<Part> read(std::int64_t index) const {
        const auto samples = set_->chunks().samples_of(index);
        std::vector<std::byte> rows(field_.bytes_of(samples.size()));
        const std::span<std::byte> out = rows;
        set_->read(samples.begin, samples.size(), {&out, 1});
        return with_type(field_.type, [&]<class T>() { return parts_of<T>(rows, field_); });
    }

    std::shared_ptr<SampleSet> set_;
    Field field_;
    std::vector<Part> whole_;
};

/// A numeric data set in a group.
struct Member {
    std::string name;
    std::int64_t rows;
    std::int64_t bytes;
};

/// Whether settings and options can use `name` for a data set: it must not parse as a part of another.
bool can_be_named(const std::string& name) try {
    return DataSetName::parse(name).name == name;
} catch (const InvalidInput&) {
    return false;
}

/// The numeric data sets of a group that have samples, including linked ones. Skips what cannot be opened.
std::vector<Member> members_of(hid_t group, const std::string& file) {
    std::vector<Member> members;
    for (const auto& [name, link] : hdf5::links_of(group, H5_INDEX_NAME)) {
        const hdf5::Handle object{H5Oopen(group, name.c_str(), H5P_DEFAULT)};
        if (object.get() < 0 || H5Iget_type(object.get()) != H5I_DATASET || !can_be_named(name)) {
            continue;
        }
        const auto type = hdf5::own(H5Dget_type(object.get()), text("{}: {} has no type", file, name));
        const auto element = hdf5::element_type(type.get());
        const auto extent = hdf5::extent(object.get());
        if (element && !extent.empty() && extent.front() > 0) {
            members.push_back({name, extent.front(), hdf5::num_bytes(extent, *element, name)});
        }
    }
    return members;
}

/// Keeps only data sets with as many rows as there are samples. Others, such as coordinates, have other lengths, and no
/// selection of samples fits them.
void keep_samples(std::vector<Member>& members) {
    auto samples = std::find_if(members.begin(), members.end(), [](const auto& m) { return m.name == "inputs"; });
    if (samples == members.end()) {
        samples = std::max_element(members.begin(), members.end(),
                                   [](const auto& one, const auto& other) { return one.bytes < other.bytes; });
    }
    std::erase_if(members, [rows = samples->rows](const Member& member) { return member.rows != rows; });
}

/// The data sets whose statistics are computed if none are named.
std::vector<std::string> data_sets_of_numbers(const std::string& location) {
    const auto selection = Selection::parse(location);
    const auto place = Location::parse(selection.group);
    const auto first = files_named(place.file).front();
    const hdf5::Session session;
    const auto file = hdf5::open_file(first, hdf5::Access::read);
    const auto group = hdf5::open_group(file.get(), place.group, first.string());
    auto members = hdf5::naming(first.string(), [&] { return members_of(group.get(), first.string()); });
    CRESCENDO_VALIDATE(!members.empty(), "", "{} has no data set of numbers; see `crescendo data inspect {}`", location,
                       first.string());
    if (!selection.suffix().empty()) {
        keep_samples(members);
    }
    return names_of(members);
}

}  // namespace

bool ChannelStatistics::is_constant() const {
    constexpr double rounding = 1e-12;  // relative to the mean; some thousand times the rounding of float64
    return count > 0 && (min == max || std <= rounding * std::abs(mean));
}

bool ChannelStatistics::ends_in_netcdf_fill() const { return max == 0x1.ep+122; }

std::vector<DataSetStatistics> compute_statistics(const std::string& location, const StatisticsOptions& options) {
    CRESCENDO_VALIDATE(options.threads >= 1, "", "{} threads cannot read; use 1 or more", options.threads);
    const auto names = options.data_sets.empty() ? data_sets_of_numbers(location) : options.data_sets;
    std::vector<Survey> surveys;
    std::int64_t total = 0;
    for (const auto& name : names) {
        total += surveys.emplace_back(location, name, options).size();
    }
    TaskPool pool(options.threads);
    std::vector<DataSetStatistics> results;
    std::int64_t done = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        surveys[i].run(pool, options.threads, [&](std::int64_t samples) {
            done += samples;
            if (options.progress) {
                options.progress(done, total);
            }
        });
        results.push_back({names[i], surveys[i].result()});
    }
    for (const auto& survey : surveys) {
        survey.expect_unchanged();  // also files that were read long ago
    }
    return results;
}

}  // namespace crescendo::datasets
