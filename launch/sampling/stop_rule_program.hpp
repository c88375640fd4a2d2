#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "launch/sampling/sampler_messages.hpp"
#include "launch/sampling/supervised_program.hpp"

namespace crescendo::launch {

/// A class of a plug-in that may end each trial that reports. Its decisions are events, TrialStopped, so a replay does
/// not ask it again. Another source answers for the sampler.
///
/// If it fails, the user reads why, and it is started again and told all trials. The third time in a row it is given
/// up, and ends no more trials.
class StopRuleProgram final : public ProposalSource {
  public:
    /// `file` has a stop rule.
    StopRuleProgram(const SweepFile& file, SourceSettings settings, std::unique_ptr<ProposalSource> sampler);

    std::optional<Event> next(Sweep& sweep) override;
    std::optional<Event> await_next(Sweep& sweep) override;
    std::optional<std::chrono::milliseconds> patience() const override;

  private:
    /// What of a trial the program was told.
    struct Told {
        TrialStatus status;
        Resource resource;
    };

    /// A report that the program was asked about.
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
    std::map<TrialId, Told> told_;         ///< by this process of the program
    std::map<TrialId, Resource> judged_;   ///< reports that were answered
    std::deque<Judgement> asked_;
    std::deque<TrialId> stopped_;          ///< trials that it ends, and whose events nobody has yet
};

}  // namespace crescendo::launch
