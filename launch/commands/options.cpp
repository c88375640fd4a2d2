#include "launch/commands/options.hpp"

#include "launch/commands/validators.hpp"

namespace crescendo::launch {

void add_format_option(CLI::App& command, Format& format) {
    static constexpr Words formats{
        {std::pair{Format::table, "table"}, {Format::json, "json"}, {Format::csv, "csv"}}};
    command.add_option("--format", format, "table, json or csv")->transform(one_of(formats))->default_str("table");
}

void add_directory_argument(CLI::App& command, std::filesystem::path& directory) {
    command.add_option("DIR", directory, "The sweep's directory")->required();
}

}  // namespace crescendo::launch
