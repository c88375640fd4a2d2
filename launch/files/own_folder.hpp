#pragma once

#include <filesystem>
#include <string_view>

namespace crescendo::launch {

/// Whether `folder` is a folder of our user. A link to one is none.
bool is_own_folder(const std::filesystem::path& folder);

/// Throws InvalidInput with the `remedy` unless `folder`, or the folder that a link of this name leads to, is our
/// user's. Others may put links in theirs: what we write there under a name that they know could land anywhere. Root is
/// no exception, because it has most to lose.
void require_own_folder(const std::filesystem::path& folder, std::string_view remedy);

}  // namespace crescendo::launch
