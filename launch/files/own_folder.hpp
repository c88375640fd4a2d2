#pragma once

#include <filesystem>
#include <string_view>

namespace crescendo::launch {

/// Whether `folder` is a directory that this process's user owns. A link to one does not count.
bool is_own_folder(const std::filesystem::path& folder);

/// Throws InvalidInput with the `remedy` unless our user owns `folder`, or the folder that a link of this name leads
/// to. Other users could put links into a folder of theirs: a file that we write there under a name that they know
/// could land anywhere. Root is no exception, because it has the most to lose.
void require_own_folder(const std::filesystem::path& folder, std::string_view remedy);

}  // namespace crescendo::launch
