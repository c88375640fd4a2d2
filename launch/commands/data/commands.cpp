#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {

void add_data_commands(CLI::App& app, ExitCode& code) {
    auto* data = app.add_subcommand("data", "Convert, make, inspect and measure data sets");
    data->require_subcommand(1);
    data->footer("Example:\n  crescendo data inspect fashion.h5");
    add_data_convert(*data, code);
    add_data_rechunk(*data, code);
    add_data_generate(*data, code);
    add_data_inspect(*data, code);
    add_data_stats(*data, code);
    add_data_bench(*data, code);
}

}  // namespace crescendo::launch
