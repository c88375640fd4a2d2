#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch/batch/job_request.hpp"
#include "launch/sweep_file/sections/hooks.hpp"

namespace crescendo::launch {

/// Reads a site profile. Throws InvalidInput with file, line, column and key, the problem and the remedy.
SiteProfile read_site_profile(const std::filesystem::path& path);

/// Reads a site profile from `text`. `file` is its name in messages.
SiteProfile parse_site_profile(const std::string& text, const std::filesystem::path& file);

/// The hooks of the site profile, if there is one. Throws InvalidInput as read_site_profile() does.
Hooks hooks_of_site();

/// The environment variable that names the site profile.
inline constexpr const char* site_variable = "CRESCENDO_SITE";

/// Path of the site profile: $CRESCENDO_SITE, else the first that exists of ~/.config/crescendo/site.yaml and
/// /etc/crescendo/site.yaml. None if there is no site profile.
std::optional<std::filesystem::path> find_site_profile();

}  // namespace crescendo::launch
