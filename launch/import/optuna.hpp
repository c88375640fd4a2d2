#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

/// Whether it is a map from names of parameters to distributions, as optuna.distributions.distribution_to_json() writes
/// them, or as objects.
bool is_optuna_distributions(const OrderedJson& root);
ImportedSweep import_optuna_distributions(const OrderedJson& root, const ForeignFile& file);

/// Whether it is a journal (JournalFileBackend), or a database of SQLite.
bool is_optuna_storage(const ForeignFile& file);

/// A study of a storage: its name and direction, and the parameters that its trials have. Throws InvalidInput if there
/// are several studies and `file.study` names none of them, or if the storage cannot be read.
ImportedSweep import_optuna_storage(const ForeignFile& file);

}  // namespace crescendo::launch
