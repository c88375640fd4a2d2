#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace crescendo::launch {

/// What remove_files() did.
struct Removed {
    std::uintmax_t bytes = 0;  ///< room on the disk that is free now
    std::uintmax_t files = 0;  ///< number of files, links and folders that are gone
    std::uintmax_t left = 0;   ///< number of those that had to stay: they are not ours, or cannot be removed
    bool is_done = true;       ///< false if the time was up before all had been looked at
};

enum class Removal {
    perform,
    pretend,  ///< removes nothing, and says what would be removed
};

/// Whether a file of this name is to be removed.
using IsWanted = std::function<bool(std::string_view name)>;

/// Removes what is in `folder` and `is_wanted` names (names in the folder itself; everything below a wanted folder goes
/// too). The folder itself stays.
///
/// Only what belongs to this process's user is removed, in folders that do. Links are removed, never followed, also
/// `folder` itself if it is one, and nothing is removed on another file system that is mounted below. It stops at
/// `end`, but not before it has removed something, so call it again until it is done.
Removed remove_files(const std::filesystem::path& folder, const IsWanted& is_wanted,
                     std::chrono::steady_clock::time_point end, Removal removal = Removal::perform);

}  // namespace crescendo::launch
