#include "datasets/generate.hpp"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {

void add_data_generate(CLI::App& data, ExitCode& code) {
    struct Arguments {
        std::string location;
        bool sparse = false;
        std::int64_t samples = 0;
        std::vector<std::int64_t> shape;
    };
    auto arguments = std::make_shared<Arguments>();
    auto* command = data.add_subcommand("generate", "Make a set of any size to try scale with");
    command->add_option("LOCATION", arguments->location, "FILE:/GROUP to write; the file must not exist")->required();
    command
        ->add_flag("--sparse", arguments->sparse, "Of holes, which take no disk and read as 0: the one kind there is")
        ->required();
    command->add_option("--samples", arguments->samples, "How many")->required()->check(CLI::PositiveNumber);
    command->add_option("--shape", arguments->shape, "Of a sample, like 64,64; default: one number")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    command->footer(
        "Example, 1 TiB:\n  crescendo data generate tera.h5:/train --sparse --samples 67108864 --shape 64,64");
    command->callback([arguments, &code] {
        datasets::generate_sparse(arguments->location, arguments->samples, arguments->shape);
        fmt::print("{}: {} samples\n", arguments->location, arguments->samples);
        code = ExitCode::done;
    });
}

}  // namespace crescendo::launch
