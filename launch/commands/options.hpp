#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>

#include "launch/view/table.hpp"

namespace crescendo::launch {

// Options that several verbs have.

/// `--format table|json|csv`
void add_format_option(CLI::App& command, Format& format);

/// The DIR argument of the verbs about an existing sweep.
void add_directory_argument(CLI::App& command, std::filesystem::path& directory);

}  // namespace crescendo::launch
