#include "datasets/inspection/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "core/check.hpp"
#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {
namespace {

ExitCode inspect(const std::filesystem::path& file, Format format) {
    const auto colon = file.string().rfind(":/");
    CRESCENDO_VALIDATE(colon == std::string::npos || std::filesystem::exists(file), "",
                       "{} is a group of a file, and inspect lists all there are; run: crescendo data inspect {}",
                       file.string(), file.string().substr(0, colon));
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

}  // namespace

void add_data_inspect(CLI::App& data, ExitCode& code) {
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

}  // namespace crescendo::launch
