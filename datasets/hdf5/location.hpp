#pragma once

#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// The location of a set of samples: `FILE:/GROUP`, such as `fashion.h5:/train`.
struct Location {
    std::filesystem::path file;
    std::string group;  ///< begins with '/' and does not end with one; "/" itself is the file's root

    /// Reads a location. Throws InvalidInput if a part is missing.
    static Location parse(const std::string& text);

    /// Path of a member of the group inside the file, such as "/train/inputs".
    std::string member(const std::string& name) const;
    bool is_root() const { return group == "/"; }
};

std::string to_string(const Location& location);

}  // namespace crescendo::datasets
