#include "datasets/writers/rechunk.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "datasets/hdf5/location.hpp"
#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {
namespace {

struct Arguments {
    std::string from;
    std::string to;
    std::int64_t mebibytes = 256;
    datasets::MissingSources missing = datasets::MissingSources::error;
    datasets::WriteOptions write;
};

ExitCode rechunk(const Arguments& arguments) {
    datasets::rechunk(arguments.from, arguments.to, arguments.write, arguments.mebibytes << 20, arguments.missing);
    fmt::print("{}: copied from {}\n", arguments.to, arguments.from);
    return ExitCode::done;
}

/// That may be damaged: an existing file is read before a group is added to it.
std::string files_of(const Arguments& arguments) {
    const auto from = datasets::Location::parse(arguments.from).file.string();
    const auto to = datasets::Location::parse(arguments.to).file;
    return std::filesystem::exists(to) ? from + " or " + to.string() : from;
}

}  // namespace

void add_data_rechunk(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = data.add_subcommand("rechunk", "Copy a group into chunks of whole samples, which are read faster");
    command->add_option("FROM", arguments->from, "FILE:/GROUP to copy; FILE:/ is all of the file")->required();
    command->add_option("TO", arguments->to, "FILE:/GROUP to write, in another file")->required();
    command->add_option("--memory", arguments->mebibytes, "MiB of samples held at a time; default: 256")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
    add_missing_sources_option(*command, arguments->missing);
    add_write_options(*command, arguments->write, "bytes");
    command->footer("Example:\n  crescendo data rechunk simulation.h5:/fields flow.h5:/train --compress 4");
    command->callback([arguments, &code] {
        code = read_foreign(files_of(*arguments), [&] { return interruptible([&] { return rechunk(*arguments); }); });
    });
}

}  // namespace crescendo::launch
