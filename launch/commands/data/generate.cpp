#include "datasets/writers/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "core/check.hpp"
#include "datasets/flow/generate_flow.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

using Target = datasets::FlowOptions::Target;
constexpr Words targets{{std::pair{Target::decay, "decay"}, {Target::future, "future"}, {Target::none, "none"}}};

struct Arguments {
    std::string location;
    bool is_flow = false;
    bool sparse = false;
    std::vector<std::int64_t> shape;
    datasets::FlowOptions flow;
    datasets::WriteOptions write;
};

ExitCode generate(const Arguments& arguments) {
    CRESCENDO_VALIDATE(arguments.is_flow || arguments.sparse, "",
                       "neither --flow nor --sparse is given; choose what to make");
    const auto count = arguments.flow.num_samples;
    if (arguments.sparse) {
        datasets::generate_sparse(arguments.location, count, arguments.shape);
    } else {
        datasets::generate_flow(arguments.location, arguments.flow, arguments.write);
    }
    fmt::print("{}: {} samples\n", arguments.location, count);
    return ExitCode::done;
}

}  // namespace

void add_data_generate(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<Arguments>();
    auto& flow = arguments->flow;
    flow.num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    auto* command = data.add_subcommand("generate", "Make a set: flows of a fluid, or holes of any size");
    command->add_option("LOCATION", arguments->location, "FILE:/GROUP to write")->required();
    command->add_option("--samples", flow.num_samples, "Number of samples")->required()->check(at_least_one());
    auto* is_flow = command->add_flag("--flow", arguments->is_flow,
                                      "Two-dimensional turbulence, solved for each sample: u, v and vorticity");
    auto* is_sparse =
        command->add_flag("--sparse", arguments->sparse, "Holes, which take no disk and read as 0")->excludes(is_flow);

    command->add_option("--shape", arguments->shape, "--sparse: shape of a sample, like 64,64; default: one number")
        ->delimiter(',')
        ->check(at_least_one())
        ->needs(is_sparse);
    command->add_option("--size", flow.size, "--flow: points along an axis, a power of two; default: 64")
        ->needs(is_flow);
    command->add_option("--seed", flow.seed, "--flow: seed of the random starts; default: 1")
        ->check(at_least(0))
        ->needs(is_flow);
    command->add_option("--viscosity", flow.viscosity, "--flow: viscosity; default: the least that the size resolves")
        ->needs(is_flow);
    command
        ->add_option(
            "--target", flow.target,
            "--flow: decay (default): the share of energy that is left at time 1 later; future: the fields at that "
            "time; none")
        ->transform(one_of(targets))
        ->needs(is_flow);
    add_write_options(*command, arguments->write, "samples");
    for (const char* of_chunks : {"--chunk", "--compress"}) {
        command->get_option(of_chunks)->excludes(is_sparse);
    }
    command->footer(
        "Examples:\n"
        "  crescendo data generate flow.h5:/train --flow --samples 1000 --seed 1\n"
        "  crescendo data generate tera.h5:/train --sparse --samples 67108864 --shape 64,64");
    command->callback([arguments, &code] {
        code = add_to_foreign(arguments->location, [&] { return interruptible([&] { return generate(*arguments); }); });
    });
}

}  // namespace crescendo::launch
