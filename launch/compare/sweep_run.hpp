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

/// Whose time counts until a quality is reached.
enum class ClockOf {
    trials,  ///< each trial's own training time: the search is not on the clock
    sweeps,  ///< time since the sweep began, without the time between its sessions
};

/// A recorded sweep, as comparisons need it.
struct SweepRun {
    std::filesystem::path directory;
    SweepFile file;
    FlatKeys keys;                             ///< what the file says
    std::optional<double> price_of_slot_hour;  ///< by its file; nothing if that does not say
    double idle_slot_hours = 0;                ///< slots × time that the whole sweep had them and no trial did

    /// Improvements of the metric, with `cost` in slot-hours. ClockOf::sweeps: one curve of the whole sweep, with the
    /// slot-hours of all trials until then; where trials are repetitions, of what their configurations were judged by.
    /// ClockOf::trials: a curve for each trial, by its id, with its own slot-hours.
    std::vector<analysis::Curve> curves;
};

/// Reads a sweep from its journal. `num_bytes` is called with the size of every record that was read. Throws
/// InvalidInput if `directory` holds no sweep, or if its sweep's file was changed.
SweepRun read_sweep_run(const std::filesystem::path& directory, ClockOf clock,
                        const std::function<void(std::size_t num_bytes)>& num_bytes);

/// Sweeps in a directory: its own, or those of the folders in it, by name. Throws InvalidInput if there is none.
std::vector<std::filesystem::path> sweeps_in(const std::filesystem::path& directory);

}  // namespace crescendo::launch
