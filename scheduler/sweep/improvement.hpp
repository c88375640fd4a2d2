#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/loss.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// Watches whether reports bring better values, and says when the user's patience (`patience:`) is over.
class Improvement {
  public:
    explicit Improvement(const Patience& patience) : patience_(patience) {}

    /// The trial has just reported. Reports of one trial come in the order of their resources.
    void note_report(const Trial& trial) {
        if (patience_.resource) {
            note_best_of(trial);
        }
    }

    /// The candidate, a trial or a configuration, has a new loss.
    void note_value(const Trial& candidate) {
        if (*candidate.loss < best_loss_) {
            note_best(candidate);
        }
    }

    /// The trial, or configuration, ended without failing.
    void note_end(const Trial& trial) { num_ends_in_vain_ += trial.id != best_trial_; }

    /// An ended sweep has reopened: its patience begins anew.
    void begin_again() { num_ends_in_vain_ = 0; }

    /// Whether the trial has not improved for too long, at its report.
    bool is_over(const Trial& trial) const;

    /// Whether too many trials in a row ended without a better value.
    bool is_over() const { return patience_.trials && num_ends_in_vain_ >= *patience_.trials; }

  private:
    struct Best {
        double loss = worst_loss;
        Resource at{0};
    };

    void note_best(const Trial& candidate);
    void note_best_of(const Trial& trial);

    Patience patience_;
    double best_loss_ = worst_loss;      ///< the lowest that was noted
    std::optional<TrialId> best_trial_;  ///< the first trial that had it
    int num_ends_in_vain_ = 0;           ///< other trials that ended since then
    std::vector<Best> bests_;        ///< by trial; empty without Patience::resource
};

}  // namespace crescendo
