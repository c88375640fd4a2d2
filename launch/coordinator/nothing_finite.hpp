#pragma once

#include <set>

#include "core/ids.hpp"

namespace crescendo::launch {

/// Finds sweeps whose trials all diverge, or report something that is no number: there is nothing to compare.
class NothingFinite {
  public:
    /// Notes a report. Returns whether five trials have now reported, and none of them ever a finite value. Returns
    /// true only once, and never after a finite value.
    bool note(TrialId trial, double loss);

  private:
    std::set<TrialId> trials_;
    bool is_done_ = false;
};

}  // namespace crescendo::launch
