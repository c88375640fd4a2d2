#include "launch/commands/options.hpp"

#include <map>
#include <string>

#include "launch/commands/validators.hpp"

namespace crescendo::launch {

void add_format_option(CLI::App& command, Format& format) {
    static const std::map<std::string, Format> formats{
        {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}};
    command.add_option("--format", format, "table, json or csv")->transform(one_of(formats))->default_str("table");
}

void add_directory_argument(CLI::App& command, std::filesystem::path& directory) {
    command.add_option("DIR", directory, "The sweep's directory")->required();
}

}  // namespace crescendo::launch
