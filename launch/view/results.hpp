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

/// The value that the trial's configuration was judged by last, or has at its end; none before, or if trials are no
/// repetitions.
std::optional<double> judged_value(const Sweep& sweep, TrialId trial);

/// Of which configuration the trial is which repetition, and the value that this was judged by: `configuration`,
/// `repetition`, `judge`, `judged`. Empty if trials are no repetitions.
OrderedJson repetition_json(const Sweep& sweep, TrialId trial);

/// The value for which the trial is the best: of its last report, or judged.
double best_value(const Sweep& sweep, TrialId best);

/// Trials that did not fail and have a value, best first, as Sweep::best() ranks them.
std::vector<TrialId> ranking(const Sweep& sweep);

/// What the value of a configuration is, where trials are repetitions: " (mean of 3)". Else empty.
std::string judge_text(const Repeat& repeat);

/// The best trial, or `trial`: configuration, metrics, test metrics, what it cost, checkpoint. Null if there is none.
OrderedJson best_json(const History& history, const SweepDirectory& directory, std::optional<double> price_of_slot_hour,
                      std::optional<TrialId> trial = {});

/// best_json() as a list of name and value for people; one object for programs.
std::string best_text(const History& history, const SweepDirectory& directory, Format format,
                      std::optional<double> price_of_slot_hour, std::optional<TrialId> trial = {});

/// What a sweep spent: slot-hours that trials held, those that idled, both in money if there is a price, and energy as
/// far as it was measured.
OrderedJson spending_json(const History& history, std::optional<double> price_of_slot_hour);

/// What a sweep spent, for people: "slot-hours: 3.89 used (cost 3.501), 0.31 idle (cost 0.279)".
std::string spending_text(const History& history, std::optional<double> price_of_slot_hour);

/// Advice if a sampler of the user's failed, if all trials that finished ended before the first rung, or if trials wait
/// for data for more than a tenth of their time; else empty.
std::string hint(const History& history, const SweepFile& file);

/// A configuration on one line, with numbers to 4 digits: "lr=0.0312 width=32 …". Of more than `most` parameters, the
/// number of the others stands behind the first ones.
std::string brief(const Config& config, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Seconds as a clock shows them: 75 → "1:15", 7300 → "2:01:40".
std::string clock_text(double seconds);

/// The last of the trials that failed; null if none did.
const Trial* last_failed(const Sweep& sweep);

/// What a user does about a sweep that waits for the release of a trial (Sweep::waits_for_release).
std::string held_hint(const Sweep& sweep, const std::string& directory);

}  // namespace crescendo::launch
