#include "datasets/writers/convert.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "datasets/sources/open_source.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

struct ConvertArguments {
    std::vector<std::string> paths;  ///< INPUTS, optionally TARGETS, and LOCATION
    std::string samples;
    std::string type;
    std::string target_type;
    std::vector<std::int64_t> size;
    datasets::SourceOptions source;
    datasets::WriteOptions write;
};

std::optional<std::int64_t> to_count(std::string_view text) {
    const auto value = number_from<std::int64_t>(text);
    return value && *value >= 0 ? value : std::nullopt;
}

/// Parses a range: "0:50000", "50000:", ":100".
datasets::SampleRange parse_range(const std::string& text) {
    if (text.empty()) {
        return {};
    }
    CRESCENDO_VALIDATE(!to_count(text), "--samples", "--samples {} is not a range; write 0:{} for the first {} samples",
                       text, text, text);
    const auto colon = text.find(':');
    const auto begin = text.substr(0, colon);
    const auto end = colon == std::string::npos ? "" : text.substr(colon + 1);
    const bool is_range =
        colon != std::string::npos && (begin.empty() || to_count(begin)) && (end.empty() || to_count(end));
    CRESCENDO_VALIDATE(is_range, "--samples",
                       "--samples {} is not a range; write BEGIN:END, like 0:50000 (END is not included)", text);
    return {to_count(begin).value_or(0), to_count(end)};
}

ExitCode convert(const ConvertArguments& arguments) {
    CRESCENDO_VALIDATE(
        arguments.paths.size() > 1, "",
        "{} is the only argument; put the INPUTS to convert before the LOCATION, as in table.csv set.h5:/train",
        arguments.paths.front());
    auto options = arguments.source;
    if (!arguments.type.empty()) {
        options.type = datasets::element_type_named(arguments.type);
    }
    if (!arguments.target_type.empty()) {
        options.target_type = datasets::element_type_named(arguments.target_type);
    }
    if (!arguments.size.empty()) {
        options.images.size = std::pair{arguments.size.at(0), arguments.size.at(1)};
    }
    const auto& location = arguments.paths.back();
    const auto range = parse_range(arguments.samples);
    const auto source = datasets::open_source({arguments.paths.begin(), arguments.paths.end() - 1}, options);
    const auto count = datasets::enter_range(*source, range);
    return interruptible([&] {
        datasets::convert(*source, count, location, arguments.write);
        fmt::print("{}: {} samples{}\n", location, count, source->targets() ? "" : ", without targets");
        return ExitCode::done;
    });
}

/// Prints the usage without CLI11's "INPUTS (2x)". CLI11 also requires names without blanks.
class PlainUsage : public CLI::Formatter {
    std::string make_option_usage(const CLI::Option* option) const override { return make_option_name(option, true); }
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        return is_positional ? "INPUTS [TARGETS] LOCATION" : Formatter::make_option_name(option, false);
    }
};

constexpr const char* footer =
    "INPUTS and TARGETS are IDX files (MNIST's format), FILE.npy, FILE.npz:ARRAY, or files or folders of bare numbers\n"
    "of a --type. A FILE.csv, or a folder with one folder of PNG and JPEG images per class, has both inputs\n"
    "and targets, and is the only source. Other INPUTS without TARGETS make a set without targets, for autoencoders.\n"
    "Examples:\n"
    "  crescendo data convert train-images.gz train-labels.gz fashion.h5:/train --samples 0:50000\n"
    "  crescendo data convert arrays.npz:x arrays.npz:y arrays.h5:/train\n"
    "  crescendo data convert fields/ viscosity.npy fields.h5:/train --type float32 --shape 3,64,64\n"
    "  crescendo data convert table.csv table.h5:/train --targets price\n"
    "  crescendo data convert images/ images.h5:/train --size 64,64";

}  // namespace

void add_data_convert(CLI::App& data, ExitCode& code) {
    auto arguments = std::make_shared<ConvertArguments>();
    auto& source = arguments->source;
    auto* command = data.add_subcommand(
        "convert", "Write IDX, NumPy, raw binary or CSV files, or folders of images, as a set in HDF5");
    command->formatter(std::make_shared<PlainUsage>());
    command
        ->add_option("INPUTS", arguments->paths,
                     "What to convert, and FILE:/GROUP to write; the file may have other groups already")
        ->required()
        ->expected(1, 3)
        ->option_text("REQUIRED");
    command->add_option("--samples", arguments->samples, "BEGIN:END, END not included; default: all");
    command->add_option("--type", arguments->type,
                        "Type of bare numbers, like float32, or of the inputs of a CSV file (default: float32)");
    command->add_option("--shape", source.shape, "Shape of a sample of bare numbers, like 3,64,64; default: one number")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(at_least_one());
    command->add_option("--target-type", arguments->target_type,
                        "Type of the targets; default for CSV: int64 if they are integers, else --type");
    command->add_option("--target-shape", source.target_shape, "Shape of a target of bare numbers; default: one number")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(at_least_one());
    command
        ->add_option("--targets", source.target_columns,
                     "Target columns of a CSV file, by name or by number from 0; default: the last column")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--size", arguments->size, "Resize images to HEIGHT,WIDTH (bilinear with antialiasing)")
        ->delimiter(',')
        ->expected(2)
        ->allow_extra_args(false)
        ->check(at_least_one());
    command->add_flag("--gray", source.images.gray, "Keep the brightness of images instead of three colours");
    add_write_options(*command, arguments->write, "samples");
    command->footer(footer);
    command->callback(
        [arguments, &code] { code = add_to_foreign(arguments->paths.back(), [&] { return convert(*arguments); }); });
}

}  // namespace crescendo::launch
