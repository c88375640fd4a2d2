#include <fmt/format.h>

#include "core/check.hpp"
#include "launch/import/optuna_study.hpp"

namespace crescendo::launch {

/// This build has no SQLite.
std::vector<OptunaStudy> studies_of_database(const std::string& path) {
    throw InvalidInput(
        fmt::format("{}: is an SQLite database, but this crescendo was built without SQLite; install "
                    "libsqlite3-dev and build again, or copy the study into a journal "
                    "(optuna.copy_study)",
                    path));
}

}  // namespace crescendo::launch
