#include "datasets/writers/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/check.hpp"
#include "datasets/flow/generate_flow.hpp"
#include "datasets/melt_pool/generate_melt_pools.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

using Target = datasets::FlowOptions::Target;
constexpr Words targets{{std::pair{Target::decay, "decay"}, {Target::future, "future"}, {Target::none, "none"}}};

struct GenerateArguments {
    std::string location;
    std::int64_t num_samples = 0;
    std::uint64_t seed = 1;
    std::optional<std::int64_t> size;
    bool is_flow = false;
    bool is_melt_pool = false;
    bool sparse = false;
    std::vector<std::int64_t> shape;
    datasets::FlowOptions flow;
    datasets::MeltPoolOptions melt_pool;
    datasets::WriteOptions write;
};

/// Applies the options that all generated sets share.
template <class Options>
Options with_common(Options options, const GenerateArguments& arguments) {
    options.num_samples = arguments.num_samples;
    options.seed = arguments.seed;
    options.size = arguments.size.value_or(options.size);
    options.num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return options;
}

ExitCode generate(const GenerateArguments& arguments) {
    if (arguments.sparse) {
        datasets::generate_sparse(arguments.location, arguments.num_samples, arguments.shape);
    } else if (arguments.is_flow) {
        datasets::generate_flow(arguments.location, with_common(arguments.flow, arguments), arguments.write);
    } else if (arguments.is_melt_pool) {
        datasets::generate_melt_pools(arguments.location, with_common(arguments.melt_pool, arguments),
                                      arguments.write);
    } else {
        throw InvalidInput("none of --flow, --melt-pool and --sparse is given; add one of them");
    }
    fmt::print("{}: {} samples\n", arguments.location, arguments.num_samples);
    return ExitCode::done;
}

}  // namespace

void add_data_generate(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<GenerateArguments>();
    auto& flow = arguments->flow;
    auto* command =
        data.add_subcommand("generate", "Make a set: flows of a fluid, videos of melt pools, or holes of any size");
    command->add_option("LOCATION", arguments->location, "FILE:/GROUP to write")->required();
    command->add_option("--samples", arguments->num_samples, "Number of samples")->required()->check(at_least_one());
    auto* is_flow = command->add_flag("--flow", arguments->is_flow,
                                      "Two-dimensional turbulence, solved for each sample: u, v and vorticity");
    auto* is_melt_pool =
        command
            ->add_flag("--melt-pool", arguments->is_melt_pool,
                       "Videos of the melt pool of a laser; targets: its power (100 W) and speed (m/s)")
            ->excludes(is_flow);
    auto* is_sparse = command->add_flag("--sparse", arguments->sparse, "Holes, which take no disk and read as 0")
                          ->excludes(is_flow)
                          ->excludes(is_melt_pool);

    command
        ->add_option("--size", arguments->size,
                     "Points along an axis; --flow: a power of two, default 64; --melt-pool: default 32")
        ->excludes(is_sparse);
    command->add_option("--seed", arguments->seed, "Random seed; default: 1")->check(at_least(0))->excludes(is_sparse);
    command->add_option("--shape", arguments->shape, "--sparse: shape of a sample, like 64,64; default: one number")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(at_least_one())
        ->needs(is_sparse);
    command->add_option("--viscosity", flow.viscosity, "--flow: viscosity; default: the least that the size resolves")
        ->needs(is_flow);
    command
        ->add_option("--target", flow.target,
                     "--flow: decay (default): the share of energy left after a time of 1; future: the fields at that "
                     "time; none")
        ->transform(one_of(targets))
        ->needs(is_flow);
    command->add_option("--frames", arguments->melt_pool.frames, "--melt-pool: images of a video; default: 8")
        ->check(at_least_one())
        ->needs(is_melt_pool);
    add_write_options(*command, arguments->write, "samples");
    for (const char* of_chunks : {"--chunk", "--compress", "--align"}) {
        command->get_option(of_chunks)->excludes(is_sparse);
    }
    command->footer(
        "Examples:\n"
        "  crescendo data generate flow.h5:/train --flow --samples 1000 --seed 1\n"
        "  crescendo data generate pools.h5:/train --melt-pool --samples 4000\n"
        "  crescendo data generate tera.h5:/train --sparse --samples 67108864 --shape 64,64");
    command->callback([arguments, &code] {
        code = add_to_foreign(arguments->location, [&] { return interruptible([&] { return generate(*arguments); }); });
    });
}

}  // namespace crescendo::launch
