#pragma once

#include <optional>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/sweep_file/flat_keys.hpp"
#include "launch/sweep_file/overrides.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A change of keys that may change, as the journal has it beside the event LimitsChanged: also of those that the state
/// machine does not know. What holds is what was changed last.
struct LimitsChange {
    enum class Source {
        file,     ///< the sweep's file was edited
        command,  ///< somebody asked for it
    };

    std::vector<Override> settings;  ///< values are of FlatKeys' kind
    Source source = Source::command;
};

/// The journal's record of the change at `time` (seconds since the epoch), after which the sweep's file is `file`.
/// `elapsed`: seconds that the sweep was at work before.
Json limits_record(const LimitsChange& change, const SweepFile& file, double elapsed, double time);

/// The change that a record tells; nothing where it tells of none.
std::optional<LimitsChange> limits_change_from(const Json& record);

/// Throws InvalidInput where `text` is no "key=value" of a key that may change; null takes a key away.
Override parse_setting(const std::string& text);

}  // namespace crescendo::launch
