#include "datasets/writers/write_options.hpp"

#include "datasets/hdf5/data_set_name.hpp"
#include "datasets/hdf5/missing_sources.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/validators.hpp"
#include "launch/display/progress_bar.hpp"

namespace crescendo::launch {

void add_write_options(CLI::App& command, datasets::WriteOptions& options, const std::string& unit) {
    command
        .add_option("--chunk", options.chunk_samples,
                    "Samples per chunk; default: as many as make about 256 KiB, or --align if that is more")
        ->check(at_least_one());
    command.add_option("--compress", options.compression, "Level of deflate; default: 0, none")
        ->check(CLI::Range(0, 9));
    command
        .add_option("--align", options.alignment,
                    "Start chunks of at least half this size at multiples of it, in bytes, such as 1M; default: 4K")
        ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
    options.progress = ProgressBar(unit);
    options.poll = end_if_interrupted;
}

void add_data_sets_option(CLI::App& command, std::vector<std::string>& names, const std::string& description) {
    command.add_option_function<std::string>(
        "--data-sets", [&names](const std::string& list) { names = datasets::split_names(list); }, description);
}

void add_missing_sources_option(CLI::App& command, datasets::MissingSources& missing) {
    command
        .add_option("--missing-sources", missing,
                    "If a source of a virtual data set is missing: error (default), or the fill value")
        ->transform(one_of(datasets::missing_sources_words));
}

}  // namespace crescendo::launch
