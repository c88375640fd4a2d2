#include "launch/import/import_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/check.hpp"
#include "launch/yaml/yaml_document.hpp"

namespace crescendo::launch {
namespace {

/// A tool whose files are YAML or JSON. To add one, add a file to this folder, its
/// functions to the header, and a row to the table below.
struct ImportFormat {
    bool (*knows)(const OrderedJson& root);
    ImportedSweep (*read)(const OrderedJson& root, const ForeignFile& file);
};

/// The first format that recognizes a file reads it.
constexpr ImportFormat formats[]{{is_determined, import_determined},
                                 {is_optuna_distributions, import_optuna_distributions},
                                 {is_wandb, import_wandb},
                                 {is_hydra, import_hydra},
                                 {is_ray, import_ray}};

ImportedSweep import_known(const ForeignFile& file) {
    if (is_optuna_storage(file)) {
        return import_optuna_storage(file);
    }
    CRESCENDO_VALIDATE(!file.path.ends_with(".py"), "",
                       "{}: is a program; give a file that its tool stores: for Optuna, a study's storage, such as "
                       "study.db from create_study(storage='sqlite:///study.db'); for Ray Tune, the search space as "
                       "YAML; docs/your-own-program.md shows how a sweep calls your function",
                       file.path);
    CRESCENDO_VALIDATE(file.text.find('\0') == std::string::npos, "",
                       "{}: is neither text nor an SQLite database; give a file of W&B, Optuna, Determined, Ray or "
                       "Hydra",
                       file.path);
    Mistakes mistakes;
    const auto document = parse_yaml(file.text, file.path, mistakes, "command");
    for (const auto& format : formats) {
        if (format.knows(document.root)) {
            mistakes.throw_if_any(document.source);
            return format.read(document.root, file);
        }
    }
    throw InvalidInput(
        fmt::format("{}: is not a file of a known tool: W&B has parameters:, Determined has hyperparameters: and "
                    "searcher:, Ray has config:, param_space: or texts such as tune.uniform(0, 1), Hydra has hydra: "
                    "with sweeper: and params:, Optuna has distributions by parameter name, or a storage",
                    file.path));
}

}  // namespace

ImportedSweep import_file(const ForeignFile& file) {
    try {
        return import_known(file);
    } catch (const OrderedJson::exception& error) {  // a value has another type than its tool writes
        const std::string_view what = error.what();  // "[json.exception.type_error.302] type must be string, …"
        throw InvalidInput(fmt::format("{}: has a value that its tool would not write ({}); correct it", file.path,
                                       what.substr(std::min(what.size(), what.find(']') + 2))));
    }
}

}  // namespace crescendo::launch
