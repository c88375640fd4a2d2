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

/// A sweep that nobody works on, with its lock and its journal: requests take effect here without a coordinator.
class IdleSweep {
  public:
    /// Throws InvalidInput as SweepLock and RecordedSweep do.
    explicit IdleSweep(const SweepDirectory& directory);

    /// Does what is asked for, once for each name. `name`: that of a request that was sent to a session first, which
    /// may have done it and died before it answered; empty: it was not sent.
    Answer obey(const Request& request, const std::string& name = {});

    /// Whether something that was asked for decides about trials.
    bool has_decided() const { return has_decided_; }

    const RecordedSweep& recorded() const { return recorded_; }

  private:
    void begin();
    void take(const Json& record);
    void write();

    SweepLock lock_;
    RecordedSweep recorded_;
    Journal journal_;
    std::vector<Json> records_;  ///< records that are not in the journal: nothing came of them so far
    double time_;                ///< of all records
    bool has_begun_ = false;
    bool has_decided_ = false;
};

}  // namespace crescendo::launch
