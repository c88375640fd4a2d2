#include "datasets/writers/rechunk.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/hdf5/location.hpp"
#include "datasets/samples/selection.hpp"
#include "datasets/system/file_pattern.hpp"
#include "datasets/writers/join.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {
namespace {

struct RechunkArguments {
    std::string from;
    std::string to;
    std::vector<std::string> data_sets;
    std::int64_t mebibytes = 256;
    datasets::MissingSources missing = datasets::MissingSources::error;
    datasets::WriteOptions write;
};

std::filesystem::path file_of(const std::string& location) {
    return datasets::Location::parse(datasets::Selection::parse(location).group).file;
}

ExitCode rechunk(const RechunkArguments& arguments) {
    const auto memory = arguments.mebibytes << 20;
    const bool is_tree = arguments.data_sets.empty() && !datasets::is_file_pattern(file_of(arguments.from));
    if (is_tree) {
        datasets::rechunk(arguments.from, arguments.to, arguments.write, memory, arguments.missing);
    } else {
        datasets::join(arguments.from, arguments.to, arguments.data_sets, arguments.write, memory, arguments.missing);
    }
    fmt::print("{}: copied from {}\n", arguments.to, arguments.from);
    return ExitCode::done;
}

/// The files that may be damaged. An existing target is one, because it is read before a group is added to it.
std::string files_of(const RechunkArguments& arguments) {
    const auto from = file_of(arguments.from).string();
    const auto to = datasets::Location::parse(arguments.to).file;
    return is_there(to) ? from + " or " + to.string() : from;
}

}  // namespace

void add_data_rechunk(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<RechunkArguments>();
    auto* command = data.add_subcommand("rechunk", "Copy a group into chunks of whole samples, which are read faster");
    command
        ->add_option("FROM", arguments->from,
                     "FILE:/GROUP to copy; FILE:/ is all of the file; FILE may be a pattern, like 'era5/*.nc'")
        ->required();
    command->add_option("TO", arguments->to, "FILE:/GROUP to write, in another file")->required();
    add_data_sets_option(*command, arguments->data_sets,
                         "Copy only these data sets of the group; default for several files: inputs, and targets");
    command->add_option("--memory", arguments->mebibytes, "MiB of samples held at a time; default: 256")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
    add_missing_sources_option(*command, arguments->missing);
    add_write_options(*command, arguments->write, "bytes");
    command->footer(
        "Examples:\n"
        "  crescendo data rechunk simulation.h5:/fields flow.h5:/train --compress 4\n"
        "  crescendo data rechunk 'era5/*.nc:/' era5.h5:/train --data-sets t,z");
    command->callback([arguments, &code] {
        code = read_foreign(files_of(*arguments), [&] { return interruptible([&] { return rechunk(*arguments); }); });
    });
}

}  // namespace crescendo::launch
