#pragma once

#include <optional>
#include <string>

#include "launch/import/imported_sweep.hpp"

namespace crescendo::launch {

/// A file of another tool.
struct ForeignFile {
    std::string path;                       ///< its name in messages
    std::string text;                       ///< its bytes
    std::optional<std::string> study = {};  ///< which of the studies in it is meant
};

/// Reads a file of any tool that is known. Throws InvalidInput, which names the tools, if it is of none of them, and
/// what its tool's reader throws.
ImportedSweep import_file(const ForeignFile& file);

}  // namespace crescendo::launch
