#pragma once

#include <exception>
#include <string>

#include "core/trial_protocol.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// What is wrong with a message, in a sentence: without the marks that the JSON library puts before it.
std::string plain(const std::exception& error);

/// Reads a report of the trial protocol. Texts among its metrics are left out. Throws, with the problem and the remedy,
/// if it lacks `resource` or `metrics`, or if they are something else.
protocol::Report report_from(TrialId trial, const Json& message);

}  // namespace crescendo::launch
