// Used instead of commands.cpp if Crescendo is built without HDF5.
#include "core/check.hpp"
#include "launch/commands/commands.hpp"

namespace crescendo::launch {

void add_data_commands(CLI::App& app, ExitCode&) {
    auto* data = app.add_subcommand("data", "Data sets: not in this build, which has no HDF5");
    data->allow_extras();
    data->callback([] {
        throw InvalidInput(
            "data: this crescendo was built without HDF5, as with `make light`; `make build` builds one with this "
            "command");
    });
}

}  // namespace crescendo::launch
