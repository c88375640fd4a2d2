#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/history.hpp"
#include "launch/json/json.hpp"
#include "launch/steering/request.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// What a request that is accepted leads to.
struct Steered {
    std::vector<Json> records;      ///< for the journal, in this order; none: what was asked for holds already
    std::string text;               ///< what becomes of it, for the user
    std::optional<SweepFile> file;  ///< the sweep's file with its new limits, where they change
};

/// Decides what a request leads to, at `time` (seconds since the epoch) in a sweep with this history. All records of
/// the history have taken effect.
///
/// A request for what holds already is accepted, so that asking twice does no harm. Throws InvalidInput with the reason
/// if the request comes too late or cannot be.
Steered steer(const Request& request, const SweepDirectory& directory, const History& history, double time);

}  // namespace crescendo::launch
