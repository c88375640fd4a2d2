#pragma once

#include <optional>
#include <string>

#include "launch/import/imported_sweep.hpp"

namespace crescendo::launch {

/// A file from another tool.
struct ForeignFile {
    std::string path;                       ///< its name in messages
    std::string text;                       ///< its bytes
    std::optional<std::string> study = {};  ///< the study to import, if there are several
};

/// Imports a file of any tool that is known. Throws InvalidInput that names these tools if the file comes from none of
/// them, and whatever the tool's reader throws.
ImportedSweep import_file(const ForeignFile& file);

/// Whether it is a journal (JournalFileBackend) or an SQLite database.
bool is_optuna_storage(const ForeignFile& file);

/// Imports a study from a storage: its name, its direction, and the parameters of its trials. Throws InvalidInput if
/// there are several studies and `file.study` names none of them, or if the storage cannot be read.
ImportedSweep import_optuna_storage(const ForeignFile& file);

/// Whether it is a map from parameter names to distributions, each as text by
/// optuna.distributions.distribution_to_json(), or as an object.
bool is_optuna_distributions(const OrderedJson& root);
ImportedSweep import_optuna_distributions(const OrderedJson& root, const ForeignFile& file);

bool is_determined(const OrderedJson& root);

/// Imports an experiment configuration of Determined. Throws InvalidInput if a hyperparameter or the searcher lacks
/// what its type needs.
ImportedSweep import_determined(const OrderedJson& root, const ForeignFile& file);

bool is_wandb(const OrderedJson& root);

/// Imports a sweep file of W&B. Defaults of W&B that the file relies on, and keys that have another name here, are
/// written out. Throws InvalidInput with all mistakes of the file.
ImportedSweep import_wandb(const OrderedJson& root, const ForeignFile& file);

/// Whether it is a configuration of Hydra with a search space: `hydra.sweeper.params`, of the basic sweeper (all
/// combinations) or of Optuna's, or `search_space`, as in older versions of the latter.
bool is_hydra(const OrderedJson& root);

/// Throws InvalidInput if a parameter belongs to another sweeper.
ImportedSweep import_hydra(const OrderedJson& root, const ForeignFile& file);

bool is_ray(const OrderedJson& root);

/// Imports a file in the style of Ray Tune: `config:` (or `param_space:`), on its own or under an experiment's name,
/// with `grid_search` lists and texts such as "tune.loguniform(1e-4, 1e-1)". Throws InvalidInput if such a text cannot
/// be parsed.
ImportedSweep import_ray(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
