#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/files/read_all.hpp"
#include "core/shell_words.hpp"
#include "core/spelling.hpp"
#include "datasets/hdf5/data_set_name.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/hdf5/source_files.hpp"
#include "datasets/inspection/statistics.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_pattern.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Where the statistics of a location are kept, and under what name.
struct Place {
    fs::path file;  ///< file of the samples, or pattern of several files
    fs::path kept;
    std::string name;  ///< "/train[0:50000]", "/train hwc"

    Place(const std::string& location, SampleLayout layout) {
        const auto selection = Selection::parse(location);
        const auto set = Location::parse(selection.group);
        file = set.file;
        kept = (is_file_pattern(file) ? name_for_all(file) : file).string() + ".stats.json";
        name = set.group + selection.suffix() + (layout == SampleLayout::hwc ? " hwc" : "");
    }
};

/// Identifies a version of the file by its size and modification time.
json version_of(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        throw InvalidInput(text("{}: {}", file.string(), std::generic_category().message(errno)));
    }
    return {{"bytes", status.st_size}, {"seconds", status.st_mtim.tv_sec}, {"nanoseconds", status.st_mtim.tv_nsec}};
}

/// Versions of the location's files, by their paths relative to the folder of the kept statistics: these do not depend
/// on a program's working directory.
json versions_of(const Place& place) {
    if (!is_file_pattern(place.file)) {
        return version_of(place.file);
    }
    json versions;
    for (const auto& file : files_named(place.file)) {
        versions[file.lexically_relative(place.kept.parent_path()).string()] = version_of(file);
    }
    return versions;
}

double number_or_nan(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json to_json(const ChannelStatistics& channel) {
    return {{"count", channel.count}, {"nan", channel.nan}, {"infinite", channel.infinite},
            {"mean", channel.mean},   {"std", channel.std}, {"min", channel.min},
            {"max", channel.max}};
}

ChannelStatistics to_channel(const json& in) {
    return {.count = in.at("count"),
            .nan = in.at("nan"),
            .infinite = in.at("infinite"),
            .mean = number_or_nan(in.at("mean")),
            .std = number_or_nan(in.at("std")),
            .min = number_or_nan(in.at("min")),
            .max = number_or_nan(in.at("max"))};
}

struct Kept {
    json content;      ///< null if there is no file, or another program wrote it
    uid_t writer = 0;  ///< owner of the file
};

/// Reads the file. Throws InvalidInput if it exists but cannot be read: keeping new statistics would lose the others.
Kept read_kept(const fs::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // others may have put a pipe
    struct stat status {};
    const bool is_there = file || (errno != ENOENT && errno != ENOTDIR && errno != ENXIO);
    if (!is_there || (file && (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)))) {
        return {};
    }
    const auto bytes = file ? read_all(file) : std::nullopt;
    if (!bytes) {
        throw InvalidInput(
            text("{} cannot be read ({}); try again once it is readable, or remove it with the statistics in it",
                 path.string(), std::generic_category().message(errno)));
    }
    auto content = json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
    const bool usable = content.is_object() && content.contains("file") && content.contains("sets");
    return {usable ? std::move(content) : json(), status.st_uid};
}

/// Whether to trust statistics written by `writer`. In a shared folder, any user can add a file: statistics count only
/// if their writer could have changed the samples as well.
bool may_write(uid_t writer, const Place& place) {
    const auto owns = [&](const fs::path& file) {
        struct stat status {};
        return ::stat(file.c_str(), &status) == 0 && status.st_uid == writer;
    };
    if (writer == ::geteuid() || writer == 0) {
        return true;
    }
    const auto files = files_named(place.file);
    return std::any_of(files.begin(), files.end(), owns);
}

/// Where the numbers of a data set come from, over all files of a location.
struct Origin {
    bool is_virtual = false;
    std::int64_t rows = 0;
    std::set<fs::path> sources = {};  ///< files other than those of the location

    /// Paths are relative to `folder`, so that they do not depend on a program's working directory.
    json to_json(const fs::path& folder) const {
        auto names = json::array();
        for (const auto& source : sources) {
            names.push_back(fs::relative(source, folder.empty() ? "." : folder).string());
        }
        return {{"rows", rows}, {"sources", std::move(names)}};
    }
};

/// Origins of these data sets, by name.
std::map<std::string, Origin> origins_of(const std::string& location, const std::vector<std::string>& data_sets) {
    const auto place = Location::parse(Selection::parse(location).group);
    const hdf5::Session session;
    std::map<std::string, Origin> origins;
    for (const auto& name : files_named(place.file)) {
        const auto file = hdf5::open_file(name, hdf5::Access::read);
        for (const auto& set : data_sets) {
            auto& origin = origins[set];
            const auto path = place.member(DataSetName::parse(set).name);
            const auto data_set = hdf5::open_data_set(file.get(), path, name.string());
            const auto settings = hdf5::own(H5Dget_create_plist(data_set.get()), text("{} has no properties", path));
            origin.is_virtual = origin.is_virtual || H5Pget_layout(settings.get()) == H5D_VIRTUAL;
            const auto extent = hdf5::extent(data_set.get());
            origin.rows += extent.empty() ? 0 : extent.front();
            const auto sources = source_files(data_set.get(), path, MissingSources::fill);
            origin.sources.insert(sources.begin(), sources.end());
            if (auto linked = linked_file(data_set.get(), name)) {
                origin.sources.insert(std::move(*linked));
            }
        }
    }
    return origins;
}

/// The first data set whose origin has changed since its statistics were kept; empty if there is none. A source may
/// have been added or restored since, without a change of any file that was read.
std::string made_otherwise(const json& content, const std::string& location, const Place& place) {
    const auto kept = content.value("origins", json::object()).value(place.name, json::object());
    if (kept.empty()) {  // all numbers are in the location's files, or an older version kept the statistics
        return {};
    }
    std::vector<std::string> names;
    for (const auto& [name, origin] : kept.items()) {
        names.push_back(name);
    }
    const auto origins = origins_of(location, names);
    const auto changed = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return origins.at(name).to_json(place.kept.parent_path()) != kept.at(name);
    });
    return changed == names.end() ? "" : *changed;
}

/// Whether the files are unchanged since the statistics were kept.
bool sources_unchanged(const json& content) {
    const auto sources = content.value("sources", json::object());
    return std::all_of(sources.items().begin(), sources.items().end(), [](const auto& source) {
        return fs::exists(source.key()) && source.value() == version_of(source.key());
    });
}

}  // namespace

std::string statistics_command(const std::string& location, SampleLayout layout,
                               const std::vector<std::string>& data_sets) {
    std::string names;
    for (const auto& name : data_sets) {
        names += (names.empty() ? "" : ",") + name;
    }
    return text("crescendo data stats {}{}{}", shell_quoted(location),
                layout == SampleLayout::hwc ? " --layout hwc" : "",
                names.empty() ? "" : " --data-sets " + shell_quoted(names));
}

void keep_statistics(const std::string& location, const std::vector<DataSetStatistics>& statistics,
                     SampleLayout layout) {
    const Place place(location, layout);
    const auto version = versions_of(place);
    auto [content, writer] = read_kept(place.kept);
    if (content.is_null() || !may_write(writer, place) || content["file"] != version || !sources_unchanged(content) ||
        !made_otherwise(content, location, place).empty()) {
        content = {{"file", version}, {"sources", json::object()}, {"sets", json::object()}};
    }
    for (const auto& [name, origin] : origins_of(location, names_of(statistics))) {
        for (const auto& source : origin.sources) {
            content["sources"][source.string()] = version_of(source);
        }
        if (origin.is_virtual || !origin.sources.empty()) {
            content["origins"][place.name][name] = origin.to_json(place.kept.parent_path());
        }
    }
    auto& set = content["sets"][place.name];
    for (const auto& [name, channels] : statistics) {
        auto& list = set[name] = json::array();
        for (const auto& channel : channels) {
            list.push_back(to_json(channel));
        }
    }
    try {
        // Names may have any bytes.
        replace_file(place.kept, content.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
    } catch (const WriteError& error) {
        throw InvalidInput(
            text("{} cannot be written ({}), and the statistics of {} are kept there; set the mean and std in "
                 "data.normalize instead, or copy the file to a folder that you may write to",
                 place.kept.string(), error.code().message(), place.file.string()));
    }
}

std::vector<DataSetStatistics> kept_statistics(const std::string& location, SampleLayout layout,
                                               const std::vector<std::string>& wanted) try {
    const Place place(location, layout);
    const auto [content, writer] = read_kept(place.kept);
    const bool there = content.is_object() && content.at("sets").contains(place.name);
    CRESCENDO_VALIDATE(there, "", "no mean and spread of {} are known; run: {}", location,
                       statistics_command(location, layout, wanted));
    CRESCENDO_VALIDATE(may_write(writer, place), "",
                       "{} was written by user {}, who owns neither the data nor this process; run: {}",
                       place.kept.string(), writer, statistics_command(location, layout, wanted));
    CRESCENDO_VALIDATE(content.at("file") == versions_of(place) && sources_unchanged(content), "",
                       "{}, or one of its sources, has changed since its mean and spread were calculated; run: {}",
                       place.file.string(), statistics_command(location, layout, wanted));
    const auto changed = made_otherwise(content, location, place);
    CRESCENDO_VALIDATE(changed.empty(), "",
                       "{} of {} has other source files or rows than when its mean and spread were calculated; run: {}",
                       changed, place.file.string(), statistics_command(location, layout, wanted));
    std::vector<DataSetStatistics> statistics;
    for (const auto& [name, channels] : content.at("sets").at(place.name).items()) {
        auto& set = statistics.emplace_back(DataSetStatistics{name, {}});
        for (const auto& channel : channels) {
            set.channels.push_back(to_channel(channel));
        }
    }
    return statistics;
} catch (const json::exception& error) {
    throw InvalidInput(text("the statistics kept next to {} are damaged ({}); remove {} and run: {}", location,
                            error.what(), Place(location, layout).kept.string(),
                            statistics_command(location, layout, wanted)));
}

}  // namespace crescendo::datasets
