#pragma once

#include <optional>
#include <string>

#include "core/trial_protocol.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A measurement of how fast a trial's model answers, and how it was made.
struct LatencyRecord {
    protocol::Latency latency = {};
    Resource resource = {};     ///< the resource that the trial had reported
    std::string data = {};      ///< "test" or "validation"
    int threads = 1;            ///< compute threads
    std::string hardware = {};  ///< the processor's name, or the GPU's

    /// Whether both measurements were made under the same conditions.
    bool is_like(const LatencyRecord& other) const {
        return resource == other.resource && data == other.data && threads == other.threads &&
               hardware == other.hardware;
    }
};

/// The last measurement of a trial; nothing if there is none. Throws InvalidInput if its file is invalid.
std::optional<LatencyRecord> read_latency(const SweepDirectory& directory, TrialId trial);

/// Saves a measurement in place of the trial's last one. Throws std::system_error if the disk fails.
void write_latency(const SweepDirectory& directory, const LatencyRecord& record);

/// Parses a latency: "2ms", "0.5ms", "800us", "1s". Returns seconds; nothing if `text` is not a latency.
std::optional<double> parse_latency(const std::string& text);

}  // namespace crescendo::launch
