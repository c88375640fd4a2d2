#include "datasets/inspection/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "core/check.hpp"
#include "datasets/system/file_pattern.hpp"
#include "launch/commands/data/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {
namespace {

std::string shape_of(const datasets::DataSetInfo& info) {
    using Space = datasets::DataSetInfo::Space;
    switch (info.space) {
        case Space::scalar:
            return "scalar";
        case Space::null:
            return "null";
        case Space::simple:
            break;
    }
    return fmt::format("{}", fmt::join(info.shape, " x "));
}

ExitCode inspect(const std::filesystem::path& file, Format format) {
    const auto colon = file.string().rfind(":/");
    CRESCENDO_VALIDATE(colon == std::string::npos || is_there(file), "",
                       "{} names a group, but inspect lists all groups of a file; run: crescendo data inspect {}",
                       file.string(), file.string().substr(0, colon));
    const auto files = datasets::files_named(file);
    CRESCENDO_VALIDATE(files.size() == 1, "",
                       "{} matches {} files, but inspect lists one; run: crescendo data inspect {}", file.string(),
                       files.size(), files.front().string());
    Table table({"data set", "type", "samples", "shape", "chunk", "filters", "bytes", "stored", "packing", "link to",
                 "problem"});
    int num_problems = 0;
    for (const auto& info : datasets::inspect(files.front())) {
        const bool is_data_set = info.link.empty() && !info.type.empty();
        const auto of_data_set = [&](auto value) { return is_data_set ? Cell{value} : Cell{}; };
        const auto unless_empty = [](const std::string& text) { return text.empty() ? Cell{} : Cell{text}; };
        table.add_row({info.path, unless_empty(info.type), info.shape.empty() ? Cell{} : Cell{info.shape.front()},
                       is_data_set ? Cell{shape_of(info)} : Cell{},
                       unless_empty(fmt::format("{}", fmt::join(info.chunk, " x "))),
                       unless_empty(fmt::format("{}", fmt::join(info.filters, ", "))), of_data_set(info.bytes),
                       of_data_set(info.stored_bytes), unless_empty(info.packing), unless_empty(info.link),
                       unless_empty(info.problem)});
        num_problems += info.problem.empty() ? 0 : 1;
    }
    fmt::print("{}", table.print(format));
    if (num_problems > 0) {
        throw DamagedFile(fmt::format("{}: {} of the entries cannot be read; the column `problem` says why",
                                      file.string(), num_problems));
    }
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
    command->callback([arguments, &code] {
        code = read_foreign(arguments->file.string(), [&] { return inspect(arguments->file, arguments->format); });
    });
}

}  // namespace crescendo::launch
