#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "datasets/hdf5/location.hpp"
#include "datasets/inspection/statistics.hpp"
#include "datasets/samples/selection.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/display/progress_bar.hpp"

namespace crescendo::launch {
namespace {

struct StatsArguments {
    std::string location;
    datasets::StatisticsOptions options;
    Format format = Format::table;
};

/// Warns about samples that were never written, which are easily taken for data. Nothing else marks them in old files,
/// and in files that wrote no fill attribute.
void remark_on_unwritten(const std::string& data_set, const std::vector<datasets::ChannelStatistics>& channels) {
    const auto is_filled = [](const auto& channel) { return channel.ends_in_netcdf_fill(); };
    if (std::any_of(channels.begin(), channels.end(), is_filled)) {
        fmt::print(stderr,
                   "crescendo: the largest number in {} is 9.969209968386869e36, NetCDF's fill value for numbers that "
                   "were never written. It counts as a sample here; to count it as missing, give the data set an "
                   "attribute _FillValue with this number\n",
                   data_set);
    }
}

ExitCode stats(const StatsArguments& arguments) {
    auto options = arguments.options;
    options.progress = ProgressBar("samples");
    const auto statistics = datasets::compute_statistics(arguments.location, options);
    Table table({"data set", "channel", "count", "mean", "std", "min", "max", "nan", "infinite"});
    for (const auto& [name, channels] : statistics) {
        for (std::size_t i = 0; i < channels.size(); ++i) {
            const auto& channel = channels[i];
            table.add_row({name, static_cast<std::int64_t>(i), channel.count, channel.mean, channel.std, channel.min,
                           channel.max, channel.nan, channel.infinite});
        }
    }
    fmt::print("{}", table.print(arguments.format));
    for (const auto& [name, channels] : statistics) {
        remark_on_unwritten(name, channels);
    }
    // Last, so that the statistics are shown even if they cannot be stored.
    datasets::keep_statistics(arguments.location, statistics, options.layout.value_or(datasets::SampleLayout::chw));
    return ExitCode::done;
}

}  // namespace

void add_data_stats(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<StatsArguments>();
    arguments->options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    auto* command = data.add_subcommand(
        "stats", "Calculate mean and spread of each channel, and keep them beside the file for data.normalize");
    command
        ->add_option("LOCATION", arguments->location,
                     "FILE:/GROUP, FILE:/GROUP[BEGIN:END] or FILE:/GROUP[/LIST], as in the sweep file")
        ->required();
    add_data_sets_option(*command, arguments->options.data_sets,
                         "Names of data sets in the group, or parts like 't[:, 3]'; default: all that hold numbers");
    command->add_option("--threads", arguments->options.threads, "Number of threads that read; default: one per core")
        ->check(number_of_threads());
    using datasets::SampleLayout;
    command
        ->add_option_function<SampleLayout>(
            "--layout", [arguments](const SampleLayout& layout) { arguments->options.layout = layout; },
            "Where channels are stored: first, chw (default), or last, hwc")
        ->transform(one_of(datasets::sample_layouts));
    add_missing_sources_option(*command, arguments->options.missing_sources);
    add_format_option(*command, arguments->format);
    command->footer("Example:\n  crescendo data stats fashion.h5:/train");
    command->callback([arguments, &code] {
        const auto file = datasets::Location::parse(datasets::Selection::parse(arguments->location).group).file;
        code = read_foreign(file.string(), [&] { return stats(*arguments); });
    });
}

}  // namespace crescendo::launch
