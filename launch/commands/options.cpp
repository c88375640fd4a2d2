#include "launch/commands/options.hpp"

#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/journal/cost.hpp"

namespace crescendo::launch {

void add_format_option(CLI::App& command, Format& format) {
    static constexpr Words formats{
        {std::pair{Format::table, "table"}, {Format::json, "json"}, {Format::csv, "csv"}}};
    command.add_option("--format", format, "table, json or csv")->transform(one_of(formats))->default_str("table");
}

void add_format_option_without_csv(CLI::App& command, Format& format) {
    static constexpr Words formats{{std::pair{Format::table, "table"}, {Format::json, "json"}}};
    command.add_option("--format", format, "table or json")->transform(one_of(formats))->default_str("table");
}

void add_directory_argument(CLI::App& command, std::filesystem::path& directory) {
    command.add_option("DIR", directory, "The sweep's directory")->required();
}

CLI::Option* add_directories_argument(CLI::App& command, std::vector<std::filesystem::path>& directories) {
    return command.add_option("DIR", directories, "Directories of sweeps, or folders with several");
}

void add_slots_options(CLI::App& command, std::optional<int>& slots, std::optional<int>& slots_per_gpu) {
    auto* number = command.add_option("--slots", slots, "As in `crescendo run`")->check(at_least_one());
    command.add_option("--slots-per-gpu", slots_per_gpu, "As in `crescendo run`")
        ->check(at_least_one())
        ->excludes(number);
}

void add_price_option(CLI::App& command, std::string& price) {
    command.add_option("--price", price,
                       "Hourly price: slot_hour=0.90 or node_hour=24.48; default: `price` of the sweep file");
}

std::optional<double> price_of_slot_hour(const RecordedSweep& sweep, const std::string& price) {
    return price_of_slot_hour(price.empty() ? sweep.file.price : parse_price(price), sweep.history);
}

}  // namespace crescendo::launch
