#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "launch/directory/sweep_directory.hpp"
#include "launch/display/table.hpp"
#include "launch/journal/history.hpp"
#include "launch/json/json.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// The value by which the trial's configuration was last judged, or that it has at its end; none before, or if trials
/// are not repetitions.
std::optional<double> judged_value(const Sweep& sweep, TrialId trial);

/// Which repetition of which configuration the trial is, and the value by which the configuration was judged:
/// `configuration`, `repetition`, `judge`, `judged` and, if any failed and so do not count, `failed_repetitions`. Empty
/// if trials are not repetitions.
OrderedJson repetition_json(const Sweep& sweep, TrialId trial);

/// The value that makes the trial the best: the one of its last report, or the judged one.
double best_value(const Sweep& sweep, TrialId best);

/// Trials that did not fail and have a value, best first, as Sweep::best() ranks them.
std::vector<TrialId> ranking(const Sweep& sweep);

/// How the trial's configuration is judged, if trials are repetitions: "mean of 3", or "mean of 3, 1 failed" if one of
/// the three failed and does not count. Otherwise empty.
std::string judge_text(const Sweep& sweep, TrialId trial);

/// The best trial, or `trial`: configuration, metrics, test metrics, cost, checkpoint. Null if there is none.
OrderedJson best_json(const History& history, const SweepDirectory& directory, std::optional<double> price_of_slot_hour,
                      std::optional<TrialId> trial = {});

/// best_json() as a list of names and values for people; as one object for programs.
std::string best_text(const History& history, const SweepDirectory& directory, Format format,
                      std::optional<double> price_of_slot_hour, std::optional<TrialId> trial = {});

/// What a sweep spent: slot-hours that trials held, idle slot-hours, both in money if there is a price, and energy as
/// far as it was measured.
OrderedJson spending_json(const History& history, std::optional<double> price_of_slot_hour);

/// What a sweep spent, for people: "slot-hours: 3.89 used (cost 3.501), 0.31 idle (cost 0.279)".
std::string spending_text(const History& history, std::optional<double> price_of_slot_hour);

/// The number of configurations that were drawn at random because the user's own sampler failed.
int num_without_sampler(const SweepFile& file, const Sweep& sweep);

/// Advice if the user's sampler failed, if all trials of a finished sweep ended before the first rung or before
/// `scheduler.max`, or if trials wait for data for more than a tenth of their time; otherwise empty.
std::string hint(const History& history, const SweepFile& file);

/// A configuration on one line, with numbers to 4 digits: "lr=0.0312 width=32 …". With more than `most` parameters,
/// shows the first ones and the number of the others.
std::string brief(const Config& config, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Seconds as a clock shows them: 75 → "1:15", 7300 → "2:01:40".
std::string clock_text(double seconds);

/// The last trial that failed; null if none did.
const Trial* last_failed(const Sweep& sweep);

/// What a user can do about a sweep that waits for the release of a trial (Sweep::waits_for_release).
std::string held_hint(const Sweep& sweep, const std::string& directory);

}  // namespace crescendo::launch
