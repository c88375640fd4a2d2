#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace crescendo::launch {

/// Result of remove_files().
struct Removed {
    std::uintmax_t bytes = 0;  ///< disk space that was freed
    std::uintmax_t files = 0;  ///< number of files, links and folders that were removed
    std::uintmax_t left = 0;   ///< number of those that were not: they are not ours, or cannot be removed
    bool is_done = true;       ///< false if the time was up before all were examined
};

enum class Removal {
    perform,
    pretend,  ///< removes nothing, and returns what would be removed
};

/// Whether to remove a file of this name.
using IsWanted = std::function<bool(std::string_view name)>;

/// Removes the entries of `folder` whose names `is_wanted` accepts. It is asked only about names in the folder itself:
/// everything below a wanted folder is removed too. The folder itself stays.
///
/// Removes only files of this process's user, in folders of that user. Links are removed but never followed, not even
/// if `folder` is one. Other file systems that are mounted below are left alone. Stops at `end`, but not before it has
/// removed something, so call it again until `is_done`.
Removed remove_files(const std::filesystem::path& folder, const IsWanted& is_wanted, Removal removal = Removal::perform,
                     std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max());

}  // namespace crescendo::launch
