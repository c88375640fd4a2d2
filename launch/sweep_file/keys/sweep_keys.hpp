#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// The top-level keys of a sweep file.
std::vector<std::string> sweep_keys();

/// The dotted keys that may change after a sweep has begun. None of them affects how a trial was trained.
std::vector<std::string> changeable_keys();

bool is_changeable(std::string_view key);

/// Whether a change of a changeable key only takes effect in the sweep's next session.
bool changes_next_session(std::string_view key);

/// Whether a key, or its section, affects nothing, so that anyone may edit it at any time.
bool only_describes(std::string_view key);

/// The keys that say how a configuration is trained, independent of the search. `crescendo retrain` keeps them.
std::vector<std::string> training_keys();

/// The command-line option that overrides this key for one session of a sweep that has begun; empty if there is none.
std::string option_of_session(std::string_view key);

/// The keys that may change, for messages: "run_cap, budget.time, … and hang_timeout".
std::string list_of_changeable_keys();

}  // namespace crescendo::launch
