#include <fmt/format.h>

#include <memory>

#include "launch/commands/commands.hpp"
#include "launch/sweep_file/sweep_check.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {
namespace {

ExitCode validate_file(const std::filesystem::path& path) {
    const auto file = read_sound_sweep_file(path);
    const auto count = [](auto number, const char* noun) {
        return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
    };
    fmt::print("{}: valid; {}, metric {}{}\n", path.string(), count(file.spec.space.parameters().size(), "parameter"),
               file.spec.metric, file.spec.run_cap ? ", " + count(*file.spec.run_cap, "trial") : "");
    return ExitCode::done;
}

}  // namespace

void add_validate_command(CLI::App& app, ExitCode& code) {
    auto path = std::make_shared<std::filesystem::path>();
    auto* command =
        app.add_subcommand("validate", "Check a sweep file, its trainer's settings and its data; run nothing");
    command->add_option("FILE", *path, "The sweep file (YAML)")->required();
    command->footer("Example:\n  crescendo validate sweep.yaml");
    command->callback([path, &code] { code = validate_file(*path); });
}

}  // namespace crescendo::launch
