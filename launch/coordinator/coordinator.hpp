#pragma once

#include <optional>
#include <vector>

#include "launch/coordinator/decisions.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/coordinator/session_end.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/journal/history.hpp"
#include "launch/journal/journal.hpp"
#include "launch/process/stop_signals.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/transport/transport.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// A sweep on which this process works.
struct OpenSweep {
    const SweepFile& file;
    const SweepDirectory& directory;
    Journal& journal;
    History& history;           ///< has taken every record of `journal`
    SweepLock* lock = nullptr;  ///< held by this process; null if no other process knows the sweep, as in tests
};

enum class Outcome {
    finished,     ///< nothing is left to do
    failed,       ///< the sweep has ended, and every trial failed
    interrupted,  ///< the sweep was asked to stop; running trials are saved and can be resumed
    hopeless,     ///< no trial has reported anything, and none would; can be resumed once the cause is fixed
};

/// Runs one session of a sweep: turns the agents' notices into events, writes them to the journal, asks the scheduler,
/// and has its actions carried out.
///
/// A session has up to three phases: Training, Departure and FinalTest. Each phase handles every kind of notice, and
/// one loop runs them all.
class Coordinator {
  public:
    /// Keeps the heartbeat of the sweep's lock going. `opening` has the first records of the session, written before it
    /// has slots: what changed since the last session.
    Coordinator(const OpenSweep& open, Transport& transport, LiveView& view, std::vector<Json> opening = {});

    /// Runs until the sweep ends, is asked to stop, or reaches `deadline`. Throws DirectoryError if the journal or
    /// another file cannot be written; every report that was answered is then safely in the journal. Throws
    /// std::runtime_error if no slot is left on which a trainer can start.
    Outcome run(const StopSignals& signals, std::optional<SessionEnd::Deadline> deadline = {});

  private:
    const Sweep& sweep() const { return decisions_.sweep(); }
    void begin_session();
    template <class Phase>
    void go_through(Phase& phase);
    bool test_the_best(SessionEnd& end);

    OpenSweep open_;
    Transport& transport_;
    LiveView& view_;
    std::vector<Json> opening_;
    Orders orders_;
    Decisions decisions_;
};

}  // namespace crescendo::launch
