#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/slots/allocator.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// What running trials may ask for at their next reports: the slots that they are short of and, for trials that
/// survived a rung, surplus slots beyond those.
///
/// If no setting of the sweep uses this, it counts nothing.
class Demand {
  public:
    /// `spec` is valid.
    explicit Demand(const SchedulerSpec& spec);

    /// Counts the trial as it is now: with its group if it is running, else not at all. Call it after every change of
    /// the trial; extra calls change nothing.
    void update(const Trial& trial, const Allocator& allocator) {
        if (is_needed_) {
            replace(trial, allocator);
        }
    }

    /// Recounts all trials, because slots joined or were lost, which changes what each trial could get.
    void recount(const Allocator& allocator);

    /// Number of slots that running trials are short of their full sizes.
    int num_missing() const { return num_missing_; }

    /// Number of slots that running trials other than `trial` are short of their full sizes.
    int num_missing_besides(TrialId trial) const;

    /// Whether `trial` may take `count` free slots as surplus: no other running trial is short of them, and no better
    /// survivor would take them. A better survivor has survived more rungs or, after as many, has a lower loss.
    bool can_spare(int count, const Trial& trial, const Allocator& allocator) const;

  private:
    /// What is counted for a running trial.
    struct Claim {
        TrialId trial;
        int size = 0;
        int rungs_survived = 0;
        double loss = 0;  ///< matters only once the trial survived a rung
        int num_missing = 0;
        bool wants_workers = true;
    };

    /// Order in which survivors get surplus slots: most survived rungs first, then lowest loss, then lowest id.
    using Merit = std::tuple<int, double, TrialId>;

    static Claim claim_of(const Trial& trial);
    static Merit merit(const Claim& claim) { return {-claim.rungs_survived, claim.loss, claim.trial}; }
    bool may_get_surplus(const Claim& claim) const {
        return has_surplus_ && claim.wants_workers && claim.rungs_survived > 0;
    }
    void replace(const Trial& trial, const Allocator& allocator);
    const Claim* find(TrialId trial) const;
    void insert(const Claim& claim, const Allocator& allocator);
    void erase(TrialId trial);
    void count(Claim& claim, const Allocator& allocator);
    void discount(const Claim& claim);

    bool has_surplus_;
    bool is_needed_;
    std::vector<Claim> claims_;       // of all running trials, in no order
    std::vector<int> places_;         // by trial: where its claim is, or `nowhere`
    std::map<Merit, int> survivors_;  // sizes of running survivors, which may get surplus slots
    int num_missing_ = 0;             // sum over claims_
};

}  // namespace crescendo
