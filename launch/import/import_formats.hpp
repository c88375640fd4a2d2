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

}  // namespace crescendo::launch
