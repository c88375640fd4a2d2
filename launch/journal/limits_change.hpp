#pragma once

#include <optional>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A change of keys that may change, as the journal has it beside the event LimitsChanged. It also has keys that the
/// state machine does not know. The last change of a key counts.
struct LimitsChange {
    enum class Source {
        file,     ///< the sweep's file was edited
        command,  ///< an option of the command
    };

    std::vector<Override> settings;  ///< values are written as in FlatKeys
    Source source = Source::command;
};

/// The journal's record of a change at `time` (seconds since the epoch). `file` is the sweep's file with the change.
/// `elapsed` is how many seconds the sweep was at work before.
Json limits_record(const LimitsChange& change, const SweepFile& file, double elapsed, double time);

/// The change that a record has; nothing if it has none.
std::optional<LimitsChange> limits_change_from(const Json& record);

/// Reads "key=value"; the value null removes the key. Throws InvalidInput if `text` is something else, or the key may
/// not change.
Override parse_setting(const std::string& text);

}  // namespace crescendo::launch
