#include "datasets/writers/rechunk.hpp"

#include <fmt/format.h>

#include <memory>

#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {
namespace {

struct Arguments {
    std::string from;
    std::string to;
    std::int64_t mebibytes = 256;
    datasets::WriteOptions write;
};

ExitCode rechunk(const Arguments& arguments) {
    datasets::rechunk(arguments.from, arguments.to, arguments.write, arguments.mebibytes << 20);
    fmt::print("{}: copied from {}\n", arguments.to, arguments.from);
    return ExitCode::done;
}

}  // namespace

void add_data_rechunk(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        data.add_subcommand("rechunk", "Copy a group so that its samples are read well: chunks of whole ones");
    command->add_option("FROM", arguments->from, "FILE:/GROUP to copy; FILE:/ is all of the file")->required();
    command->add_option("TO", arguments->to, "FILE:/GROUP to write, in another file")->required();
    command->add_option("--memory", arguments->mebibytes, "MiB of samples held at a time; default: 256")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
    add_write_options(*command, arguments->write, "bytes");
    command->footer("Example:\n  crescendo data rechunk simulation.h5:/fields flow.h5:/train --compress 4");
    command->callback([arguments, &code] { code = interruptible([&] { return rechunk(*arguments); }); });
}

}  // namespace crescendo::launch
