#pragma once

#include <string>
#include <vector>

#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/journal/journal.hpp"
#include "launch/json/json.hpp"
#include "launch/steering/request.hpp"
#include "launch/steering/request_folder.hpp"

namespace crescendo::launch {

/// A sweep on which no process works, with its lock and its journal. Requests take effect here without a coordinator.
class IdleSweep {
  public:
    /// Throws InvalidInput as SweepLock and RecordedSweep do.
    explicit IdleSweep(const SweepDirectory& directory);

    /// Carries out the request, but at most once per `name`. `name` is the name of a request that was first sent to a
    /// session, which may have carried it out and died before it answered; empty if it was not sent.
    Answer obey(const Request& request, const std::string& name = {});

    /// Whether a request has led to an event, which decides about trials.
    bool has_decided() const { return has_decided_; }

    const RecordedSweep& recorded() const { return recorded_; }

  private:
    void begin();
    void take(const Json& record);
    void write();

    SweepLock lock_;
    RecordedSweep recorded_;
    Journal journal_;
    std::vector<Json> records_;  ///< records that wait for the first request that changes something
    double time_;                ///< time of all records, in seconds since the epoch
    bool has_begun_ = false;
    bool has_decided_ = false;
};

}  // namespace crescendo::launch
