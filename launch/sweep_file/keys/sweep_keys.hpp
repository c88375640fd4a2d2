#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// The keys that a sweep file takes on its top level.
std::vector<std::string> sweep_keys();

/// The keys, dotted, that may change after a sweep began: none of them decides about a trial that was trained.
std::vector<std::string> changeable_keys();

bool is_changeable(std::string_view key);

/// Whether a change of a changeable key holds from the sweep's next session on only.
bool changes_next_session(std::string_view key);

/// Whether a key, or the section that it is in, decides nothing, so that anyone may edit it at any time.
bool only_describes(std::string_view key);

/// The keys that say how a configuration is trained, whatever the search: `crescendo retrain` keeps them.
std::vector<std::string> training_keys();

/// The option by which a session of a sweep that has begun gets another value of this key than the sweep's file has;
/// empty if there is none.
std::string option_of_session(std::string_view key);

/// The keys that may change, for messages: "run_cap, budget.time, … and hang_timeout".
std::string list_of_changeable_keys();

}  // namespace crescendo::launch
