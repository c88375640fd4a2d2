#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/commands/commands.hpp"
#include "launch/coordinator/coordinator.hpp"

namespace crescendo::launch {

// A session: what `run` and `resume` do between opening a sweep and the last line on the screen.

/// The options of a session.
struct SessionOptions {
    std::optional<int> slots;     ///< workers per node; 0: one per slot; nothing: as the sweep file says
    std::optional<int> slots_per_gpu;  ///< nothing: as the sweep file says
    std::string interface;        ///< network interface that connects the workers of a group; empty: the default
    std::optional<double> until;  ///< when to save the running trials and stop, in seconds since 1970
};
void add_session_options(CLI::App& command, SessionOptions& options);

/// Throws InvalidInput if a session cannot start like this: there is no such network interface, or a launcher started
/// several tasks that MPI did not connect.
void require_sound_start(const SessionOptions& options, const MpiSession* session);

/// Runs the sweep until it ends or must stop, and prints how it ended. The caller holds the sweep's lock. The records
/// in `opening` are appended to the journal first.
ExitCode run_session(const OpenSweep& sweep, const SessionOptions& options, MpiSession* session,
                     std::vector<Json> opening = {});

/// Creates a sweep in the new directory `directory`, and runs it.
ExitCode begin_sweep(const SweepFile& file, const std::filesystem::path& directory, const SessionOptions& options,
                     MpiSession* session);

/// Writes the table of a sweep's trials to results.csv in its directory. Throws DirectoryError if the disk is full.
void write_results(const SweepFile& file, const History& history, const SweepDirectory& directory);

}  // namespace crescendo::launch
