#include "datasets/inspection/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "datasets/hdf5/location.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

/// 1, 2, 4, … and the number of cores.
std::vector<int> powers_up_to_cores() {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<int> counts;
    for (int count = 1; count < cores; count *= 2) {
        counts.push_back(count);
    }
    counts.push_back(cores);
    return counts;
}

/// The smallest number of threads that reaches 95 % of the best throughput with a cold cache.
int recommended_threads(const std::vector<datasets::Throughput>& results) {
    const auto cold = [](const auto& result) {
        return result.cache == datasets::Throughput::Cache::cold ? result.elements : 0.0;
    };
    double best = 0;
    for (const auto& result : results) {
        best = std::max(best, cold(result));
    }
    const auto enough =
        std::find_if(results.begin(), results.end(), [&](const auto& result) { return cold(result) >= 0.95 * best; });
    return enough->threads;
}

struct BenchArguments {
    std::string location;
    std::vector<int> threads = powers_up_to_cores();
    std::uint64_t mebibytes = 1024;
    std::vector<std::string> data_sets;
    datasets::MissingSources missing = datasets::MissingSources::error;
    Format format = Format::table;
};

ExitCode bench(const BenchArguments& arguments) {
    const auto results = datasets::bench(arguments.location, arguments.threads, arguments.mebibytes << 20,
                                         arguments.data_sets, arguments.missing);
    Table table({"threads", "cache", "samples MB/s", "raw MB/s", "share"});
    for (const auto& [threads, cache, elements, raw] : results) {
        const std::string state = cache == datasets::Throughput::Cache::cold ? "cold" : "warm";
        table.add_row({std::int64_t{threads}, state, elements / 1e6, raw / 1e6, elements / raw});
    }
    fmt::print("{}", table.print(arguments.format));
    if (arguments.format == Format::table) {
        fmt::print("recommended for a cold cache: data.threads: {}\n", recommended_threads(results));
    }
    return ExitCode::done;
}

}  // namespace

void add_data_bench(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<BenchArguments>();
    auto* command =
        data.add_subcommand("bench", "Measure how fast a set is read here, compared with a raw pread of its file");
    command->add_option("LOCATION", arguments->location, "FILE:/GROUP of the set")->required();
    command
        ->add_option("--threads", arguments->threads,
                     "Numbers of threads, like 1,2,4; default: powers of two up to the number of cores")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(number_of_threads());
    command
        ->add_option("--mebibytes", arguments->mebibytes,
                     "MiB to read; default: 1024, or the whole set if it is smaller")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    add_data_sets_option(*command, arguments->data_sets,
                         "Names of data sets in the group, or parts like 't[:, 3]'; default: inputs, and targets");
    add_missing_sources_option(*command, arguments->missing);
    add_format_option(*command, arguments->format);
    command->footer("Example:\n  crescendo data bench fashion.h5:/train --threads 1,2,4");
    command->callback([arguments, &code] {
        const auto file = datasets::Location::parse(arguments->location).file;
        code = read_foreign(file.string(), [&] { return bench(*arguments); });
    });
}

}  // namespace crescendo::launch
