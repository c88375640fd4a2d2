#include "datasets/convert.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "core/check.hpp"
#include "launch/commands/data/commands.hpp"

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

}  // namespace

void add_data_convert(CLI::App& data, ExitCode& code) {
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

}  // namespace crescendo::launch
