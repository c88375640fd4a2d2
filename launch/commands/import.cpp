#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "launch/commands/commands.hpp"
#include "launch/files/read_file.hpp"
#include "launch/import/import_formats.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {
namespace {

struct ImportOptions {
    std::string path;
    std::optional<std::string> study;
};

ExitCode import_to_stdout(const ImportOptions& options) {
    const auto imported = import_file({options.path, read_file(options.path), options.study});
    const auto text = text_of(imported, std::filesystem::path(options.path).filename().string());
    fmt::print("{}", text);
    std::fflush(stdout);
    parse_sweep(text, "the printed file");  // reports what the user still has to decide
    return ExitCode::done;
}

}  // namespace

void add_import_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<ImportOptions>();
    auto* command = app.add_subcommand("import", "Convert another tool's file to a sweep file, and print it");
    command->add_option("FILE", options->path, "A file of W&B, Optuna, Ray Tune, Determined or Hydra")->required();
    command->add_option("--study", options->study, "Optuna: the name of the study, if the storage has several");
    command->footer("Examples:\n"
                    "  crescendo import wandb-sweep.yaml > sweep.yaml\n"
                    "  crescendo import study.db --study resnet > sweep.yaml");
    command->callback([options, &code] { code = import_to_stdout(*options); });
}

}  // namespace crescendo::launch
