#pragma once

#include <optional>
#include <string>

#include "core/trial_protocol.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// How fast a trial's model answers: a measurement, and where it was made.
struct LatencyRecord {
    protocol::Latency latency = {};
    Resource resource = {};     ///< what the trial had reported
    std::string data = {};      ///< "test" or "validation"
    int threads = 1;            ///< compute threads
    std::string hardware = {};  ///< the processor's name, or the GPU's

    /// Whether a measurement of the other one would be made in the same way.
    bool is_like(const LatencyRecord& other) const {
        return resource == other.resource && data == other.data && threads == other.threads &&
               hardware == other.hardware;
    }
};

/// The last measurement of a trial; nothing if there is none. Throws InvalidInput if its file makes no sense.
std::optional<LatencyRecord> read_latency(const SweepDirectory& directory, TrialId trial);

/// Keeps a measurement, instead of the last one of the trial. Throws std::system_error if the disk fails.
void write_latency(const SweepDirectory& directory, const LatencyRecord& record);

/// A time to answer, in seconds: "2ms", "0.5ms", "800us", "1s". Nothing if `text` is no such time.
std::optional<double> parse_latency(const std::string& text);

}  // namespace crescendo::launch
