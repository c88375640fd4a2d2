#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <thread>
#include <vector>

#include "core/check.hpp"
#include "datasets/bench.hpp"
#include "datasets/convert.hpp"
#include "datasets/generate.hpp"
#include "datasets/inspect.hpp"
#include "launch/commands/commands.hpp"

namespace crescendo::launch {
namespace {

struct ConvertArguments {
    std::filesystem::path inputs;
    std::filesystem::path targets;
    std::string location;
    std::string samples;
    datasets::ConvertOptions options;
};

std::int64_t to_count(std::string_view text, const std::string& whole) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    CRESCENDO_VALIDATE(error == std::errc{} && end == text.data() + text.size() && value >= 0, "--samples",
                       "--samples {}: is no range; write BEGIN:END, like 0:50000, where END is not included", whole);
    return value;
}

/// "0:50000", "50000:", ":100"
datasets::SampleRange parse_range(const std::string& text) {
    datasets::SampleRange range;
    if (text.empty()) {
        return range;
    }
    const auto colon = std::min(text.find(':'), text.size());
    if (colon > 0) {
        range.begin = to_count(std::string_view(text).substr(0, colon), text);
    }
    if (colon + 1 < text.size()) {
        range.end = to_count(std::string_view(text).substr(colon + 1), text);
    }
    return range;
}

void show_progress(std::int64_t done, std::int64_t total) {
    if (::isatty(STDERR_FILENO)) {
        fmt::print(stderr, "\r{} of {} samples{}", done, total, done == total ? "\r\x1b[K" : "");
    }
}

ExitCode convert(const ConvertArguments& arguments) {
    auto options = arguments.options;
    options.progress = show_progress;
    const auto count = datasets::convert_idx(arguments.inputs, arguments.targets, arguments.location,
                                             parse_range(arguments.samples), options);
    fmt::print("{}: {} samples\n", arguments.location, count);
    return ExitCode::done;
}

ExitCode inspect(const std::filesystem::path& file, Format format) {
    Table table({"data set", "type", "samples", "shape", "chunk", "filters", "bytes", "stored", "problem"});
    for (const auto& info : datasets::inspect(file)) {
        table.add_row({info.path, info.type, info.samples, fmt::format("{}", fmt::join(info.shape, " x ")),
                       info.chunk.empty() ? Cell{} : Cell{fmt::format("{}", fmt::join(info.chunk, " x "))},
                       info.filters.empty() ? Cell{} : Cell{fmt::format("{}", fmt::join(info.filters, ", "))},
                       info.bytes, info.stored_bytes, info.problem.empty() ? Cell{} : Cell{info.problem}});
    }
    fmt::print("{}", table.print(format));
    return ExitCode::done;
}

/// 1, 2, 4 … and as many as there are cores.
std::vector<int> powers_up_to_cores() {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<int> counts;
    for (int count = 1; count < cores; count *= 2) {
        counts.push_back(count);
    }
    counts.push_back(cores);
    return counts;
}

/// The fewest threads that reach 95 % of the best throughput from a cold cache.
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
    Format format = Format::table;
};

ExitCode bench(const BenchArguments& arguments) {
    const auto results = datasets::bench(arguments.location, arguments.threads, arguments.mebibytes << 20);
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

void add_bench(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<BenchArguments>();
    auto* command = data.add_subcommand("bench", "Measure how fast a set is read here, beside a raw pread of its file");
    command->add_option("LOCATION", arguments->location, "FILE:/GROUP of the set")->required();
    command->add_option("--threads", arguments->threads, "Numbers of threads, like 1,2,4; default: up to the cores")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    command->add_option("--mebibytes", arguments->mebibytes, "To read of the set; default: 1024, or all if less")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    add_format_option(*command, arguments->format);
    command->footer("Example:\n  crescendo data bench fashion.h5:/train --threads 1,2,4");
    command->callback([arguments, &code] { code = bench(*arguments); });
}

void add_convert(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<ConvertArguments>();
    auto* command =
        data.add_subcommand("convert", "Write IDX files (MNIST's format, also gzipped) as a data set in HDF5");
    command->add_option("INPUTS", arguments->inputs, "IDX file of the inputs")->required();
    command->add_option("TARGETS", arguments->targets, "IDX file of the targets, as many")->required();
    command->add_option("LOCATION", arguments->location, "FILE:/GROUP to write; the file may have other groups already")
        ->required();
    command->add_option("--samples", arguments->samples, "BEGIN:END, END not included; default: all");
    command
        ->add_option("--chunk", arguments->options.chunk_samples,
                     "Samples a chunk holds; default: about 256 KiB of them")
        ->check(CLI::PositiveNumber);
    command->add_option("--compress", arguments->options.compression, "Level of deflate; default: 0, none")
        ->check(CLI::Range(0, 9));
    command->footer(
        "Example:\n  crescendo data convert train-images.gz train-labels.gz fashion.h5:/train --samples 0:50000");
    command->callback([arguments, &code] { code = convert(*arguments); });
}

void add_generate(CLI::App& data, ExitCode& code) {
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

void add_inspect(CLI::App& data, ExitCode& code) {
    struct Arguments {
        std::filesystem::path file;
        Format format = Format::table;
    };
    auto arguments = std::make_shared<Arguments>();
    auto* command = data.add_subcommand("inspect", "List the data sets of an HDF5 file: types, shapes, chunks, sizes");
    command->add_option("FILE", arguments->file, "The HDF5 file")->required();
    add_format_option(*command, arguments->format);
    command->footer("Example:\n  crescendo data inspect fashion.h5");
    command->callback([arguments, &code] { code = inspect(arguments->file, arguments->format); });
}

}  // namespace

void add_data_commands(CLI::App& app, ExitCode& code) {
    auto* data = app.add_subcommand("data", "Convert, make, inspect and measure data sets");
    data->require_subcommand(1);
    data->footer("Example:\n  crescendo data inspect fashion.h5");
    add_convert(*data, code);
    add_generate(*data, code);
    add_inspect(*data, code);
    add_bench(*data, code);
}

}  // namespace crescendo::launch
