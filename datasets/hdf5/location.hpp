#pragma once

#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// Where a set of samples lies: `FILE:/GROUP`, `fashion.h5:/train`.
struct Location {
    std::filesystem::path file;
    std::string group;  ///< begins with '/', ends with none; "/" itself is the file's root

    /// Throws InvalidInput where a part is missing.
    static Location parse(const std::string& text);

    /// Path of a member of the group inside the file: "/train/inputs".
    std::string member(const std::string& name) const;
    bool is_root() const { return group == "/"; }
};

std::string to_string(const Location& location);

}  // namespace crescendo::datasets
