#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

/// Whether it is a map from parameter names to distributions, each as text by
/// optuna.distributions.distribution_to_json(), or as an object.
bool is_optuna_distributions(const OrderedJson& root);
ImportedSweep import_optuna_distributions(const OrderedJson& root, const ForeignFile& file);

/// Whether it is a journal (JournalFileBackend) or an SQLite database.
bool is_optuna_storage(const ForeignFile& file);

/// Imports a study from a storage: its name, its direction, and the parameters of its trials. Throws InvalidInput if
/// there are several studies and `file.study` names none of them, or if the storage cannot be read.
ImportedSweep import_optuna_storage(const ForeignFile& file);

}  // namespace crescendo::launch
