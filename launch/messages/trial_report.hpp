#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "core/trial_protocol.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The problem with a message as a sentence, without the JSON library's prefix.
std::string plain(const std::exception& error);

/// The problem with a line, as plain() gives it, with `place` and the beginning of the line, unless the problem quotes
/// that: "it has no \"resource\" (in its output: '{}')". `place` may be empty.
std::string problem_in(std::string_view line, const std::exception& error, const std::string& place = "");

/// Reads a report of the trial protocol. Ignores metrics that are text, and names that no sweep file can have, with the
/// character \0. Throws, with the problem and the remedy, if `resource` or `metrics` is missing or has the wrong type.
protocol::Report report_from(TrialId trial, const Json& message);

}  // namespace crescendo::launch
