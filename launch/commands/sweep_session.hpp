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
    std::optional<int> slots;     ///< workers at a time on a node; 0: one a slot; nothing: as the sweep file says
    std::optional<int> slots_per_gpu;  ///< nothing: as the sweep file says
    std::string interface;        ///< network interface by which workers meet; empty: the default
    std::optional<double> until;  ///< when to save what runs and stop, in seconds since 1970
};
void add_session_options(CLI::App& command, SessionOptions& options);

/// Throws InvalidInput if these options fit nothing here: the interface is not there, or a launcher started several
/// tasks that do not know of each other.
void require_sound_start(const SessionOptions& options, const MpiSession* session);

/// Runs the sweep, whose lock is held, until it ends or must stop, and prints its end. `opening` are records that the
/// journal gets first.
ExitCode run_session(const OpenSweep& sweep, const SessionOptions& options, MpiSession* session,
                     std::vector<Json> opening = {});

/// Creates a sweep in `directory`, which is new, and runs it.
ExitCode begin_sweep(const SweepFile& file, const std::filesystem::path& directory, const SessionOptions& options,
                     MpiSession* session);

/// Leaves the table of a sweep's trials in its directory, as results.csv. Throws DirectoryError if there is no room.
void write_results(const SweepFile& file, const History& history, const SweepDirectory& directory);

}  // namespace crescendo::launch
