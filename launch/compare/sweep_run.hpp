#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/curve.hpp"
#include "launch/compare/curve_file.hpp"
#include "launch/journal/history.hpp"
#include "launch/sweep_file/keys/flat_keys.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// The clock that measures the time to a target.
enum class ClockOf {
    trials,  ///< each trial's own training time: the search is not on the clock
    sweeps,  ///< time since the sweep began, without the time between its sessions
};

/// A recorded sweep, as comparisons need it.
struct SweepRun {
    std::filesystem::path directory;
    SweepFile file;
    FlatKeys keys;                             ///< content of the sweep file, after changes such as by `crescendo set`
    std::optional<double> price_of_slot_hour;  ///< from the sweep file; nothing if it has none
    bool is_over = false;                      ///< whether the sweep has ended
    bool has_lost_sampler = false;             ///< whether the user's sampler failed, so that some are drawn at random
    double idle_slot_hours = 0;                ///< over the whole sweep: slots × the time that no trial held them

    /// Improvements of the metric, with `cost` in slot-hours. ClockOf::sweeps: one curve for the whole sweep, with the
    /// slot-hours of all trials so far; with repetitions, its values are those by which configurations were judged.
    /// ClockOf::trials: one curve for each trial, indexed by its id, with the trial's own slot-hours.
    std::vector<analysis::Curve> curves;
};

/// Reads a sweep from its journal. Calls `num_bytes` with the size of each record that was read. Throws InvalidInput if
/// `directory` holds no sweep, or if its sweep file was changed.
SweepRun read_sweep_run(const std::filesystem::path& directory, ClockOf clock,
                        const std::function<void(std::size_t num_bytes)>& num_bytes);

/// Directories of the sweeps in a directory: the directory itself if it is a sweep's, else those of its folders that
/// are, sorted by name. Throws InvalidInput if there is none, and std::system_error if the disk does not tell.
std::vector<std::filesystem::path> sweeps_in(const std::filesystem::path& directory);

}  // namespace crescendo::launch
