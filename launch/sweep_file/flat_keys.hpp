#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// What a sweep file says, independent of its layout: dotted keys, with their values as text that YAML reads back. A
/// list is one value.
using FlatKeys = std::map<std::string, std::string>;

FlatKeys flat_keys(const OrderedJson& document);

/// Keys that may change after a sweep began: none of them decides about a trial that was trained.
inline constexpr std::array changeable_keys{"run_cap",     "budget.time", "budget.target", "scheduler.max_concurrent",
                                            "max_retries", "hang_timeout"};

bool is_changeable(std::string_view key);

/// Whether a key decides nothing, so that anyone may edit it at any time: `entry`, `price`, `keep`, `on_finish`,
/// `on_failure`, and what is in them.
bool only_describes(std::string_view key);

/// The keys that may change, for messages: "run_cap, budget.time, … and hang_timeout".
std::string list_of_changeable_keys();

}  // namespace crescendo::launch
