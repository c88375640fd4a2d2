#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/display/table.hpp"

namespace crescendo::launch {

struct RecordedSweep;

// Options that several verbs have.

/// `--format table|json|csv`
void add_format_option(CLI::App& command, Format& format);

/// `--format table|json`
void add_format_option_without_csv(CLI::App& command, Format& format);

/// The DIR argument of the verbs about an existing sweep.
void add_directory_argument(CLI::App& command, std::filesystem::path& directory);

/// The DIR arguments of the verbs about several sweeps: sweep directories, or folders that hold some.
CLI::Option* add_directories_argument(CLI::App& command, std::vector<std::filesystem::path>& directories);

/// `--slots N` and `--slots-per-gpu K`, which exclude each other.
void add_slots_options(CLI::App& command, std::optional<int>& slots, std::optional<int>& slots_per_gpu);

/// `--price slot_hour=0.90|node_hour=24.48`
void add_price_option(CLI::App& command, std::string& price);

/// The price of a slot-hour from the text of `--price`; if that is empty, from the sweep file. None if neither has a
/// price.
std::optional<double> price_of_slot_hour(const RecordedSweep& sweep, const std::string& price);

}  // namespace crescendo::launch
