#pragma once

#include <optional>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A change of keys that may change, as the journal records it next to the event LimitsChanged. It includes keys that
/// the state machine does not know. For each key, the last change counts.
struct LimitsChange {
    enum class Source {
        file,     ///< the sweep's file was edited
        command,  ///< an option of the command
    };

    std::vector<Override> settings;  ///< values are in the form of FlatKeys
    Source source = Source::command;
};

/// The journal's record of a change at `time` (seconds since the epoch). `file` is the sweep's file with the change.
/// `elapsed` is the number of seconds that the sweep had been at work before.
Json limits_record(const LimitsChange& change, const SweepFile& file, double elapsed, double time);

/// The change in a record, if it has one.
std::optional<LimitsChange> limits_change_from(const Json& record);

/// Parses "key=value"; the value null removes the key. Throws InvalidInput if `text` has another form, or if the key
/// may not change.
Override parse_setting(const std::string& text);

}  // namespace crescendo::launch
