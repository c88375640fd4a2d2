#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "launch/sampling/supervised_program.hpp"

namespace crescendo::launch {

/// A plug-in's class that may end each trial that reports. Its decisions are TrialStopped events, so a replay does not
/// ask it again. `sampler` handles the sampler.
///
/// If it fails, the user is told why, and it is restarted and receives all trials again. After the third failure in a
/// row it is given up, and ends no more trials.
class StopRuleProgram final : public ProposalSource {
  public:
    /// `file` must have a stop rule.
    StopRuleProgram(const SweepFile& file, SourceSettings settings, std::unique_ptr<ProposalSource> sampler);

    std::optional<Event> next(Sweep& sweep) override;
    std::optional<Event> await_next(Sweep& sweep) override;
    std::optional<std::chrono::milliseconds> patience() const override;

  private:
    /// The last state of a trial that the program received.
    struct Told {
        TrialStatus status;
        Resource resource;
    };

    /// A report that the program was asked to judge.
    struct Judgement {
        TrialId trial;
        Resource resource;
    };

    std::optional<Event> next_stop(Sweep& sweep);
    void talk(Sweep& sweep);
    void send_news(const Sweep& sweep, const std::set<TrialId>& news);
    bool is_to_judge(const Trial& trial) const;

    const OrderedJson begin_;
    SupervisedProgram program_;
    std::unique_ptr<ProposalSource> sampler_;
    std::map<TrialId, Told> told_;         ///< trials that this process of the program knows
    std::map<TrialId, Resource> judged_;   ///< reports for which it has answered
    std::deque<Judgement> asked_;
    std::deque<TrialId> stopped_;          ///< trials that it ends, whose events next() has not returned yet
};

}  // namespace crescendo::launch
