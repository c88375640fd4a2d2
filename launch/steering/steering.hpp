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

/// The effect of an accepted request.
struct Steered {
    std::vector<Json> records;      ///< for the journal, in this order; empty: the request changes nothing
    std::string text;               ///< the effect, in words for the user
    std::optional<SweepFile> file;  ///< the sweep's file with its new limits, if they change
};

/// Decides the effect of a request at `time` (seconds since the epoch) on a sweep with this history. All records of the
/// history must have taken effect.
///
/// A request that changes nothing is accepted, so that sending it twice does no harm. Throws InvalidInput with the
/// reason if the request comes too late or is impossible.
Steered steer(const Request& request, const SweepDirectory& directory, const History& history, double time);

}  // namespace crescendo::launch
